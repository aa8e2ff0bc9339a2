// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Incremental stores")
struct IncrementalStoreTests {
  // MARK: Adding

  @Test("A store of a registered class loads its metadata, is added, and is removed")
  func adding() throws {
    let stack = try IncrementalStack()
    #expect(stack.server.log == ["load", "added"])
    #expect(stack.store is TableStore)
    #expect(stack.store.type == TableStore.type)
    #expect(stack.store.identifier == stack.server.metadata?[NSStoreUUIDKey] as? String)
    #expect(stack.store.url == stack.url)
    #expect(stack.store.configurationName == "PF_DEFAULT_CONFIGURATION_NAME")
    #expect(stack.store.persistentStoreCoordinator === stack.coordinator)
    let hashes = stack.store.metadata[NSStoreModelVersionHashesKey] as? [String: Data]
    #expect(hashes?.count == stack.coordinator.managedObjectModel.entities.count)
    try stack.coordinator.remove(stack.store)
    #expect(stack.server.log == ["load", "added", "removed"])
    #expect(stack.store.persistentStoreCoordinator == nil)
  }

  @Test("An error of loadMetadata is the error of adding the store")
  func failingMetadata() throws {
    let (url, server) = TableStore.newServer()
    server.failure = NSError(domain: "Server", code: 7)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let error = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(type: .init(rawValue: TableStore.type), at: url)
    }
    #expect(error?.domain == "Server" && error?.code == 7)
    #expect(coordinator.persistentStores.isEmpty)
    server.failure = nil
    _ = try coordinator.addPersistentStore(type: .init(rawValue: TableStore.type), at: url)
    #expect(coordinator.persistentStores.count == 1)
  }

  private func failure(_ metadata: [String: Any]) throws -> NSError? {
    let (url, server) = TableStore.newServer()
    server.metadata = metadata
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    return #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(type: .init(rawValue: TableStore.type), at: url)
    }
  }

  @Test("Metadata of another type, without a UUID, or of another model are refused (PSC-2)")
  func wrongMetadata() throws {
    let type = try failure([NSStoreTypeKey: "Other", NSStoreUUIDKey: "A"])
    #expect(type?.code == NSPersistentStoreTypeMismatchError)
    #expect(type?.localizedFailureReason?.contains("“Other”") == true)
    let identifier = try failure([NSStoreTypeKey: TableStore.type])
    #expect(identifier?.code == NSPersistentStoreOpenError)
    let model = try failure([
      NSStoreTypeKey: TableStore.type, NSStoreUUIDKey: "A",
      NSStoreModelVersionHashesKey: ["Book": Data([1])],
    ])
    #expect(model?.code == NSPersistentStoreIncompatibleVersionHashError)
    #expect(model?.localizedFailureReason?.contains("Book") == true)
    #expect((model?.userInfo["metadata"] as? [String: Any])?[NSStoreUUIDKey] as? String == "A")
  }

  @Test("A type without a class is refused; registering nil removes a class (REG-1)")
  func registering() throws {
    final class Shelf: NSIncrementalStore, @unchecked Sendable {}
    let type = NSPersistentStore.StoreType(rawValue: "Shelf")
    NSPersistentStoreCoordinator.registerStoreClass(Shelf.self, type: type)
    let value = try #require(NSPersistentStoreCoordinator.registeredStoreTypes["Shelf"])
    var found: AnyClass = NSObject.self
    value.getValue(&found)
    #expect(found is Shelf.Type)
    #expect(NSPersistentStoreCoordinator.registeredStoreTypes[NSSQLiteStoreType] != nil)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let url = try #require(URL(string: "shelf://a"))
    // The class loads no metadata.
    let bare = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(type: type, at: url)
    }
    #expect(bare?.code == NSPersistentStoreOpenError)
    NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: "Shelf")
    #expect(NSPersistentStoreCoordinator.registeredStoreTypes["Shelf"] == nil)
    let unknown = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(type: type, at: url)
    }
    #expect(unknown?.code == NSPersistentStoreInvalidTypeError)
  }

  @Test("Metadata are read and written by the class, without a stack")
  func metadataOfClass() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    let type = NSPersistentStore.StoreType(rawValue: TableStore.type)
    var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: type,
      at: stack.url
    )
    #expect(metadata[NSStoreUUIDKey] as? String == stack.store.identifier)
    metadata["mine"] = 1
    try NSPersistentStoreCoordinator.setMetadata(metadata, type: type, at: stack.url)
    #expect(stack.server.metadata?["mine"] as? Int == 1)
  }

  @Test("Metadata that a program sets reach the store with a request whose collections are nil")
  func metadataRequest() throws {
    let stack = try IncrementalStack()
    stack.server.log = []
    stack.coordinator.setMetadata(["mine": "now"], for: stack.store)
    #expect(stack.server.log == ["save nil nil nil"])
    #expect(stack.server.metadata?["mine"] as? String == "now")
    #expect(stack.server.metadata?[NSStoreUUIDKey] as? String == stack.store.identifier)
    stack.store.metadata["other"] = "later"
    #expect(stack.server.metadata?["other"] == nil)
    try stack.context.performAndWait { try stack.context.save() }
    #expect(stack.server.metadata?["other"] as? String == "later")
    stack.server.log = []
    try stack.context.performAndWait { try stack.context.save() }
    #expect(stack.server.log == [])
  }

  // MARK: Fetching

  @Test("A fetch passes the whole request, and returns faults whose values are read when they fire")
  func fetching() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    try stack.context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
      request.fetchLimit = 1
      let found = try stack.context.fetch(request)
      #expect(found.count == 1)
      #expect(stack.server.calls("fetch") == ["fetch Book"])
      stack.server.log = []
      #expect(found[0].isFault)
      #expect(found[0].entity.name == "Novel")
      #expect(found[0].value(forKey: "title") as? String == "Zauberberg")
      #expect(stack.server.log.count == 1)
      #expect(found[0].value(forKey: "pages") as? Int == 1002)
      #expect(stack.server.log.count == 1)
    }
  }

  @Test("A fetch returns IDs, counts and dictionaries")
  func resultTypes() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    try stack.context.performAndWait {
      let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
      ids.resultType = .managedObjectIDResultType
      #expect(Set(try stack.context.fetch(ids).map(\.entity.name)) == ["Book", "Novel"])
      let count = NSFetchRequest<NSManagedObject>(entityName: "Book")
      #expect(try stack.context.count(for: count) == 2)
      count.predicate = NSPredicate(format: "author.name == 'Mann' AND pages > 500")
      #expect(try stack.context.count(for: count) == 1)
      let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
      rows.resultType = .dictionaryResultType
      rows.propertiesToFetch = ["title", "author"]
      rows.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      let found = try stack.context.fetch(rows)
      #expect(found.map { $0["title"] as? String } == ["Essays", "Zauberberg"])
      let author = try #require(found[0]["author"] as? NSManagedObjectID)
      #expect(stack.context.object(with: author).value(forKey: "name") as? String == "Mann")
    }
  }

  @Test("Unsaved changes are part of a fetch, and batches, lazy fetches and prefetching work")
  func fetchForms() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    try stack.context.performAndWait {
      _ = stack.make("Book", ["title": "Briefe", "pages": 5])
      let book = try stack.book("Essays")
      book.setValue("Aufsätze", forKey: "title")
      #expect(
        try stack.books().map { $0.value(forKey: "title") as? String }
          == ["Aufsätze", "Briefe", "Zauberberg"]
      )
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      request.fetchBatchSize = 1
      request.relationshipKeyPathsForPrefetching = ["author"]
      #expect(
        try stack.context.fetch(request).map { $0.value(forKeyPath: "author.name") as? String }
          == ["Mann", nil, "Mann"]
      )
      #expect(Array(try stack.context.fetchLazily(request)).count == 3)
      request.returnsObjectsAsFaults = false
      stack.context.rollback()
      stack.context.reset()
      #expect(try stack.context.fetch(request).count == 2)
      request.fetchBatchSize = 0
      stack.context.reset()
      #expect(try stack.context.fetch(request).allSatisfy { !$0.isFault })
    }
  }

  @Test("An asynchronous fetch runs on the context's queue")
  func asynchronous() async throws {
    let stack = try IncrementalStack()
    try stack.fill()
    let context = stack.context
    let titles = await context.perform {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      return request
    }
    let count = try await context.fetchAsynchronously(titles).count
    #expect(count == 2)
  }

  // MARK: Faults

  @Test("A to-one that the node lacks is requested once, a to-many when it is read (INC-2)")
  func relationships() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    stack.server.nodesOmitReferences = true
    try stack.context.performAndWait {
      let book = try stack.book("Essays")
      stack.context.refresh(book, mergeChanges: false)
      stack.server.log = []
      let author = book.value(forKey: "author") as? NSManagedObject
      #expect(author?.isFault == true)
      #expect(stack.server.calls("author").count == 1)
      _ = book.value(forKey: "author")
      #expect(stack.server.calls("author").count == 1)
      #expect(stack.server.calls("tags").isEmpty)
      #expect((book.value(forKey: "tags") as? NSSet)?.count == 1)
      _ = book.value(forKey: "tags")
      #expect(stack.server.calls("tags").count == 1)
      stack.context.refresh(book, mergeChanges: false)
      _ = book.value(forKey: "tags")
      #expect(stack.server.calls("tags").count == 2)
    }
  }

  @Test("An object that is gone is a missing object; an error of the class passes through")
  func missing() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    try stack.context.performAndWait {
      let book = try stack.book("Essays")
      let id = book.objectID
      stack.context.reset()
      let reference = try #require(
        stack.server.reference(of: "Book", where: "title", is: "Essays")
      )
      stack.server.unreadable = [reference]
      let failure = #expect(throws: NSError.self) { try stack.context.existingObject(with: id) }
      #expect(failure?.code == CocoaError.Code.fileReadUnknown.rawValue)
      stack.server.unreadable = []
      stack.server.records[reference] = nil
      let gone = #expect(throws: NSError.self) { try stack.context.existingObject(with: id) }
      #expect(gone?.code == NSManagedObjectReferentialIntegrityError)
      let fault = stack.context.object(with: id)
      #expect(fault.value(forKey: "title") == nil)
      #expect(fault.isDeleted)
    }
  }

  // MARK: Registered objects

  @Test("Registered and unregistered objects are reported in pairs (INC-4)")
  func hints() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    stack.coordinator.registrations.waitForReports()
    #expect(stack.server.registered.values.allSatisfy { $0 == 0 })
    let second = stack.newContext()
    try stack.context.performAndWait {
      let books = try stack.books()
      try second.performAndWait {
        let others = try stack.books(in: second)
        stack.coordinator.registrations.waitForReports()
        #expect(stack.server.registered.values.filter { $0 == 2 }.count == 2)
        withExtendedLifetime(others) {}
      }
      withExtendedLifetime(books) {}
    }
    second.performAndWait { second.reset() }
    stack.context.performAndWait { stack.context.reset() }
    stack.coordinator.registrations.waitForReports()
    #expect(stack.server.registered.values.allSatisfy { $0 == 0 })
  }
}
