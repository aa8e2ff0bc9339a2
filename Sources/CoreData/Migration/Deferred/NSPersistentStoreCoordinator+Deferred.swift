// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite

extension NSPersistentStoreCoordinator {
  /// Finishes the deferred lightweight migrations of all stores.
  ///
  /// Removes the tables and columns that the migrations have left in the stores, one after the other, each in
  /// its own transaction. Contexts can read and save in the meantime; a save waits for the running
  /// transaction. If the process is terminated, the next call removes the remaining tables and columns.
  /// Afterwards, the metadata of the stores no longer contain
  /// `NSPersistentStoreDeferredLightweightMigrationOptionKey`.
  ///
  /// - Throws: `NSPersistentStoreTimeoutError` if another connection keeps a store locked;
  ///   `fileWriteNoPermission` (513) if a store is read-only; the errors of writing a file.
  /// - Complexity: O(rows of the table) for each column.
  /// - Source: documented, “finishDeferredLightweightMigration()”.
  public func finishDeferredLightweightMigration() throws {
    while try finishOne() {}
  }

  /// Removes one table or column that a deferred lightweight migration has left in a store; does nothing if
  /// there is no such table or column.
  ///
  /// - Throws: the errors of `finishDeferredLightweightMigration()`.
  /// - Complexity: O(rows of the table) for a column.
  /// - Source: documented, “finishDeferredLightweightMigrationTask()”.
  public func finishDeferredLightweightMigrationTask() throws { _ = try finishOne() }

  /// Removes one table or column that a migration has left; returns false if there is no such table or
  /// column.
  private func finishOne() throws -> Bool {
    do {
      return try persistentStores.contains { store in
        try (store.rows as? SQLiteStore)?.removeLeftover() ?? false
      }
    } catch {
      throw cocoaError(error)
    }
  }
}
