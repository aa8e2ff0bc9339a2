// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSMigrationManager {
  /// Migrates a store into another one; see `migrateStore(from:type:options:mapping:to:type:options:)`.
  func migrate(
    _ from: MigratedStore,
    to: MigratedStore,
    with mappingModel: NSMappingModel
  ) throws {
    try carryOut(mappingModel, from) { try MigrationTarget(to) }.finish()
  }

  /// Migrates a store into a working file; `finish()` of the result replaces the store with the file.
  func migrated(_ url: URL, with mappingModel: NSMappingModel) throws -> MigrationTarget {
    let store = MigratedStore(type: NSSQLiteStoreType, url: url, options: [:])
    return try carryOut(mappingModel, store) { MigrationTarget(replacing: store) }
  }

  /// Carries out a mapping model, and returns the target with the complete working file.
  private func carryOut(
    _ mappingModel: NSMappingModel,
    _ from: MigratedStore,
    into makeTarget: () throws -> MigrationTarget
  ) throws -> MigrationTarget {
    if state.plans != nil { throw MigrationErrors.alreadyRunning() }
    reset()
    let plans = try MappingPlans(mappingModel, self)
    state.begin(mappingModel, plans)
    defer {
      state.end()
      reset()
    }
    do {
      try source.open(from.asSource)
    } catch {
      throw MigrationErrors.sourceStore(error, from.url)
    }
    defer { source.close() }
    let target = try makeTarget()
    do {
      try destination.open(target.work)
    } catch {
      throw MigrationErrors.destinationStore(error, target.url)
    }
    defer { destination.close() }
    try sourceContext.performAndWait {
      try destinationContext.performAndWait { try MappingRun(self, plans.all).run() }
    }
    destination.metadata.merge(source.metadata) { own, _ in own }
    return target
  }
}

extension MigratedStore {
  /// The store with options with which adding the store neither changes nor migrates it.
  fileprivate var asSource: MigratedStore {
    var store = self
    store.options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true)
    store.options[NSMigratePersistentStoresAutomaticallyOption] = nil
    store.options[NSInferMappingModelAutomaticallyOption] = nil
    store.options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
    return store
  }
}
