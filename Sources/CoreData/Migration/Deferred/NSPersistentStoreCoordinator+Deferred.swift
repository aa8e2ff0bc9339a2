// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSPersistentStoreCoordinator {
  /// Finishes the deferred lightweight migrations of all stores.
  ///
  /// The migration itself was complete when the store was added, so this only removes
  /// `NSPersistentStoreDeferredLightweightMigrationOptionKey` from the stores' metadata.
  ///
  /// - Throws: `NSPersistentStoreTimeoutError` if another connection keeps a store locked;
  ///   `fileWriteNoPermission` (513) if a store is read-only; the errors of writing a file.
  /// - Source: documented, “finishDeferredLightweightMigration()”.
  public func finishDeferredLightweightMigration() throws {
    while try finishOne() {}
  }

  /// Finishes the deferred lightweight migration of one store; does nothing if no store has one.
  ///
  /// - Throws: the errors of `finishDeferredLightweightMigration()`.
  /// - Source: documented, “finishDeferredLightweightMigrationTask()”.
  public func finishDeferredLightweightMigrationTask() throws { _ = try finishOne() }

  /// Finishes one deferred migration; returns false if there is none.
  private func finishOne() throws -> Bool {
    do {
      return try persistentStores.contains { try DeferredMigration.finish($0.rows) }
    } catch {
      throw cocoaError(error)
    }
  }
}
