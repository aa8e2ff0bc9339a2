// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Atomic stores")
struct AtomicStoreTests {
  /// The library's model with an `AtomicTableStore`.
  private final class Stack {
    let url: URL
    let server: TableServer
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let store: NSPersistentStore
    let context = NSManagedObjectContext(.privateQueue)

    init(like other: Stack? = nil, options: [AnyHashable: Any]? = nil) throws {
      (url, server) = other.map { ($0.url, $0.server) } ?? AtomicTableStore.newServer()
      store = try coordinator.addPersistentStore(
        type: .init(rawValue: AtomicTableStore.type),
        at: url,
        options: options
      )
      context.persistentStoreCoordinator = coordinator
    }

    func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
      let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      object.setValuesForKeys(values)
      return object
    }

    func fill() throws {
      try context.performAndWait {
        let author = make("Author", ["name": "Mann"])
        let book = make("Book", ["title": "Essays", "pages": 320, "author": author])
        let tag = make("Tag", ["name": "german"])
        book.mutableSetValue(forKey: "tags").add(tag)
        for name in ["one", "two"] {
          let chapter = make("Chapter", ["name": name])
          book.mutableOrderedSetValue(forKey: "chapters").insert(chapter, at: 0)
        }
        _ = make("Novel", ["title": "Zauberberg", "pages": 1002, "author": author])
        try context.save()
        context.reset()
      }
    }

