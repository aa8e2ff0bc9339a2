// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A step from one version of a model to another, with handlers that run before and after the step.
///
/// ```swift
/// let stage = NSCustomMigrationStage(migratingFrom: v2, to: v3)
/// stage.didMigrateHandler = { manager, _ in
///   guard let context = manager.container?.newBackgroundContext() else { return }
///   try context.performAndWait {
///     for person in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")) { … }
///     try context.save()
///   }
/// }
/// ```
/// The mapping between the versions is inferred. An error of a handler ends the migration, and is thrown by
/// the method that adds the store. The store keeps the last version that it has reached, and the next
/// migration continues there. If the process ends while a handler runs, or the handler throws, the same
/// handler runs again in the next migration. Write handlers that can run again, such as a handler that saves
/// once, at its end.
///
/// Source: documented, “NSCustomMigrationStage”; running a handler again is this library's choice.
open class NSCustomMigrationStage: NSMigrationStage, @unchecked Sendable {
  // Unchecked: a stage is configured before it is passed to a manager, and only read afterwards.

  init(current: NSManagedObjectModelReference, next: NSManagedObjectModelReference) {
    currentModel = current
    nextModel = next
    super.init()
  }

  /// Creates a stage that migrates stores from the version `currentModel` to the version `nextModel`.
  public convenience init(
    migratingFrom currentModel: NSManagedObjectModelReference,
    to nextModel: NSManagedObjectModelReference
  ) {
    self.init(current: currentModel, next: nextModel)
  }

  /// The model version from which the stage migrates stores.
  public let currentModel: NSManagedObjectModelReference
  /// The model version to which the stage migrates stores.
  public let nextModel: NSManagedObjectModelReference
  /// Called before the step; nil by default.
  ///
  /// During the call, the manager's `container` has the store, which is opened with `currentModel`.
  open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
  /// Called after the step; nil by default.
  ///
  /// During the call, the manager's `container` has the store, which is opened with `nextModel`.
  open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

  override var versionStage: VersionStage {
    VersionStage(
      .custom(from: currentModel.versionChecksum, to: nextModel.versionChecksum),
      label: label
    )
  }
}
