// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Models and metadata of stores that are not open")
struct CachedModelTests {
  @Test("The model that a store keeps opens the store")
  func cachedModel() throws {
    let stack = try LibraryStack()
    _ = stack.make("Book", ["title": "a"])
    try stack.context.save()
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let url = try #require(store.url)
    let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
    #expect(model.entityVersionHashesByName == Library.model().entityVersionHashesByName)
    #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: store.metadata))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(type: .sqlite, at: url)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
    #expect(books.map { $0.value(forKey: "title") as? String } == ["a"])
  }

  @Test("A store without a copy of its model, and a file that is no store, are errors")
  func noModel() throws {
    let stack = try LibraryStack()
    let coordinator = stack.container.persistentStoreCoordinator
    let store = try #require(coordinator.persistentStores.first)
    let url = try #require(store.url)
    try coordinator.remove(store)
    func code(_ url: URL, _ text: String) -> Int? {
      let error = #expect(throws: NSError.self) {
        try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
      }
      let message = (error?.localizedFailureReason ?? "") + (error?.localizedDescription ?? "")
      #expect(message.contains(text), "\(message)")
      return error?.code
    }
    try SQLFile(url: url).run("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'")
    #expect(code(url, "has no copy of its model that can be read: ") == 134_070)
    try SQLFile(url: url).run("DROP TABLE Z_MODELCACHE")
    #expect(code(url, "NSManagedObjectModel(storedAt:)") == 134_070)
    let none = stack.folder.appendingPathComponent("none.sqlite")
    #expect(code(none, "does not exist") == 134_080)
    try Data("text, and no database".utf8).write(to: none)
    #expect(code(none, "is not a database") == 259)
  }

  @Test("Deprecated methods for metadata determine the type of the store")
  @available(*, deprecated, message: "tests what is deprecated")
  func formerMetadata() throws {
    let stack = try LibraryStack()
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let url = try #require(store.url)
    typealias Coordinator = NSPersistentStoreCoordinator
    for type in [NSSQLiteStoreType, nil] as [String?] {
      let mark = type ?? "nil"
      try Coordinator.setMetadata(["mark": mark], forPersistentStoreOfType: type, at: url)
      let read = try Coordinator.metadataForPersistentStore(ofType: type, at: url)
      #expect(read["mark"] as? String == mark)
      #expect(read[NSStoreUUIDKey] as? String == store.identifier)
    }
    let read = try Coordinator.metadataForPersistentStore(with: url)
    #expect(read[NSStoreTypeKey] as? String == NSSQLiteStoreType)
    let custom = try IncrementalStack()
    let found = try Coordinator.metadataForPersistentStore(ofType: nil as String?, at: custom.url)
    #expect(found[NSStoreTypeKey] as? String == TableStore.type)
    let none = stack.folder.appendingPathComponent("none.sqlite")
    let missing = #expect(throws: NSError.self) {
      try Coordinator.metadataForPersistentStore(with: none)
    }
    #expect(missing?.code == 260)
    let unknown = #expect(throws: NSError.self) {
      try Coordinator.metadataForPersistentStore(ofType: "Odd" as String?, at: url)
    }
    #expect(unknown?.code == 134_000)
  }
}
