// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite
import _CoreDataStore

/// The mark of a store whose lightweight migration is not finished: the option's key in its metadata.
///
/// Migrations of this library do all of their work at once, so finishing one only removes the mark.
///
/// Source: documented, “NSPersistentStoreDeferredLightweightMigrationOptionKey”.
enum DeferredMigration {
  private static let key = NSPersistentStoreDeferredLightweightMigrationOptionKey

  /// Marks a store that is not open.
  static func begin(_ files: StoreFiles) throws {
    var metadata = try files.metadata()
    metadata.values[key] = true
    try files.setMetadata(metadata)
  }

  /// Removes the mark of an open store, and returns whether the store had it.
  static func finish(_ store: any RowStore) throws -> Bool {
    var metadata = try store.metadata()
    guard metadata.values.removeValue(forKey: key) != nil else { return false }
    try store.setMetadata(metadata)
    return true
  }
}
