// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// What users complain of most about contexts and their stores; each would show here again.
@Suite("Complaints about stores", .timeLimit(.minutes(5)))
struct StoreComplaintTests {
  @Test("batches are invisible: contexts that ask for it follow them, others stay as they are")
  func invisibleBatches() throws {
    let stack = try LibraryStack()
    _ = try stack.insert("Tag", [["name": "a"], ["name": "b"]])
    let follower = stack.container.newBackgroundContext()
    follower.automaticallyMergesBatchChanges = true
    func names(_ tags: [NSManagedObject]) -> [String?] {
      tags.map { $0.isDeleted ? nil : $0.text("name") }
    }
    let order = [NSSortDescriptor(key: "name", ascending: true)]
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    request.sortDescriptors = order
    let seen = try follower.performAndWait { try follower.fetch(request) }
    let unseen = try stack.context.fetch(request)
    #expect(follower.performAndWait { names(seen) } == ["a", "b"] && names(unseen) == ["a", "b"])
    _ = try stack.update("Tag", ["name": "c"], where: NSPredicate(format: "name = 'a'"))
    _ = try stack.delete("Tag", where: NSPredicate(format: "name = 'b'"))
    // The merge is in the follower's queue by now.
    #expect(follower.performAndWait { names(seen) } == ["c", nil])
    #expect(names(unseen) == ["a", "b"])
  }

  @Test("batch deletes leave files and children: what rules delete goes, with its files")
  func leftBehind() throws {
    let photos = try StoredPhotos(["blue", "red"])
    let stack = photos.stack
    let covers = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Cover"))
    for cover in covers {
      let book = stack.make("Book", ["title": cover.text("colour") ?? ""])
      book.setValue(cover, forKey: "cover")
      stack.make("Chapter", ["name": "1"]).setValue(book, forKey: "book")
    }
    try stack.context.save()
    #expect(try stack.delete("Book", where: NSPredicate(format: "title = 'red'")) as? Int == 1)
    #expect(try stack.texts("Cover", "colour") == ["blue"])
    #expect(try photos.files() == [photos.names["blue"]])
    let file = SQLFile(url: try #require(try stack.store.url))
    #expect(try file.count("SELECT COUNT(*) FROM ZCHAPTER") == 1)
    #expect(
      try file.count("SELECT COUNT(*) FROM ZCHAPTER WHERE ZBOOK NOT IN (SELECT Z_PK FROM ZBOOK)")
        == 0
    )
  }

  // MARK: Another process

