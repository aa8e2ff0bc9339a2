// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite

extension NSPersistentStoreCoordinator {
  /// Finishes the deferred lightweight migrations of all stores.
  ///
  /// Removes the tables and columns that the migrations have left, one after the other, each in a transaction
  /// of its own. Contexts can read and save meanwhile; a save waits for the running transaction. If the process
  /// ends, the next call continues with the rest. Afterwards, the metadata of the stores no longer contain
  /// `NSPersistentStoreDeferredLightweightMigrationOptionKey`.
  ///
  /// - Throws: `NSPersistentStoreTimeoutError` if another connection keeps a store locked;
  ///   `fileWriteNoPermission` (513) if a store is read-only; the errors of writing a file.
  /// - Complexity: O(rows of the table) for each column.
  /// - Source: documented, “finishDeferredLightweightMigration()”.
  public func finishDeferredLightweightMigration() throws {
    while try finishOne() {}
  }

  /// Removes one table or column that a deferred lightweight migration has left; does nothing if there is none.
  ///
  /// - Throws: the errors of `finishDeferredLightweightMigration()`.
  /// - Complexity: O(rows of the table) for a column.
  /// - Source: documented, “finishDeferredLightweightMigrationTask()”.
  public func finishDeferredLightweightMigrationTask() throws { _ = try finishOne() }

  /// Carries out one deferred task; returns false if there is none.
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
