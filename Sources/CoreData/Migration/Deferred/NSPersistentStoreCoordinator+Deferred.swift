// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Deferred lightweight migration.
extension NSPersistentStoreCoordinator {
  /// Finishes the deferred migrations of all stores.
  ///
  /// Afterwards the stores' metadata do not contain
  /// `NSPersistentStoreDeferredLightweightMigrationOptionKey`. Does nothing for a store without the key.
  ///
  /// - Throws: 134090 if other processes keep a file locked; 513 if a store is read-only; the errors of
  ///   writing a file.
  /// - Source: documented, “finishDeferredLightweightMigration()”.
  public func finishDeferredLightweightMigration() throws {
    while try finishOne() {}
  }

  /// Finishes the deferred migration of one store; does nothing if no store has one.
  ///
  /// - Throws: the errors of `finishDeferredLightweightMigration()`.
  /// - Source: documented, “finishDeferredLightweightMigrationTask()”.
  public func finishDeferredLightweightMigrationTask() throws { _ = try finishOne() }

  /// Finishes the first store with a deferred migration; returns false if there is none.
  private func finishOne() throws -> Bool {
    do {
      return try persistentStores.contains { try DeferredMigration.finish($0.rows) }
    } catch {
      throw cocoaError(error)
    }
  }
}