  /// The file of the test that runs in the process `id`; its child finds it by its parent's ID.
  private static func file(of id: Int32) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("complaint-\(id).sqlite")
  }

  private static func open(_ url: URL) throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
    let description = NSPersistentStoreDescription(url: url)
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    description.setOption(
      true as NSNumber,
      forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey
    )
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container
  }

  @Test("changes of other processes are not seen: told at once, and the history says what they are")
  func otherProcesses() async throws {
    let url = Self.file(of: getpid())
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: url.path + suffix)
      }
    }
    let container = try Self.open(url)
    let coordinator = container.persistentStoreCoordinator
    let context = container.newBackgroundContext()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request,
      managedObjectContext: context,
      sectionNameKeyPath: nil,
      cacheName: nil
    )
    let listener = Listener()
    controller.delegate = listener
    try context.performAndWait { try controller.performFetch() }
    let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
    let (summaries, teller) = AsyncStream.makeStream(of: Void.self)
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange,
      object: coordinator,
      queue: nil
    ) { _ in teller.yield() }
    defer { NotificationCenter.default.removeObserver(observer) }
    await #expect(processExitsWith: .success) {
      let container = try StoreComplaintTests.open(StoreComplaintTests.file(of: getppid()))
      let context = container.newBackgroundContext()
      context.transactionAuthor = "extension"
      let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      tag.setValue("theirs", forKey: "name")
      try context.save()
    }
    for await _ in summaries { break }
    try context.performAndWait {
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
      let result = try context.execute(request) as? NSPersistentHistoryResult
      let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
      #expect(transactions.map(\.author) == ["extension"])
      for transaction in transactions {
        context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
      }
      #expect(controller.fetchedObjects?.map { $0.text("name") } == ["theirs"])
      #expect(listener.changes == 1)
    }
  }

  // MARK: -

  @Test("the history grows for ever: what all have read is deleted, with the texts nobody names")
  func growingHistory() throws {
    let history = try HistoryStack()
    history.context.transactionAuthor = "import"
    for number in 0..<10 {
      _ = history.stack.make("Tag", ["name": "\(number)"])
      try history.context.save()
    }
    let token = history.coordinator.currentPersistentHistoryToken(fromStores: nil)
    history.context.transactionAuthor = "app"
    let tag = history.stack.make("Tag", ["name": "last"])
    try history.context.save()
    _ = try history.execute(.deleteHistory(before: token))
    // The token's own transaction stays, so that the token stays good.
    #expect(try history.count("SELECT COUNT(*) FROM ACHANGE") == 2)
    #expect(try history.count("SELECT COUNT(*) FROM ATRANSACTION") == 2)
    #expect(try history.summaries(after: token) == [["insert Tag"]])
    let last = history.coordinator.currentPersistentHistoryToken(fromStores: nil)
    _ = try history.execute(.deleteHistory(before: last))
    #expect(try history.count("SELECT COUNT(*) FROM ACHANGE") == 1)
    #expect(
      try history.count("SELECT COUNT(*) FROM ATRANSACTIONSTRING WHERE ZNAME = 'import'") == 0
    )
    tag.setValue("later", forKey: "name")
    try history.context.save()
    #expect(try history.summaries(after: last) == [["update Tag name"]])
  }

  @Test("faults of deleted objects crash: reading, setting, relating and saving go on")
  func deletedFaults() throws {
    let stack = try LibraryStack()
    let author = stack.make("Author", ["name": "Ende"])
    for title in ["Momo", "Jim Knopf"] {
      stack.make("Book", ["title": title]).setValue(author, forKey: "author")
    }
    try stack.context.save()
    let reader = stack.container.newBackgroundContext()
    let books = author.members("books").map { reader.object(with: $0.objectID) }
    #expect(books.count == 2 && books.allSatisfy(\.isFault))
    let doomed = try #require(author.members("books").first { $0.text("title") == "Momo" })
    stack.context.delete(doomed)
    try stack.context.save()
    let fault = try #require(books.first { $0.objectID == doomed.objectID })
    #expect(fault.text("title") == nil && fault.isDeleted)
    #expect(fault.value(forKey: "author") == nil && fault.members("tags").isEmpty)
    fault.setValue("new", forKey: "title")
    let kept = try #require(books.first { $0 !== fault })
    #expect(kept.text("title") == "Jim Knopf")
    kept.setValue("Lukas", forKey: "title")
    try reader.save()
    #expect(try stack.texts("Book", "title") == ["Lukas"])
    #expect(fault.managedObjectContext == nil && fault.objectID.persistentStore != nil)
  }

  @Test("temporary IDs change under you: permanent ones can be had before the save, and stay")
  func temporaryIDs() throws {
    let stack = try LibraryStack()
    let tags = ["a", "b"].map { stack.make("Tag", ["name": $0]) }
    var notes: [NSManagedObject: String] = [:]
    for tag in tags { notes[tag] = tag.text("name") }
    let temporary = tags[0].objectID
    try stack.context.obtainPermanentIDs(for: tags)
    let byID = Dictionary(uniqueKeysWithValues: tags.map { ($0.objectID, $0.text("name")) })
    #expect(byID.keys.allSatisfy { !$0.isTemporaryID } && tags[0].objectID != temporary)
    try stack.context.save()
    for tag in tags {
      // Objects are the same whatever their ID; IDs from before the save find them still.
      #expect(notes[tag] == tag.text("name") && byID[tag.objectID] == tag.text("name"))
      #expect(stack.context.object(with: tag.objectID) === tag)
    }
    let other = stack.container.newBackgroundContext()
    for (id, name) in byID { #expect(try other.existingObject(with: id).text("name") == name) }
  }

  @Test("external values get lost: they outlive edits, rollbacks, failed saves and their twins")
  func externalValues() throws {
    let model = Library.model()
    let photo = NSAttributeDescription()
    photo.name = "photo"
    photo.attributeType = .binaryDataAttributeType
    photo.allowsExternalBinaryDataStorage = true
    model.entitiesByName["Cover"]?.properties += [photo]
    model.entitiesByName["Cover"]?.uniquenessConstraints = [["colour"]]
    let stack = try LibraryStack(model: model)
    let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
    let cover = stack.make("Cover", ["colour": "red", "photo": bytes])
    let twin = stack.make("Cover", ["colour": "blue", "photo": bytes])
    try stack.context.save()
    func stored() throws -> [Data?] {
      try stack.reread("Cover").map { $0.value(forKey: "photo") as? Data }
    }
    stack.context.delete(twin)
    try stack.context.save()
    #expect(try stored() == [bytes])
    cover.setValue("green", forKey: "colour")
    try stack.context.save()
    cover.setValue(Data(count: 200_000), forKey: "photo")
    stack.context.rollback()
    #expect(cover.value(forKey: "photo") as? Data == bytes)
    cover.setValue(Data(count: 200_000), forKey: "photo")
    _ = stack.make("Cover", ["colour": "green"])
    #expect(throws: (any Error).self) { try stack.context.save() }
    #expect(try stored() == [bytes])
    stack.context.rollback()
    stack.context.refreshAllObjects()
    #expect(cover.value(forKey: "photo") as? Data == bytes)
  }

  @Test("ordered relationships crash or crawl: an edit among many writes few places")
  func orderedRelationships() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let node = try web.node("a")
    node.items = NSOrderedSet(array: (0..<2000).map { web.thing("\($0)") })
    try web.save()
    let items = node.mutableOrderedSetValue(forKey: "items")
    items.insert(web.thing("first"), at: 0)
    items.insert(web.thing("middle"), at: 1000)
    items.moveObjects(at: [2001], to: 1)
    items.removeObject(at: 500)
    let texts = try web.statements { try web.save() }
    let places = texts.filter { $0.contains("SET Z_FOK_OWNER = ?") }
    #expect(places.count <= 4, "\(places.count)")
    var expected = (0..<2000).map { "\($0)" }
    expected.insert("first", at: 0)
    expected.insert("middle", at: 1000)
    expected.insert(expected.remove(at: 2001), at: 1)
    expected.remove(at: 500)
    #expect(try web.reread("a").destinations("items").names == expected)
  }
}

private final class Listener: NSFetchedResultsControllerDelegate {
  private(set) var changes = 0
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    changes += 1
  }
}
