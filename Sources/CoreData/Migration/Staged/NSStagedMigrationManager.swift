// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel

/// The stages through which old stores migrate to the coordinator's model.
///
/// ```swift
/// let manager = NSStagedMigrationManager([
///   NSLightweightMigrationStage([v1Checksum]),
///   NSCustomMigrationStage(migratingFrom: v2, to: v3),
/// ])
/// description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
/// ```
/// A store that was created with another version of the model is migrated when it is added, if
/// `NSMigratePersistentStoresAutomaticallyOption` is true. The migration begins at the stage with the store's
/// version. Every step is one transaction on the store.
///
/// Source: documented, “NSStagedMigrationManager”; the order of the steps is in docs/reference/migration.md.
open class NSStagedMigrationManager: NSObject, @unchecked Sendable {
  // Unchecked: the stages are configured before the manager is used; the container is guarded by a lock.
  private let current = Mutex<NSPersistentContainer?>(nil)
  /// The lock that a migration holds, because `container` belongs to one migration at a time.
  ///
  /// The lock is recursive, because a handler may add another store.
  let migrating = NSRecursiveLock()

  init(all stages: [NSMigrationStage]) {
    self.stages = stages
    super.init()
  }

  /// Creates a manager with the given stages, which must be in the order of the model's versions, oldest
  /// first.
  ///
  /// Each version may be in one stage only, except that a custom stage may begin with the version with which
  /// another custom stage ends. If the stages break this rule, adding a store throws `NSMigrationError`.
  /// Without stages, stores are migrated with an inferred mapping.
  public convenience init(_ stages: [NSMigrationStage]) { self.init(all: stages) }

  /// The stages in the order in which they were passed.
  public let stages: [NSMigrationStage]

  /// The container for the running handler, with the store and the model before or after the step; nil if no
  /// handler is running.
  ///
  /// The store is removed from the container when the handler returns, so contexts and objects of the
  /// container must not be used afterwards.
  open var container: NSPersistentContainer? { current.withLock { $0 } }

  /// Runs `body` while `container` is the manager's container.
  func withContainer<T>(_ container: NSPersistentContainer, _ body: () throws -> T) rethrows -> T {
    let outer = current.withLock { current in
      defer { current = container }
      return current
    }
    defer { current.withLock { $0 = outer } }
    return try body()
  }
}
