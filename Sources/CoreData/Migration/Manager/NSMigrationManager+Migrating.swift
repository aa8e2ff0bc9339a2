// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

extension NSMigrationManager {
  /// Migrates a store into another one; see `migrateStore(from:type:options:mapping:to:type:options:)`.
  func migrate(
    _ from: MigratedStore,
    to: MigratedStore,
    with mappingModel: NSMappingModel
  ) throws {
    if let specific = try storeMigration(from, to, with: mappingModel) {
      if state.plans != nil { throw MigrationErrors.alreadyRunning() }
      return try specific.run()
    }
    try running(mappingModel) { plans in
      let target = try MigrationTarget(to, model: destination.model)
      if from.isSame(as: to), FileManager.default.fileExists(atPath: to.url.path) {
        if MigrationTarget.isWholeFile(to.type) { throw MigrationErrors.sameFile(to.url) }
        let model = try source.model.freeze().definition
        do {
          try target.replace(source: model, where: { _ in true }) { work in
            try carryOut(plans, from, into: work)
          }
        } catch let error as StoreError {
          throw MigrationErrors.destinationStore(error, to.url)
        }
      } else {
        try target.fill { work in try carryOut(plans, from, into: work) }
      }
    }
  }

  /// Migrates a store in place, for a coordinator that adds the store.
  ///
  /// Does nothing if another process has already migrated the store.
  /// - Throws: `StoreError` if the store cannot be written; the errors of `migrateStore`.
  func migrate(
    _ store: MigratedStore,
    _ settings: SQLiteStoreOptions,
    with mappingModel: NSMappingModel
  ) throws {
    try running(mappingModel) { plans in
      let (old, new) = try (source.model.freeze().definition, destination.model.freeze().definition)
      let target = MigrationTarget(store, settings: settings, model: new)
      func isNeeded(_ version: StoreVersion) throws -> Bool {
        if version.obstacles(toOpeningWith: new, entities: settings.entities).isEmpty {
          return false
        }
        if version.isVersion(old) { return true }
        throw StoreError(
          .migration,
          "another program has changed the store's model meanwhile; open the store again",
          path: settings.path
        )
      }
      var source = store
      // The store of a configuration lacks the version hashes of the entities outside the configuration, so
      // the hashes must not be checked when the store is opened with the whole model.
      if settings.entities != nil { source.options[NSIgnorePersistentStoreVersioningOption] = true }
      try target.replace(source: old, where: isNeeded) { work in
        try carryOut(plans, source, into: work)
      }
    }
  }

  /// Returns the migration in SQL that has the same result as the mapping model.
  ///
  /// Returns nil unless the mapping model is an unchanged inferred one, both stores are SQLite stores, and
  /// the destination either does not exist or is the source. Also returns nil for a subclass of the manager,
  /// because a migration in SQL does not call the methods that the subclass overrides.
  private func storeMigration(
    _ from: MigratedStore,
    _ to: MigratedStore,
    with mappingModel: NSMappingModel
  ) throws -> StoreSpecificMigration? {
    guard usesStoreSpecificMigrationManager, type(of: self) == NSMigrationManager.self,
      let inferred = mappingModel.inferred, from.type == NSSQLiteStoreType,
      to.type == NSSQLiteStoreType, from.url.isFileURL, to.url.isFileURL,
      FileManager.default.fileExists(atPath: from.url.path),
      from.isSame(as: to) || !FileManager.default.fileExists(atPath: to.url.path)
    else { return nil }
    let (old, new) = try (sourceModel.freeze().definition, destinationModel.freeze().definition)
    return inferred.mapping(of: mappingModel, from: old, to: new).map {
      StoreSpecificMigration(mapping: $0, from: from, to: to, model: destinationModel)
    }
  }

  /// Runs `body` with the checked plans of the mapping model, as the migration of this manager.
  private func running(
    _ mappingModel: NSMappingModel,
    _ body: (MappingPlans) throws -> Void
  ) throws {
    if state.plans != nil { throw MigrationErrors.alreadyRunning() }
    state.forgetCancellation()
    reset()
    let plans = try MappingPlans(mappingModel, self)
    try state.checkCancellation()
    state.begin(mappingModel, plans)
    defer {
      state.end()
      reset()
    }
    try body(plans)
  }

  /// Carries out the plans; the working file is complete and closed afterwards.
  private func carryOut(
    _ plans: MappingPlans,
    _ from: MigratedStore,
    into work: MigratedStore
  ) throws {
    do {
      try source.open(from.asSource)
    } catch {
      throw MigrationErrors.sourceStore(error, from.url)
    }
    defer { source.close() }
    do {
      try destination.open(work)
    } catch {
      throw MigrationErrors.destinationStore(error, work.url)
    }
    defer { destination.close() }
    try sourceContext.performAndWait {
      try destinationContext.performAndWait { try MappingRun(self, plans.all).run() }
    }
    destination.metadata.merge(source.metadata) { own, _ in own }
  }
}
