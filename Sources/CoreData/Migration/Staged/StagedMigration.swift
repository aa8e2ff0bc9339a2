// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// The migration of a store through the stages of a manager.
///
/// All models are found and all mappings are inferred before the first handler runs and before the store
/// changes. Each step is one transaction, so a failure or the end of the process leaves the store with the
/// version before or after a step.
///
/// Source: documented, “NSStagedMigrationManager”.
struct StagedMigration {
  let manager: NSStagedMigrationManager
  /// The store as the application describes it.
  let specification: StoreSpecification
  let store: any StagedStore
  /// The model of the coordinator.
  let model: NSManagedObjectModel

  /// The metadata key for the checksum of the version whose `didMigrateHandler` has not completed.
  static let unfinishedKey = "CoreDataUnfinishedMigrationStage"

  /// Migrates the store to the coordinator's model.
  ///
  /// - Throws: the errors of `StagedErrors`; `NSManagedObjectModelReferenceNotFoundError` if the model of a
  ///   stage is not found; `NSMigrationMissingMappingModelError` if no mapping can be inferred for a step;
  ///   the errors of `AutomaticMigration.sourceModel()` and `carryOut(_:_:)`;
  ///   `NSPersistentStoreTimeoutError` if another process is migrating the store; the errors of the handlers.
  func run() throws {
    try check()
    if store.isReadOnly { throw try readOnly() }
    try exclusively {
      let steps = try steps()
      MigrationDebugLog.launched?.begin(steps.map(\.description), path: store.place)
      for step in steps { try carryOut(step) }
    }
  }

  /// Runs the `didMigrateHandler` that an earlier migration did not complete.
  ///
  /// Does nothing if there is no such handler, or if the file does not exist, cannot be read, or is opened
  /// read-only.
  /// - Throws: the error of the handler; `NSManagedObjectModelReferenceNotFoundError` if the model of the
  ///   stage is not found; `NSMigrationError` if the stages have duplicate versions;
  ///   `NSPersistentStoreTimeoutError` if another process is migrating the store.
  func finishInterrupted() throws {
    try check()
    if store.isReadOnly || unfinishedStage == nil { return }
    try exclusively {
      guard let stage = unfinishedStage else { return }
      try finish(stage)
    }
  }

  /// Checks the stages even if the store needs no migration, so that a mistake is found before a user has an
  /// old store.
  private func check() throws {
    do {
      try StagedPlan.check(manager.stages.map(\.versionStage))
    } catch let error as StagingError {
      throw StagedErrors.make(error, path: store.place)
    }
  }

  private func exclusively(_ body: () throws -> Void) throws {
    manager.migrating.lock()
    defer { manager.migrating.unlock() }
    var failure: (any Error)?
    do {
      // Errors of `body` are not errors of the lock.
      try store.exclusively { do { try body() } catch { failure = error } }
    } catch {
      throw cocoaError(error)
    }
    if let failure { throw failure }
  }

  private func readOnly() throws -> NSError {
    let steps = try steps().map(\.description).joined(separator: "; ")
    return StagedErrors.readOnly(steps, path: store.place)
  }

  // MARK: Steps

  private func carryOut(_ step: StagedStep) throws {
    if let stage = step.stage, let handler = stage.willMigrateHandler {
      try withContainer(step.source) { try handler(manager, stage) }
    }
    let hasHandler = step.stage?.didMigrateHandler != nil
    if hasHandler { try setUnfinished(step.destination.checksum) }
    try store.carryOut(step, entities: entities(step.destination))
    if let stage = step.stage, hasHandler { try finish(stage) }
  }

  private func finish(_ stage: NSCustomMigrationStage) throws {
    if let handler = stage.didMigrateHandler {
      let next = try version(of: stage.nextModel)
      try withContainer(next) { try handler(manager, stage) }
    }
    try setUnfinished(nil)
  }

  /// The stage whose `didMigrateHandler` has not completed; nil if there is none.
  private var unfinishedStage: NSCustomMigrationStage? {
    // The error is dropped, because opening the store reports a store that cannot be read.
    guard let metadata = try? store.metadata(),
      let version = metadata.values[Self.unfinishedKey] as? String, version == metadata.checksum
    else { return nil }
    return manager.stages.lazy.compactMap { $0 as? NSCustomMigrationStage }
      .first { $0.nextModel.versionChecksum == version }
  }

  private func setUnfinished(_ version: String?) throws {
    do {
      var metadata = try store.metadata()
      metadata.values[Self.unfinishedKey] = version
      try store.setMetadata(metadata)
    } catch {
      throw cocoaError(error)
    }
  }
}
