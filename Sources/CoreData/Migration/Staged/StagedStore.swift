// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// What a staged migration does with the store that it migrates.
protocol StagedStore {
  /// The path or URL of the store, for error texts.
  var place: String { get }
  var isReadOnly: Bool { get }

  /// Returns the metadata of the store.
  ///
  /// - Throws: `StoreError` if the store does not exist, or cannot be read.
  func metadata() throws -> StoreMetadata

  /// Replaces the application's entries of the metadata.
  ///
  /// - Throws: `StoreError`.
  func setMetadata(_ metadata: StoreMetadata) throws

  /// Runs `body` while no other process or thread migrates the store in stages.
  ///
  /// - Throws: `StoreError.busy` if another one still does after the timeout; errors of `body`.
  func exclusively(_ body: () throws -> Void) throws

  /// Returns the model that created the store; `model` is that of the coordinator.
  ///
  /// - Throws: `NSMigrationMissingSourceModelError` if the model is not found; `StoreError`.
  func sourceModel(_ model: NSManagedObjectModel) throws -> AutomaticMigration.Source

  /// Migrates the store by one step, in one transaction; `entities` are those of the store's configuration in the
  /// version after the step, nil for all.
  ///
  /// - Throws: the errors of `AutomaticMigration.carryOut(_:_:)`.
  func carryOut(_ step: StagedStep, entities: Set<String>?) throws
}

/// A store in an SQLite file that is migrated in stages.
struct StagedFile: StagedStore {
  let settings: SQLiteStoreOptions

  var place: String { settings.path }
  var isReadOnly: Bool { settings.isReadOnly }
  private var files: StoreFiles { StoreFiles(path: settings.path, timeout: settings.timeout) }

  func metadata() throws -> StoreMetadata {
    guard FileManager.default.fileExists(atPath: settings.path) else {
      throw StoreError(.cannotOpen, "the file does not exist", path: settings.path)
    }
    return try files.metadata()
  }

  func setMetadata(_ metadata: StoreMetadata) throws { try files.setMetadata(metadata) }

  func exclusively(_ body: () throws -> Void) throws {
    let lock = try MigrationLock(store: settings.path, timeout: settings.timeout)
    try withExtendedLifetime(lock, body)
  }

  func sourceModel(_ model: NSManagedObjectModel) throws -> AutomaticMigration.Source {
    try migration(model.freeze().definition, model, settings).sourceModel()
  }

  func carryOut(_ step: StagedStep, entities: Set<String>?) throws {
    var settings = settings
    settings.entities = entities
    try migration(step.destination.definition, step.destination.model, settings)
      .carryOut(step.mapping, settings)
  }

  private func migration(
    _ model: ModelDefinition,
    _ shell: NSManagedObjectModel,
    _ settings: SQLiteStoreOptions
  ) -> AutomaticMigration {
    AutomaticMigration(settings: settings, model: model, shell: shell, infersMapping: true)
  }
}
