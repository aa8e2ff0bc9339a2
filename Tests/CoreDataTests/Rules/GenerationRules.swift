// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Rules of query generations (behaviour.md §17, CTX-6, PC-7)")
struct GenerationRules {
  private let stack: LibraryStack
  private let writer: NSManagedObjectContext
  private let pinned: NSManagedObjectContext
  private let author: NSManagedObject
  private let books: [NSManagedObject]

  /// An author of two books, both of 1 page, and a context that has not read anything.
  init() throws {
    stack = try LibraryStack()
    writer = stack.context
    author = stack.make("Author", ["name": "Ada"])
    books = ["a", "b"].map { [stack, author] in
      stack.make("Book", ["title": $0, "pages": 1, "author": author])
    }
    try writer.save()
    pinned = stack.container.newBackgroundContext()
  }

  private static var books: NSFetchRequest<NSManagedObject> { NSFetchRequest(entityName: "Book") }

  private func titles(_ context: NSManagedObjectContext) throws -> [String] {
    try context.fetch(Self.books).compactMap { $0.text("title") }.sorted()
  }

  /// Changes, deletes and adds a book, and a tag for the first one.
  private func writeMore() throws {
    books[0].setValue(2, forKey: "pages")
    books[0].setValue("A", forKey: "title")
    writer.delete(books[1])
    _ = stack.make("Book", ["title": "c", "pages": 1, "author": author])
    stack.make("Tag", ["name": "new"]).setValue(Set([books[0]]), forKey: "books")
    try writer.save()
  }

  @Test("QG-1 fetches, counts, faults and relationships show the moment of the first read")
  func pinning() throws {
    try pinned.setQueryGenerationFrom(.current)
    #expect(pinned.queryGenerationToken == .current)
    #expect(try titles(pinned) == ["a", "b"])
    let token = try #require(pinned.queryGenerationToken)
    #expect(token != .current)
    let gone = books[1].objectID
    let request = Self.books
    try writeMore()
    #expect(try titles(pinned) == ["a", "b"])
    #expect(try pinned.count(for: request) == 2)
    let changed = pinned.object(with: books[0].objectID)
    pinned.refresh(changed, mergeChanges: false)
    #expect(changed.text("title") == "a" && changed.int("pages") == 1)
    #expect(changed.members("tags").isEmpty)
    let reader = pinned.object(with: author.objectID)
    #expect(Set(reader.members("books").compactMap { $0.text("title") }) == ["a", "b"])
    #expect(try pinned.existingObject(with: gone).text("title") == "b")
    #expect(pinned.queryGenerationToken == token)
    // A context that is not pinned reads what is there now.
    #expect(try titles(stack.container.newBackgroundContext()) == ["A", "c"])
  }

  @Test("QG-1 the moment is that of the next read, not that of the setting")
  func lazily() throws {
    try pinned.setQueryGenerationFrom(.current)
    try writeMore()
    #expect(try titles(pinned) == ["A", "c"])
  }

  @Test("QG-1 nil ends the pinning")
  func unpinning() throws {
    try pinned.setQueryGenerationFrom(.current)
    _ = try titles(pinned)
    try writeMore()
    try pinned.setQueryGenerationFrom(nil)
    #expect(pinned.queryGenerationToken == nil)
    pinned.refreshAllObjects()
    #expect(try titles(pinned) == ["A", "c"])
  }

  @Test("QG-1 another context's token pins to the same moment, as long as somebody holds it")
  func sharing() throws {
    try pinned.setQueryGenerationFrom(.current)
    _ = try titles(pinned)
    try writeMore()
    let second = stack.container.newBackgroundContext()
    try second.setQueryGenerationFrom(pinned.queryGenerationToken)
    #expect(second.queryGenerationToken == pinned.queryGenerationToken)
    try pinned.setQueryGenerationFrom(nil)
    #expect(try titles(second) == ["a", "b"])
  }

