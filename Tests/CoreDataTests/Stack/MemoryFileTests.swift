// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// An SQLite store at `/dev/null`: in memory, with all that SQLite does.
@Suite struct MemoryFileTests {
  private static let place = URL(fileURLWithPath: "/dev/null")

  private func container(
    _ descriptions: [NSPersistentStoreDescription]
  ) throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Memory", managedObjectModel: Library.model())
    container.persistentStoreDescriptions = descriptions
    var failures: [any Error] = []
    container.loadPersistentStores { _, error in error.map { failures.append($0) } }
    if let failure = failures.first { throw failure }
    return container
  }

  @Test("A description made without a URL has that of /dev/null, and is an SQLite store in memory")
  func descriptionWithoutURL() throws {
    let description = NSPersistentStoreDescription()
    #expect(description.url == Self.place)
    #expect(description.url?.absoluteString == "file:///dev/null")
    #expect(description.type == NSSQLiteStoreType)
    let container = try container([description])
    let context = container.newBackgroundContext()
    for name in ["b", "a"] {
      let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      tag.setValue(name, forKey: "name")
    }
    try context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    request.predicate = NSPredicate(format: "name BEGINSWITH[c] 'A'")
    #expect(try container.newBackgroundContext().count(for: request) == 1)
    let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
    #expect(store.url == Self.place)
    #expect(store.type == NSSQLiteStoreType)
    #expect(container.persistentStoreCoordinator.persistentStore(for: Self.place) === store)
  }

  @Test("Two stores at /dev/null share nothing; loading again adds neither a second time")
  func twoStores() throws {
    let container = try container([.init(), .init()])
    let coordinator = container.persistentStoreCoordinator
    #expect(coordinator.persistentStores.count == 2)
    #expect(Set(coordinator.persistentStores.map(\.identifier)).count == 2)
    var called = 0
    container.loadPersistentStores { _, _ in called += 1 }
    #expect(called == 0)
    #expect(coordinator.persistentStores.count == 2)
    let context = container.newBackgroundContext()
    let stores = coordinator.persistentStores
    for (store, count) in zip(stores, [2, 1]) {
      for _ in 0..<count {
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        context.assign(tag, to: store)
      }
    }
    try context.save()
    for (store, count) in zip(stores, [2, 1]) {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.affectedStores = [store]
      #expect(try context.count(for: request) == count)
    }
  }

  @Test("A store in memory is loaded once, too")
  func storeInMemory() throws {
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    let container = try container([description])
    container.loadPersistentStores { _, _ in Issue.record("loaded again") }
    let coordinator = container.persistentStoreCoordinator
    #expect(coordinator.persistentStores.count == 1)
    try coordinator.remove(try #require(coordinator.persistentStores.first))
    container.loadPersistentStores { _, error in #expect(error == nil) }
    #expect(coordinator.persistentStores.count == 1, "a store that was removed is added again")
  }

  @Test("History, batches, pinned contexts and undone saves work at /dev/null, and no file appears")
  func features() throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: "/dev")
      .filter { $0.hasPrefix("null") || $0.hasPrefix(".null") }
    let description = NSPersistentStoreDescription()
    description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
    description.setOption(
      NSNumber(value: true),
      forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey
    )
    let container = try container([description])
    let context = container.newBackgroundContext()
    try context.setQueryGenerationFrom(.current)
    let insert = NSBatchInsertRequest(
      entityName: "Tag",
      objects: (0..<5).map { ["name": "tag \($0)"] }
    )
    try context.execute(insert)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    #expect(try context.count(for: request) == 5)
    let history = try context.execute(
      NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
    )
    let result = try #require(history as? NSPersistentHistoryResult)
    #expect((result.result as? [NSPersistentHistoryTransaction])?.count == 1)
    let after = try FileManager.default.contentsOfDirectory(atPath: "/dev")
      .filter { $0.hasPrefix("null") || $0.hasPrefix(".null") }
    #expect(before == after)
  }
}
