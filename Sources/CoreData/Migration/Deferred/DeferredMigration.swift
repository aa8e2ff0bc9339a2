// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite
import _CoreDataStore

/// Marks stores that have a deferred lightweight migration.
///
/// The mark is `NSPersistentStoreDeferredLightweightMigrationOptionKey` in the metadata of a store.
///
/// This library does the whole migration when the store is added, so finishing only removes the mark.
///
/// Source: documented, “NSPersistentStoreDeferredLightweightMigrationOptionKey”.
enum DeferredMigration {
  private static let key = NSPersistentStoreDeferredLightweightMigrationOptionKey

  /// Adds the mark to the metadata of a store that is not open.
  static func begin(_ files: StoreFiles) throws {
    var metadata = try files.metadata()
    metadata.values[key] = true
    try files.setMetadata(metadata)
  }

  /// Removes the mark of an open store; returns false if the store has no mark.
  static func finish(_ store: any RowStore) throws -> Bool {
    var metadata = try store.metadata()
    guard metadata.values.removeValue(forKey: key) != nil else { return false }
    try store.setMetadata(metadata)
    return true
  }
}
