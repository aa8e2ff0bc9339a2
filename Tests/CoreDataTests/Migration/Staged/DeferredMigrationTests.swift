// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// DEF-1: the mark of a migration that is to be finished.
@Suite struct DeferredMigrationTests {
  private static let key = NSPersistentStoreDeferredLightweightMigrationOptionKey

  private func coordinator(
    _ store: StagedStore,
    _ version: Int,
    readOnly: Bool = false
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StagedModels.model(version))
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: store.url,
      options: [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true, Self.key: true,
        NSReadOnlyPersistentStoreOption: readOnly,
      ]
    )
    return coordinator
  }

  private func isMarked(_ coordinator: NSPersistentStoreCoordinator) -> Bool {
    coordinator.persistentStores.contains { $0.metadata[Self.key] != nil }
  }

  @Test(
    "DEF-1: the metadata has the option's key from the migration until it is finished",
    arguments: [true, false]
  )
  func mark(isTask: Bool) throws {
    let store = try StagedStore(1)
    for _ in 1...2 {
      let coordinator = try coordinator(store, 2)
      #expect(isMarked(coordinator))
      try coordinator.persistentStores.forEach(coordinator.remove)
    }
    let migrated = try coordinator(store, 2)
    if isTask {
      try migrated.finishDeferredLightweightMigrationTask()
    } else {
      try migrated.finishDeferredLightweightMigration()
    }
    #expect(!isMarked(migrated))
    try migrated.finishDeferredLightweightMigrationTask()
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = migrated
    #expect(
      try context.performAndWait { try StagedStore.people(context) } == ["Ada none", "Bob none"]
    )
  }

  @Test("DEF-1: a store that needs no migration has no mark")
  func noMigration() throws {
    let coordinator = try coordinator(StagedStore(2), 2)
    #expect(!isMarked(coordinator))
    try coordinator.finishDeferredLightweightMigration()
  }

  @Test("A migration of a read-only store cannot be finished")
  func readOnly() throws {
    let store = try StagedStore(1)
    let first = try coordinator(store, 2)
    try first.persistentStores.forEach(first.remove)
    let reader = try coordinator(store, 2, readOnly: true)
    let error = #expect(throws: NSError.self) { try reader.finishDeferredLightweightMigration() }
    #expect(error?.code == CocoaError.fileWriteNoPermission.rawValue)
    #expect(isMarked(reader))
  }
}
