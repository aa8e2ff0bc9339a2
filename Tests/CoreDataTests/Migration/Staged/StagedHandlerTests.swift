// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The handlers of custom stages, and what a failing handler leaves.
@Suite struct StagedHandlerTests {
  private struct Refusal: Error {}

  /// The moments at which handlers ran.
  private final class Record: @unchecked Sendable {
    // Unchecked: handlers run on the thread of the test.
    var lines: [String] = []
  }

  /// Adds a line for each handler of the stage to `record`, with the attributes of the container's model.
  private static func observe(_ stage: NSCustomMigrationStage, _ record: Record) {
    func handler(
      _ when: String
    )
      -> (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void
    {
      { manager, stage in
        let container = try #require(manager.container)
        let model = container.managedObjectModel
        let attributes = model.entitiesByName["Person"]?.attributesByName.keys.sorted() ?? []
        let context = container.newBackgroundContext()
        let people = try context.performAndWait { try StagedStore.people(context) }
        record.lines.append("\(when): \(attributes.joined(separator: " ")): \(people)")
      }
    }
    stage.willMigrateHandler = handler("will")
    stage.didMigrateHandler = handler("did")
  }

  @Test("Handlers have the current model before the step and the next model after it")
  func models() throws {
    let store = try StagedStore(1, names: ["Ada"])
    let record = Record()
    let stages = [StagedModels.custom(1, 2), StagedModels.custom(2, 3)]
    for stage in stages { Self.observe(stage, record) }
    try store.migrate(to: 4, stages + [StagedModels.lightweight(4)])
    #expect(
      record.lines == [
        #"will: name: ["Ada"]"#, #"did: name nick: ["Ada none"]"#,
        #"will: name nick: ["Ada none"]"#, #"did: city name nick: ["Ada none"]"#,
      ]
    )
  }

