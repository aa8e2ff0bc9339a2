// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// XML and binary stores through the coordinator: PSC-14.
@Suite("XML and binary stores")
struct WholeFileStoreTests {
  static let types: [NSPersistentStore.StoreType] = [.xml, .binary]

  /// A context of a new coordinator with the store at the URL.
  static func context(
    _ type: NSPersistentStore.StoreType,
    _ url: URL,
    options: [AnyHashable: Any]? = nil,
    model: NSManagedObjectModel = Library.model()
  ) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(type: type, at: url, options: options)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private static func titles(_ context: NSManagedObjectContext) throws -> [String] {
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      return try context.fetch(request).compactMap { $0.value(forKey: "title") as? String }
    }
  }

  private static func fill(_ stack: LibraryStack) throws -> NSManagedObject {
    let author = stack.make("Author", ["name": "Mann"])
    let tag = stack.make("Tag", ["name": "german"])
    let book = stack.make("Book", ["title": "Essays", "pages": 320, "author": author])
    book.mutableSetValue(forKey: "tags").add(tag)
    for name in ["one", "two"] {
      book.mutableOrderedSetValue(forKey: "chapters").insert(
        stack.make("Chapter", ["name": name]),
        at: 0
      )
    }
    _ = stack.make("Novel", ["title": "Zauberberg", "pages": 1002, "author": author])
    try stack.context.save()
    return book
  }

  /// Checks the objects of `fill`.
  private static func check(_ context: NSManagedObjectContext) throws {
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSPredicate(format: "ANY tags.name == 'german'")
      let book = try #require(try context.fetch(request).first)
      #expect(book.value(forKeyPath: "author.name") as? String == "Mann")
      #expect(book.value(forKey: "pages") as? Int == 320)
      let chapters = (book.value(forKey: "chapters") as? NSOrderedSet)?.array ?? []
      #expect(
        chapters.map { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
          == ["two", "one"]
      )
    }
    #expect(try titles(context) == ["Essays", "Zauberberg"])
  }

  @Test("Objects are saved, and read by another coordinator under the same URIs", arguments: types)
  func saving(_ type: NSPersistentStore.StoreType) throws {
    let stack = try LibraryStack(type.rawValue)
    let book = try Self.fill(stack)
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    #expect(store.type == type.rawValue && !store.isReadOnly)
    let again = try Self.context(type, try #require(store.url))
    try Self.check(again)
    let coordinator = try #require(again.persistentStoreCoordinator)
    let uri = book.objectID.uriRepresentation()
    let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
    try again.performAndWait {
      let same = try again.existingObject(with: id)
      #expect(same.value(forKey: "title") as? String == "Essays")
    }
    stack.context.delete(book)
    try stack.context.save()
    #expect(try Self.titles(try Self.context(type, try #require(store.url))) == ["Zauberberg"])
  }

  @Test("Two contexts that change one object are in conflict", arguments: types)
  func conflicts(_ type: NSPersistentStore.StoreType) throws {
    let stack = try LibraryStack(type.rawValue)
    let book = try Self.fill(stack)
    let other = stack.container.newBackgroundContext()
    try other.performAndWait {
      try other.existingObject(with: book.objectID).setValue(1, forKey: "pages")
      try other.save()
    }
    book.setValue("Mine", forKey: "title")
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try stack.context.save()
    #expect(book.value(forKey: "pages") as? Int == 1)
  }

  @Test("Metadata are read and written with and without a coordinator", arguments: types)
  func metadata(_ type: NSPersistentStore.StoreType) throws {
    let stack = try LibraryStack(type.rawValue)
    _ = try Self.fill(stack)
    let coordinator = stack.container.persistentStoreCoordinator
    let store = try #require(coordinator.persistentStores.first)
    let url = try #require(store.url)
    coordinator.setMetadata(["mine": 3], for: store)
    let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: type, at: url)
    #expect(read["mine"] as? Int == 3 && read[NSStoreTypeKey] as? String == type.rawValue)
    #expect(read[NSStoreUUIDKey] as? String == store.identifier)
    #expect(
      stack.container.managedObjectModel.isConfiguration(
        withName: nil,
        compatibleWithStoreMetadata: read
      )
    )
    try coordinator.remove(store)
    try NSPersistentStoreCoordinator.setMetadata(["mine": 4], type: type, at: url)
    let context = try Self.context(type, url)
    let again = try #require(context.persistentStoreCoordinator?.persistentStores.first)
    #expect(again.metadata["mine"] as? Int == 4)
    #expect(again.identifier == store.identifier)
    try Self.check(context)
  }

  @Test(
    "A destroyed store has no file, and a replaced one has the other's objects",
    arguments: types
  )
  func files(_ type: NSPersistentStore.StoreType) throws {
    let stack = try LibraryStack(type.rawValue)
    _ = try Self.fill(stack)
    let coordinator = stack.container.persistentStoreCoordinator
    let url = try #require(coordinator.persistentStores.first?.url)
    let copy = stack.folder.appendingPathComponent("Copy")
    try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: url, type: type)
    try Self.check(try Self.context(type, copy))
    try coordinator.destroyPersistentStore(at: url, type: type)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    #expect(coordinator.persistentStores.isEmpty)
    try Data("<x/>".utf8).write(to: url)
    let error = #expect(throws: NSError.self) {
      try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: url, type: type)
    }
    #expect(error?.code == CocoaError.fileReadCorruptFile.rawValue)
    try Self.check(try Self.context(type, copy))
  }

  @Test("PSC-8 after setURL saves are written to the new URL", arguments: types)
  func moved(_ type: NSPersistentStore.StoreType) throws {
    let stack = try LibraryStack(type.rawValue)
    let book = try Self.fill(stack)
    let coordinator = stack.container.persistentStoreCoordinator
    let store = try #require(coordinator.persistentStores.first)
    let old = try #require(store.url)
    let new = stack.folder.appendingPathComponent("New")
    #expect(coordinator.setURL(new, for: store))
    #expect(!FileManager.default.fileExists(atPath: new.path))
    book.setValue("Later", forKey: "title")
    try stack.context.save()
    #expect(store.url == new)
    #expect(try Self.titles(try Self.context(type, new)) == ["Later", "Zauberberg"])
    #expect(try Self.titles(try Self.context(type, old)) == ["Essays", "Zauberberg"])
  }

  @Test("What such stores cannot do is an error that says so", arguments: types)
  func refusals(_ type: NSPersistentStore.StoreType) throws {
    func code(_ body: () throws -> Void) -> Int? {
      #expect(throws: NSError.self, performing: body)?.code
    }
    let stack = try LibraryStack(type.rawValue)
    _ = try Self.fill(stack)
    let url = stack.folder.appendingPathComponent("Other")
    let history = [NSPersistentHistoryTrackingKey: true]
    #expect(code { _ = try Self.context(type, url, options: history) } == 134_070)
    let remote = try #require(URL(string: "https://example.com/a"))
    #expect(code { _ = try Self.context(type, remote) } == 134_080)
    #expect(code { _ = try Self.context(type, URL(fileURLWithPath: "/dev/null")) } == 134_080)
    #expect(code { _ = try Self.context(type, URL(fileURLWithPath: "/no/such/file")) } == 134_080)
    let batch = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Book"))
    #expect(code { try stack.context.execute(batch) } == 134_091)
    try Data("damaged".utf8).write(to: url)
    #expect(code { _ = try Self.context(type, url) } == 259)
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let reader = try Self.context(
      type,
      try #require(store.url),
      options: [NSReadOnlyPersistentStoreOption: true]
    )
    try Self.check(reader)
    reader.performAndWait {
      _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: reader)
      #expect(code { try reader.save() } == 134_070)
    }
  }

  @Test("A save after another coordinator has written the file changes nothing", arguments: types)
  func otherWriter(_ type: NSPersistentStore.StoreType) throws {
    let stack = try LibraryStack(type.rawValue)
    _ = try Self.fill(stack)
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let other = try Self.context(type, try #require(store.url))
    try other.performAndWait {
      _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: other)
      try other.save()
    }
    _ = stack.make("Book", ["title": "Lost"])
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(error?.localizedFailureReason?.contains("add it again") == true)
    #expect(stack.context.hasChanges)
    #expect(
      try Self.titles(try Self.context(type, try #require(store.url))) == ["Essays", "Zauberberg"]
    )
  }

  // MARK: Migrating

  private static let kinds: [NSPersistentStore.StoreType] = [.sqlite, .inMemory, .xml, .binary]

  @Test(
    "Stores migrate between all types, and objects keep their identity",
    arguments: kinds,
    kinds
  )
  func migrating(
    _ first: NSPersistentStore.StoreType,
    _ second: NSPersistentStore.StoreType
  ) throws {
    let stack = try LibraryStack(first.rawValue)
    let book = try Self.fill(stack)
    let coordinator = stack.container.persistentStoreCoordinator
    let store = try #require(coordinator.persistentStores.first)
    coordinator.setMetadata(["mine": 3], for: store)
    let url = stack.folder.appendingPathComponent("Migrated")
    let new = try coordinator.migratePersistentStore(store, to: url, type: second)
    #expect(coordinator.persistentStores == [new] && new.type == second.rawValue)
    #expect(new.identifier != store.identifier && new.metadata["mine"] as? Int == 3)
    #expect(book.objectID.persistentStore === new || !book.isFault)
    book.setValue("Essays II", forKey: "title")
    _ = stack.make("Book", ["title": "New"])
    try stack.context.save()
    if second == .inMemory { return }
    let again = try Self.context(second, url)
    #expect(try Self.titles(again) == ["Essays II", "New", "Zauberberg"])
    let ids = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Chapter"))
    for chapter in ids {
      let uri = chapter.objectID.uriRepresentation()
      let id = again.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri)
      try again.performAndWait {
        let same = try again.existingObject(with: try #require(id))
        #expect(same.value(forKey: "name") as? String == chapter.value(forKey: "name") as? String)
      }
    }
  }

  @Test("A migration that fails leaves the store in use", arguments: types)
  func failedMigration(_ type: NSPersistentStore.StoreType) throws {
    let stack = try LibraryStack()
    _ = try Self.fill(stack)
    let coordinator = stack.container.persistentStoreCoordinator
    let store = try #require(coordinator.persistentStores.first)
    let error = #expect(throws: NSError.self) {
      try coordinator.migratePersistentStore(
        store,
        to: URL(fileURLWithPath: "/no/such/folder/Store"),
        type: type
      )
    }
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(coordinator.persistentStores == [store])
    _ = stack.make("Tag", ["name": "x"])
    try stack.context.save()
  }

  @Test("A custom store is migrated to XML, and a migration to a custom store is an error")
  func customStores() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("migrated-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    let new = try stack.coordinator.migratePersistentStore(stack.store, to: url, type: .xml)
    #expect(try Self.titles(try Self.context(.xml, url)) == ["Essays", "Zauberberg"])
    let error = #expect(throws: NSError.self) {
      try stack.coordinator.migratePersistentStore(
        new,
        to: stack.url,
        type: NSPersistentStore.StoreType(rawValue: TableStore.type)
      )
    }
    #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
    #expect(stack.coordinator.persistentStores == [new])
  }

  @Test("Code that a save calls can read a store in memory that is being saved")
  func readingWhileSaving() throws {
    let stack = try IncrementalStack()
    try stack.coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/m"))
    let memory = try #require(stack.coordinator.persistentStores.last)
    var count: Int?
    stack.server.onSave = {
      let reader = stack.newContext()
      count = try reader.performAndWait {
        try reader.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
      }
    }
    try stack.context.performAndWait {
      let tag = stack.make("Tag", ["name": "x"])
      stack.context.assign(tag, to: memory)
      _ = stack.make("Tag", ["name": "y"])
      try stack.context.save()
    }
    #expect(count == 0)
  }
}
