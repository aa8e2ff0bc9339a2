// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite

extension NSMigrationManager {
  /// Migrates a store into another one; see `migrateStore(from:type:options:mapping:to:type:options:)`.
  func migrate(
    _ from: MigratedStore,
    to: MigratedStore,
    with mappingModel: NSMappingModel
  ) throws {
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
    let target = try MigrationTarget(to)
    defer { target.discard() }
    do {
      try destination.open(target.work)
    } catch {
      throw MigrationErrors.destinationStore(error, to.url)
    }
    do {
      defer { destination.close() }
      try sourceContext.performAndWait {
        try destinationContext.performAndWait { try MappingRun(self, plans.all).run() }
      }
      destination.metadata.merge(source.metadata) { own, _ in own }
    }
    try target.finish()
  }
}

extension MigratedStore {
  /// The store, which is only read and not migrated by being added.
  fileprivate var asSource: MigratedStore {
    var store = self
    store.options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true)
    store.options[NSMigratePersistentStoresAutomaticallyOption] = nil
    store.options[NSInferMappingModelAutomaticallyOption] = nil
    store.options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
    return store
  }
}

/// The destination of a migration: a working file beside it, which replaces it when the migration is complete.
private struct MigrationTarget {
  private let destination: MigratedStore
  /// The store that the migration writes.
  let work: MigratedStore

  /// - Throws: 134160 if the destination is not a store in a file, or if the existing store cannot be copied.
  init(_ destination: MigratedStore) throws {
    self.destination = destination
    var work = destination
    let name = ".\(destination.url.lastPathComponent).migration-\(UUID().uuidString).sqlite"
    work.url = destination.url.deletingLastPathComponent().appendingPathComponent(name)
    self.work = work
    do {
      try NSPersistentStoreCoordinator.requireDatabase(
        at: destination.url,
        destination.type,
        "The store at \(destination.url.absoluteString) cannot be the destination of a migration."
      )
      if FileManager.default.fileExists(atPath: destination.url.path) {
        try Self.replace(work, by: destination)
      }
    } catch {
      discard()
      throw MigrationErrors.destinationStore(error, destination.url)
    }
  }

  /// Moves the working file to the destination.
  func finish() throws {
    do {
      try Self.replace(destination, by: work)
    } catch {
      throw MigrationErrors.destinationStore(error, destination.url)
    }
  }

  private static func replace(_ store: MigratedStore, by other: MigratedStore) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
    try coordinator.replacePersistentStore(
      at: store.url,
      destinationOptions: store.options,
      withPersistentStoreFrom: other.url,
      sourceOptions: other.options,
      ofType: store.type
    )
  }

  /// Removes the working file.
  func discard() {
    StoreFiles(path: work.url.path, timeout: 0).remove()
  }
}