  @Test("What handlers save is in the migrated store")
  func changes() throws {
    let store = try StagedStore(1)
    let stage = StagedModels.custom(1, 2)
    func people(
      _ manager: NSStagedMigrationManager,
      _ body: (NSManagedObject) -> Void
    ) throws {
      let context = try #require(manager.container?.newBackgroundContext())
      try context.performAndWait {
        for person in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")) {
          body(person)
        }
        try context.save()
      }
    }
    stage.willMigrateHandler = { manager, _ in
      try people(manager) { $0.setValue("Dr \($0.value(forKey: "name") ?? "")", forKey: "name") }
    }
    stage.didMigrateHandler = { manager, _ in
      try people(manager) { $0.setValue("from \($0.value(forKey: "nick") ?? "")", forKey: "nick") }
    }
    #expect(
      try store.migrate(to: 3, [stage, StagedModels.lightweight(3)]) == [
        "Dr Ada from none", "Dr Bob from none",
      ]
    )
  }

  @Test("A container is there only while a handler runs, and its store is removed afterwards")
  func containerEnds() throws {
    let store = try StagedStore(1)
    let stage = StagedModels.custom(1, 2)
    let manager = NSStagedMigrationManager([stage])
    var kept: NSPersistentContainer?
    stage.didMigrateHandler = { manager, own in
      kept = manager.container
      #expect(own === stage && kept?.persistentStoreCoordinator.persistentStores.count == 1)
      #expect(kept?.persistentStoreDescriptions.first?.url == store.url)
    }
    #expect(manager.container == nil && manager.stages == [stage])
    try store.open(
      StagedModels.model(2),
      options: [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSPersistentStoreStagedMigrationManagerOptionKey: manager,
      ]
    ) { _ in }
    #expect(manager.container == nil)
    #expect(kept?.persistentStoreCoordinator.persistentStores == [])
  }

  @Test("The description of a container carries the manager")
  func container() throws {
    let store = try StagedStore(1)
    let description = NSPersistentStoreDescription(url: store.url)
    description.setOption(
      NSStagedMigrationManager([StagedModels.custom(1, 2), StagedModels.lightweight(3)]),
      forKey: NSPersistentStoreStagedMigrationManagerOptionKey
    )
    let container = NSPersistentContainer(name: "People", managedObjectModel: StagedModels.model(3))
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let context = container.newBackgroundContext()
    let people = try context.performAndWait { try StagedStore.people(context) }
    #expect(people == ["Ada none", "Bob none"])
  }

  // MARK: Failures

  @Test("An error of willMigrateHandler is passed on, and the store stays at the current version")
  func failingBefore() throws {
    let store = try StagedStore(1)
    let stage = StagedModels.custom(2, 3)
    stage.willMigrateHandler = { _, _ in throw Refusal() }
    let stages = [StagedModels.lightweight(1), stage]
    #expect(throws: Refusal.self) { try store.migrate(to: 3, stages) }
    #expect(try store.version == 2)
    stage.willMigrateHandler = nil
    #expect(try store.migrate(to: 3, stages) == ["Ada none", "Bob none"])
  }

  @Test("A didMigrateHandler that throws runs again in the next migration")
  func failingAfter() throws {
    let store = try StagedStore(1)
    let stage = StagedModels.custom(1, 2)
    var calls = 0
    stage.didMigrateHandler = { manager, _ in
      calls += 1
      #expect(manager.container?.managedObjectModel.versionChecksum == StagedModels.checksum(2))
      if calls < 3 { throw Refusal() }
    }
    let stages = [stage, StagedModels.lightweight(3)]
    for expected in 1...2 {
      #expect(throws: Refusal.self) { try store.migrate(to: 3, stages) }
      #expect(try calls == expected && store.version == 2)
    }
    #expect(try store.migrate(to: 3, stages) == ["Ada none", "Bob none"])
    #expect(calls == 3)
    try store.migrate(to: 3, stages)
    #expect(calls == 3)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType,
      at: store.url
    )
    #expect(metadata.keys.filter { $0.contains("Unfinished") } == [])
  }

  @Test("A handler that throws runs again although the store has the model's version")
  func failingAtEnd() throws {
    let store = try StagedStore(1)
    let stage = StagedModels.custom(1, 2)
    var calls = 0
    stage.didMigrateHandler = { _, _ in
      calls += 1
      if calls == 1 { throw Refusal() }
    }
    #expect(throws: Refusal.self) { try store.migrate(to: 2, [stage]) }
    #expect(try store.migrate(to: 2, [stage]) == ["Ada none", "Bob none"])
    #expect(calls == 2)
  }

  @Test("No handler runs if a later step is not possible")
  func checkedFirst() throws {
    let store = try StagedStore(1)
    let stage = StagedModels.custom(1, 2)
    stage.willMigrateHandler = { _, _ in Issue.record("a handler ran") }
    let missing = NSManagedObjectModelReference(
      fileURL: store.folder.appendingPathComponent("None.mom"),
      versionChecksum: StagedModels.checksum(3)
    )
    let last = NSCustomMigrationStage(migratingFrom: missing, to: StagedModels.reference(4))
    let error = #expect(throws: NSError.self) { try store.migrate(to: 4, [stage, last]) }
    #expect(error?.code == NSManagedObjectModelReferenceNotFoundError)
    #expect(error?.localizedFailureReason?.contains("None.mom") == true)
    #expect(try store.version == 1)
  }

  @Test("Two threads that add one old store at once run each handler once")
  func twoThreads() async throws {
    let store = try StagedStore(1)
    let record = Record()
    let path = store.url
    let lock = NSLock()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let stage = StagedModels.custom(1, 2)
          stage.willMigrateHandler = { _, _ in lock.withLock { record.lines.append("will") } }
          stage.didMigrateHandler = { _, _ in lock.withLock { record.lines.append("did") } }
          let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StagedModels.model(2))
          do {
            try coordinator.addPersistentStore(
              ofType: NSSQLiteStoreType,
              configurationName: nil,
              at: path,
              options: [
                NSMigratePersistentStoresAutomaticallyOption: true,
                NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage]),
              ]
            )
          } catch {
            Issue.record(error)
          }
        }
      }
    }
    #expect(record.lines == ["will", "did"])
    let names = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
    #expect(names.filter { $0.hasSuffix("-migration") } == [])
  }
}