  @Test(
    "QG-1 stores in memory and without a write-ahead log are read as they are",
    arguments: [NSInMemoryStoreType, NSSQLiteStoreType]
  )
  func withoutMoments(_ type: String) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    try coordinator.addPersistentStore(
      ofType: type,
      configurationName: nil,
      at: stack.folder.appendingPathComponent("other.sqlite"),
      options: type == NSSQLiteStoreType ? [NSSQLitePragmasOption: ["journal_mode": "DELETE"]] : nil
    )
    let contexts = (0..<2).map { _ in
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      return context
    }
    try contexts[0].setQueryGenerationFrom(.current)
    #expect(try titles(contexts[0]).isEmpty)
    #expect(contexts[0].queryGenerationToken == nil)
    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: contexts[1])
    book.setValue("new", forKey: "title")
    try contexts[1].save()
    #expect(try titles(contexts[0]) == ["new"])
  }

  enum Step: CaseIterable { case set, save, failedSave, merge, remoteMerge, reset, refresh }

  @Test(
    "QG-2 setting, saves, merges and a reset go on to the newest moment; a refresh does not",
    arguments: Step.allCases
  )
  func advancing(_ step: Step) throws {
    try pinned.setQueryGenerationFrom(.current)
    _ = try titles(pinned)
    try writeMore()
    var isNewest = true
    switch step {
    case .set: try pinned.setQueryGenerationFrom(.current)
    case .save:
      NSEntityDescription.insertNewObject(forEntityName: "Tag", into: pinned)
        .setValue("own", forKey: "name")
      try pinned.save()
    case .failedSave:
      pinned.object(with: books[0].objectID).setValue(9, forKey: "pages")
      #expect(throws: NSError.self) { try pinned.save() }
      pinned.rollback()
      isNewest = false
    case .merge:
      pinned.mergeChanges(
        fromContextDidSave: Notification(
          name: .NSManagedObjectContextDidSave,
          object: writer,
          userInfo: [:]
        )
      )
    case .remoteMerge:
      NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [:], into: [pinned])
    case .reset: pinned.reset()
    case .refresh:
      pinned.refreshAllObjects()
      isNewest = false
    }
    pinned.refreshAllObjects()
    #expect(try titles(pinned) == (isNewest ? ["A", "c"] : ["a", "b"]))
    #expect(pinned.queryGenerationToken != nil)
  }

  @Test("QG-2 registered objects keep their values until they are refreshed")
  func registered() throws {
    let book = try pinned.existingObject(with: books[0].objectID)
    try pinned.setQueryGenerationFrom(.current)
    try writeMore()
    try pinned.setQueryGenerationFrom(.current)
    #expect(try titles(pinned) == ["a", "c"] && book.text("title") == "a")
    pinned.refreshAllObjects()
    #expect(book.text("title") == "A")
  }

  @Test("QG-3 stores that are added later are not seen, and reading a removed one fails")
  func otherStores() throws {
    let coordinator = stack.container.persistentStoreCoordinator
    try pinned.setQueryGenerationFrom(.current)
    _ = try titles(pinned)
    let added = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: stack.folder.appendingPathComponent("added.sqlite")
    )
    let book = stack.make("Book", ["title": "added"])
    writer.assign(book, to: added)
    try writer.save()
    #expect(try titles(pinned) == ["a", "b"])
    #expect(throws: CocoaError.self) { try pinned.existingObject(with: book.objectID) }
    try coordinator.remove(try #require(coordinator.persistentStores.first))
    let error = #expect(throws: NSError.self) { try titles(pinned) }
    #expect(error?.code == NSPersistentStoreOperationError)
    try pinned.setQueryGenerationFrom(.current)
    #expect(try titles(pinned) == ["added"])
  }

  @Test("QG-4 a pinned reader hinders no writer, and the log is emptied when it is gone")
  func writers() throws {
    try pinned.setQueryGenerationFrom(.current)
    _ = try titles(pinned)
    // A writer that had to wait for the reader would fail at once.
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let url = try #require(stack.container.persistentStoreDescriptions.first?.url)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: [NSPersistentStoreTimeoutOption: 0]
    )
    let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    other.persistentStoreCoordinator = coordinator
    for round in 0..<50 {
      for number in 0..<40 {
        NSEntityDescription.insertNewObject(forEntityName: "Tag", into: other)
          .setValue("\(round) \(number)", forKey: "name")
      }
      try other.save()
    }
    let tags = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    #expect(try pinned.count(for: tags) == 0)
    try pinned.setQueryGenerationFrom(nil)
    #expect(try pinned.count(for: tags) == 2000)
    #expect(throws: Never.self) { try SQLFile(url: url).run("PRAGMA wal_checkpoint(TRUNCATE)") }
    let log = try FileManager.default.attributesOfItem(atPath: url.path + "-wal")[.size] as? Int
    #expect(log == 0)
  }

  @Test("QG-4 the save of a pinned context meets the newest rows, and resolves conflicts with them")
  func conflicts() throws {
    try pinned.setQueryGenerationFrom(.current)
    let copy = try pinned.existingObject(with: books[0].objectID)
    try writeMore()
    copy.setValue("mine", forKey: "title")
    let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: pinned)
    tag.setValue("own", forKey: "name")
    tag.setValue(Set([copy]), forKey: "books")
    let error = #expect(throws: NSError.self) { try pinned.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    let conflicts =
      error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    #expect(conflicts?.first?.cachedSnapshot?["title"] as? String == "A")
    // A save that fails leaves the moment as it was.
    #expect(try pinned.existingObject(with: books[1].objectID).text("title") == "b")
    pinned.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    try pinned.save()
    #expect(copy.text("title") == "mine" && copy.int("pages") == 2)
    // What the resolution reads besides the conflict's row is the newest too.
    #expect(Set(copy.members("tags").compactMap { $0.text("name") }) == ["own", "new"])
    #expect(try stack.reread("Book").compactMap { $0.text("title") }.sorted() == ["c", "mine"])
  }

  @Test("CTX-6 a reset keeps the context pinned, to the newest moment")
  func reset() throws {
    try pinned.setQueryGenerationFrom(.current)
    _ = try titles(pinned)
    try writeMore()
    pinned.reset()
    #expect(try titles(pinned) == ["A", "c"])
    books[0].setValue("later", forKey: "title")
    try writer.save()
    pinned.refreshAllObjects()
    #expect(try titles(pinned) == ["A", "c"])
  }

  @Test("PC-7 a child has no token and cannot be pinned; it reads what its parent reads")
  func children() throws {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = pinned
    try pinned.setQueryGenerationFrom(.current)
    #expect(try titles(child) == ["a", "b"])
    try writeMore()
    #expect(try titles(child) == ["a", "b"])
    #expect(child.object(with: books[0].objectID).members("tags").isEmpty)
    #expect(child.queryGenerationToken == nil && pinned.queryGenerationToken != .current)
    let error = #expect(throws: NSError.self) { try child.setQueryGenerationFrom(.current) }
    #expect(error?.code == NSCoreDataError)
    #expect(error?.localizedFailureReason?.contains("parent") == true)
  }

  @Test("§11 the notifications of a pinned context carry its new moment")
  func notifications() throws {
    // Posted and read on one thread.
    nonisolated(unsafe) var tokens: [NSQueryGenerationToken?] = []
    let names: [NSNotification.Name] = [
      .NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs,
      .NSManagedObjectContextDidMergeChangesObjectIDs,
    ]
    let observers = names.map {
      NotificationCenter.default.addObserver(forName: $0, object: pinned, queue: nil) {
        tokens.append(
          $0.userInfo?[NSManagedObjectContextQueryGenerationKey] as? NSQueryGenerationToken
        )
      }
    }
    defer { observers.forEach(NotificationCenter.default.removeObserver) }
    try pinned.save()
    try pinned.setQueryGenerationFrom(.current)
    let former = pinned.queryGenerationToken
    try pinned.save()
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [:], into: [pinned])
    #expect(tokens.count == 5 && tokens[0] == nil && tokens[1] == nil)
    #expect(tokens[2] != nil && tokens[2] == tokens[3] && tokens[2] != former)
    #expect(tokens[4] == pinned.queryGenerationToken && tokens[4] != tokens[3])
  }

  @Test("Tokens are equal where they name one moment, and are coded by its name")
  func coding() throws {
    func coded(_ token: NSQueryGenerationToken) throws -> NSQueryGenerationToken? {
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: NSQueryGenerationToken.self,
        from: NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
      )
    }
    #expect(try coded(.current) == .current)
    try pinned.setQueryGenerationFrom(.current)
    _ = try titles(pinned)
    var token = try #require(pinned.queryGenerationToken)
    #expect(token.copy() as? NSQueryGenerationToken == token && token.hash == token.hash)
    try writeMore()
    var decoded = try #require(try coded(token))
    #expect(decoded == token)
    let second = stack.container.newBackgroundContext()
    try second.setQueryGenerationFrom(decoded)
    #expect(try titles(second) == ["a", "b"])
    // Nobody holds the moment any more.
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: token,
      requiringSecureCoding: true
    )
    try pinned.setQueryGenerationFrom(nil)
    try second.setQueryGenerationFrom(nil)
    token = .current
    decoded = .current
    let late = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: NSQueryGenerationToken.self,
      from: archive
    )
    #expect(throws: NSError.self) { try second.setQueryGenerationFrom(late) }
  }

  @Test("A token of another coordinator is refused")
  func strangers() throws {
    let other = try LibraryStack()
    try other.context.setQueryGenerationFrom(.current)
    _ = try titles(other.context)
    let error = #expect(throws: NSError.self) {
      try pinned.setQueryGenerationFrom(other.context.queryGenerationToken)
    }
    #expect(error?.localizedFailureReason?.contains("other than the context's") == true)
    let lone = NSManagedObjectContext(.privateQueue)
    let none = #expect(throws: NSError.self) {
      try lone.setQueryGenerationFrom(other.context.queryGenerationToken)
    }
    #expect(none?.localizedFailureReason?.contains("no persistent store coordinator") == true)
    #expect(pinned.queryGenerationToken == nil)
  }

  @Test("QG-1 what another process saves is not seen before the context goes on")
  func processes() async throws {
    let url = Self.file(of: getpid())
    defer { Self.remove(url) }
    let context = try Self.open(url)
    let writer = try Self.open(url)
    NSEntityDescription.insertNewObject(forEntityName: "Book", into: writer)
      .setValue("first", forKey: "title")
    try writer.save()
    try context.setQueryGenerationFrom(.current)
    #expect(try titles(context) == ["first"])
    await #expect(processExitsWith: .success) {
      let context = try GenerationRules.open(GenerationRules.file(of: getppid()))
      NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        .setValue("child", forKey: "title")
      try context.save()
    }
    #expect(try titles(context) == ["first"])
    try context.setQueryGenerationFrom(.current)
    #expect(try titles(context) == ["child", "first"])
  }

  private static func file(of id: Int32) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("generation-\(id).sqlite")
  }

  private static func remove(_ url: URL) {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
    }
  }

  private static func open(_ url: URL) throws -> NSManagedObjectContext {
    let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container.newBackgroundContext()
  }
}