    func titles(_ format: String, _ argument: Any) throws -> [String] {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSPredicate(format: format, argumentArray: [argument])
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      return try context.fetch(request).compactMap { $0.value(forKey: "title") as? String }
    }
  }

  @Test("Saved nodes are loaded again with values, relationships and order (ATM-1)")
  func reloading() throws {
    let stack = try Stack()
    try stack.fill()
    #expect(stack.server.log == ["load", "save 6"])
    let again = try Stack(like: stack)
    try again.context.performAndWait {
      #expect(try again.titles("author.name == %@", "Mann") == ["Essays", "Zauberberg"])
      #expect(try again.titles("ANY tags.name == %@", "german") == ["Essays"])
      #expect(try again.titles("pages > %@", 500) == ["Zauberberg"])
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSPredicate(format: "title == 'Essays'")
      let book = try #require(try again.context.fetch(request).first)
      let chapters = (book.value(forKey: "chapters") as? NSOrderedSet)?.array
      #expect(
        chapters?.map { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
          == ["two", "one"]
      )
    }
  }

  @Test("IDs are made of the reference objects, and identify the same object after a reload")
  func identity() throws {
    let stack = try Stack()
    try stack.fill()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Novel")
    let id = try #require(
      try stack.context.performAndWait { try stack.context.fetch(request) }.first?
        .objectID
    )
    let store = try #require(stack.store as? AtomicTableStore)
    let node = try #require(store.cacheNode(for: id))
    #expect(node.value(forKey: "title") as? String == "Zauberberg")
    #expect(store.cacheNodes().count == 6 && store.cacheNodes().contains(node))
    let again = try Stack(like: stack)
    let same = again.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
    #expect(same == id)
    try again.context.performAndWait {
      let object = try again.context.existingObject(with: id)
      #expect(object.value(forKey: "title") as? String == "Zauberberg")
    }
  }

  @Test("Deleted objects lose their nodes after a call of willRemoveCacheNodes")
  func deleting() throws {
    let stack = try Stack()
    try stack.fill()
    try stack.context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
      stack.context.delete(try #require(try stack.context.fetch(request).first))
      try stack.context.save()
    }
    // The author, its two books, and the two chapters of one of them.
    #expect(stack.server.log.suffix(2) == ["remove 5", "save 1"])
    #expect(stack.server.records.values.map(\.entity) == ["Tag"])
  }

  @Test("Where save() throws, nodes, objects and the store keep their former state")
  func failing() throws {
    let stack = try Stack()
    try stack.fill()
    try stack.context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Novel")
      let novel = try #require(try stack.context.fetch(request).first)
      novel.setValue("Felix Krull", forKey: "title")
      let tag = stack.make("Tag", ["name": "new"])
      stack.server.failure = NSError(domain: "Disk", code: 5)
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.domain == "Disk" && error?.code == 5)
      let store = try #require(stack.store as? AtomicTableStore)
      #expect(store.cacheNodes().count == 6)
      #expect(
        store.cacheNode(for: novel.objectID)?.value(forKey: "title") as? String == "Zauberberg"
      )
      #expect(novel.hasChanges && tag.isInserted)
      stack.server.failure = nil
      try stack.context.save()
      #expect(store.cacheNodes().count == 7)
      #expect(stack.server.reference(of: "Novel", where: "title", is: "Felix Krull") != nil)
    }
  }

  @Test("A store that cannot be loaded is not added, and the error passes through")
  func failingLoad() throws {
    let stack = try Stack()
    stack.server.failure = NSError(domain: "Disk", code: 6)
    let error = #expect(throws: NSError.self) { try Stack(like: stack) }
    #expect(error?.domain == "Disk" && error?.code == 6)
  }

  @Test("A node with a value of another type is an error that names it")
  func wrongValue() throws {
    let stack = try Stack()
    try stack.fill()
    let reference = try #require(
      stack.server.reference(of: "Book", where: "title", is: "Essays")
    )
    stack.server.records[reference]?.values["pages"] = "many"
    let error = #expect(throws: NSError.self) { try Stack(like: stack) }
    #expect(error?.code == NSPersistentStoreOperationError)
    #expect(error?.localizedFailureReason?.contains("Book.pages") == true)
  }

  @Test("Conflicts are found by the saves of other contexts")
  func conflicts() throws {
    let stack = try Stack()
    try stack.fill()
    let second = NSManagedObjectContext(.privateQueue)
    second.persistentStoreCoordinator = stack.coordinator
    try stack.context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Novel")
      let novel = try #require(try stack.context.fetch(request).first)
      _ = novel.value(forKey: "title")
      try second.performAndWait {
        try second.existingObject(with: novel.objectID).setValue(1, forKey: "pages")
        try second.save()
      }
      novel.setValue("Mine", forKey: "title")
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try stack.context.save()
      #expect(novel.value(forKey: "pages") as? Int == 1)
    }
  }

  @Test("Metadata are saved with the nodes, and a read-only store takes no saves")
  func settings() throws {
    let stack = try Stack()
    stack.coordinator.setMetadata(["mine": 3], for: stack.store)
    #expect(stack.server.metadata?["mine"] as? Int == 3)
    let reader = try Stack(like: stack, options: [NSReadOnlyPersistentStoreOption: true])
    #expect(reader.store.identifier == stack.store.identifier)
    reader.context.performAndWait {
      _ = reader.make("Tag", ["name": "a"])
      let error = #expect(throws: NSError.self) { try reader.context.save() }
      #expect(error?.code == NSPersistentStoreOperationError)
    }
  }

  @Test("A node has no values until some are set (ATM-2)")
  func nodes() throws {
    let stack = try Stack()
    let store = try #require(stack.store as? AtomicTableStore)
    let entity = try #require(stack.coordinator.managedObjectModel.entitiesByName["Tag"])
    let node = NSAtomicStoreCacheNode(
      objectID: store.objectID(for: entity, withReferenceObject: "x")
    )
    #expect(node.propertyCache == nil)
    #expect(node.value(forKey: "name") == nil)
    node.setValue("red", forKey: "name")
    #expect(node.propertyCache?["name"] as? String == "red")
    node.setValue(nil, forKey: "name")
    #expect(node.value(forKey: "name") == nil)
  }

  @Test("New objects get a node, and changed ones update theirs (ATM-1)")
  func nodesOfSaves() throws {
    let stack = try Stack()
    try stack.fill()
    let store = try #require(stack.store as? AtomicTableStore)
    let all = ["Author": 1, "Book": 1, "Novel": 1, "Tag": 1, "Chapter": 2]
    #expect(store.created == all && store.updated == all)
    try stack.context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Novel")
      let novel = try #require(try stack.context.fetch(request).first)
      novel.setValue(1, forKey: "pages")
      try stack.context.save()
      #expect(store.cacheNode(for: novel.objectID)?.value(forKey: "pages") as? Int == 1)
    }
    #expect(store.created == all && store.updated["Novel"] == 2)
  }
}
