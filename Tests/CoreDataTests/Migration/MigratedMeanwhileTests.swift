// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel

/// A coordinator that has a store open with the old model while another one migrates the store.
@Suite("Stores that are migrated while they are open")
struct MigratedMeanwhileTests {
  private static let book =
    #"<entity name="Book"><attribute name="title" optional="YES" attributeType="String"/>"#
  private static let old = book + "</entity>" + #"<entity name="Shop"/>"#
  /// The new entity has the number of the old `Book`, and `Book` that of `Shop`.
  private static let renumbered = #"<entity name="Author"/>"# + old
  private static let wider =
    book + #"<attribute name="pages" optional="YES" attributeType="Integer 32"/></entity>"#
    + #"<entity name="Shop"/>"#

  /// A store that a coordinator has open with the old model, with one book.
  private final class Opened {
    let file: MigratedFile
    let coordinator: NSPersistentStoreCoordinator
    let context = NSManagedObjectContext(.privateQueue)
    let book: NSManagedObject

    init(
      _ file: MigratedFile? = nil,
      model: String = MigratedMeanwhileTests.old,
      options: [AnyHashable: Any] = [:]
    ) throws {
      self.file = try file ?? MigratedFile()
      let draft = try InferredMigrationTests.draft(model)
      coordinator = NSPersistentStoreCoordinator(managedObjectModel: .tools(draft))
      try coordinator.addPersistentStore(type: .sqlite, at: self.file.url, options: options)
      context.persistentStoreCoordinator = coordinator
      book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
      book.setValue("first", forKey: "title")
      try context.save()
    }

    func migrate(to model: String, _ options: [AnyHashable: Any] = [:]) throws {
      try file.migrate(to: InferredMigrationTests.draft(model), options: options)
    }

    func insertBook(_ title: String) -> NSManagedObject {
      let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
      book.setValue(title, forKey: "title")
      return book
    }

    func titles() throws -> [String?] {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      return try context.fetch(request).map { $0.value(forKey: "title") as? String }
    }

    /// Reads the book in another context.
    func object() throws -> NSManagedObject {
      let other = NSManagedObjectContext(.privateQueue)
      other.persistentStoreCoordinator = coordinator
      return try other.existingObject(with: book.objectID)
    }

    /// Expects that `body` throws the error of a store that another coordinator has migrated.
    func expectRefusal(
      _ name: String,
      _ location: SourceLocation = #_sourceLocation,
      _ body: () throws -> Void
    ) {
      let error = #expect(throws: NSError.self, "\(name)", sourceLocation: location) { try body() }
      let text = "\(name): \(error?.localizedFailureReason ?? "")"
      #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError, "\(text)")
      #expect(error?.userInfo[NSFilePathErrorKey] as? String == file.url.path, "\(text)")
      #expect(text.contains("has migrated the store"), "\(text)")
    }
  }

  // MARK: Writing

  @Test(
    "A save with the old model is refused, changes neither the file nor the context, and names the way out",
    arguments: ["WAL", "DELETE"]
  )
  func save(_ mode: String) throws {
    let options = [NSSQLitePragmasOption: ["journal_mode": mode] as NSDictionary]
    let opened = try Opened(options: options)
    try opened.migrate(to: Self.renumbered, options)
    let before = try SQLFile(url: opened.file.url).content()
    let late = opened.insertBook("late")
    opened.book.setValue("changed", forKey: "title")
    for _ in 0..<2 {
      let error = #expect(throws: NSError.self) { try opened.context.save() }
      #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
      #expect(error?.localizedDescription.contains("was migrated to another version") == true)
      #expect(error?.localizedFailureReason?.contains("Author") == true)
      #expect(error?.localizedRecoverySuggestion?.contains("new version of the model") == true)
      #expect(error?.userInfo[NSFilePathErrorKey] as? String == opened.file.url.path)
    }
    #expect(opened.context.insertedObjects == [late] && late.objectID.isTemporaryID)
    #expect(opened.context.updatedObjects == [opened.book])
    #expect(opened.book.changedValues()["title"] as? String == "changed")
    #expect(try SQLFile(url: opened.file.url).content() == before)
    for store in opened.coordinator.persistentStores { try opened.coordinator.remove(store) }

    let new = try Opened(opened.file, model: Self.renumbered, options: options)
    #expect(try new.titles() == ["first", "first"])
    new.book.setValue("second", forKey: "title")
    try new.context.save()
    #expect(try new.titles() == ["first", "second"])
    let books = "SELECT COUNT(*) FROM ZBOOK WHERE Z_ENT = 2"
    #expect(try SQLFile(url: opened.file.url).count(books) == 2)
  }

  @Test(
    "A migration that only gives other numbers to entities is noticed, although no table changes"
  )
  func numbersOnly() throws {
    let opened = try Opened()
    #expect(try opened.titles() == ["first"])
    let tables = "SELECT name || sql FROM sqlite_master WHERE type = 'table' ORDER BY name"
    let before = try SQLFile(url: opened.file.url).texts(tables)
    try opened.migrate(to: Self.old + #"<entity name="Novel" parentEntity="Book"/>"#)
    #expect(try SQLFile(url: opened.file.url).texts(tables) == before)
    _ = NSEntityDescription.insertNewObject(forEntityName: "Shop", into: opened.context)
    opened.expectRefusal("save") { try opened.context.save() }
    opened.expectRefusal("fetch") { _ = try opened.titles() }
  }

  @Test("Every other write with the old model is refused too")
  func writes() throws {
    let options = [NSPersistentHistoryTrackingKey: true as NSNumber]
    let opened = try Opened(options: options)
    try opened.migrate(to: Self.renumbered, options)
    let before = try SQLFile(url: opened.file.url).content()
    let context = opened.context
    opened.expectRefusal("obtainPermanentIDs") {
      try context.obtainPermanentIDs(for: [opened.insertBook("late")])
    }
    context.reset()
    opened.expectRefusal("batch insert") {
      try context.execute(NSBatchInsertRequest(entityName: "Book", objects: [["title": "late"]]))
    }
    opened.expectRefusal("batch update") {
      let request = NSBatchUpdateRequest(entityName: "Book")
      request.propertiesToUpdate = ["title": "late"]
      try context.execute(request)
    }
    opened.expectRefusal("batch delete") {
      let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
      try context.execute(NSBatchDeleteRequest(fetchRequest: request))
    }
    opened.expectRefusal("deletion of the history") {
      try context.execute(
        NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
      )
    }
    #expect(try SQLFile(url: opened.file.url).content() == before)
  }

  @Test("A save beside a migration with a mapping model is refused, although its table fits")
  func mappingModel() throws {
    let notes = try NotesMigration()
    try notes.fill(3)
    let context = try notes.stack(notes.source, notes.sourceURL)
    try notes.migrate(to: notes.sourceURL)
    let before = try SQLFile(url: notes.sourceURL).content()
    let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
    tag.setValue("late", forKey: "name")
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    #expect(context.insertedObjects == [tag])
    #expect(try SQLFile(url: notes.sourceURL).content() == before)
  }

  private static func folder(_ process: Int32) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("migrated-meanwhile-\(process)")
  }

  @Test("A save is refused after another process has migrated the store")
  func processes() async throws {
    let opened = try Opened(MigratedFile(folder: Self.folder(getpid())))
    #expect(try opened.titles() == ["first"])
    await #expect(processExitsWith: .success) {
      // The parent removes the folder.
      let file = Unmanaged.passRetained(try MigratedFile(folder: Self.folder(getppid())))
      try file.takeUnretainedValue().migrate(to: InferredMigrationTests.draft(Self.renumbered))
    }
    let late = opened.insertBook("late")
    for _ in 0..<2 {
      opened.expectRefusal("save") { try opened.context.save() }
      #expect(opened.context.insertedObjects == [late])
    }
    opened.expectRefusal("fetch") { _ = try opened.titles() }
  }

  // MARK: Reading

  @Test("Fetches with the old model are refused, whether or not their connection has read before")
  func fetches() throws {
    for hasRead in [true, false] {
      let options = [NSPersistentHistoryTrackingKey: true as NSNumber]
      let opened = try Opened(options: options)
      let context = opened.context
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      if hasRead { #expect(try opened.titles() == ["first"] && context.count(for: request) == 1) }
      try opened.migrate(to: Self.renumbered, options)
      for _ in 0..<2 {
        opened.expectRefusal("fetch") { _ = try opened.titles() }
        opened.expectRefusal("count") { _ = try context.count(for: request) }
        opened.expectRefusal("history") {
          try context.execute(
            NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
          )
        }
      }
    }
  }

  @Test("A fetch that a missing table prevents names the migration")
  func missingTable() throws {
    let opened = try Opened()
    #expect(try opened.titles() == ["first"])
    try opened.migrate(to: #"<entity name="Shop"/>"#)
    opened.expectRefusal("fetch") { _ = try opened.titles() }
    opened.expectRefusal("object") { _ = try opened.object() }
  }

  @Test("An object that is a fault can still be read, if the migration has kept its table")
  func faults() throws {
    let opened = try Opened()
    try opened.migrate(to: Self.renumbered)
    opened.context.refresh(opened.book, mergeChanges: false)
    #expect(opened.book.isFault)
    #expect(opened.book.value(forKey: "title") as? String == "first")
  }

  @Test("An object of an entity whose number in the rows has another meaning cannot be read")
  func hierarchies() throws {
    let sub = #"<entity name="Novel" parentEntity="Book"/>"#
    let opened = try Opened(model: Self.old + sub)
    try opened.migrate(to: Self.renumbered + sub)
    opened.expectRefusal("object") { _ = try opened.object() }
  }

  @Test("A query generation from before the migration can be read, and no new one is made")
  func generations() throws {
    let opened = try Opened()
    let context = opened.context
    try context.setQueryGenerationFrom(.current)
    #expect(try opened.titles() == ["first"])
    try opened.migrate(to: Self.renumbered)
    #expect(try opened.titles() == ["first"])
    opened.expectRefusal("generation") {
      try context.setQueryGenerationFrom(.current)
      _ = try opened.titles()
    }
  }

  @Test("A coordinator that has the store open for reading only is told of the migration")
  func readOnly() throws {
    let opened = try Opened()
    let reader = NSPersistentStoreCoordinator(
      managedObjectModel: .tools(try InferredMigrationTests.draft(Self.old))
    )
    try reader.addPersistentStore(
      type: .sqlite,
      at: opened.file.url,
      options: [NSReadOnlyPersistentStoreOption: true]
    )
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = reader
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    #expect(try context.count(for: request) == 1)
    try opened.migrate(to: Self.renumbered)
    opened.expectRefusal("count") { _ = try context.count(for: request) }
  }

  // MARK: Changes that are not migrations

  @Test("Indexes, VACUUM, ANALYZE, tables of the program and a history that begins do not disturb")
  func otherChanges() throws {
    let opened = try Opened()
    for statement in [
      "CREATE INDEX own ON ZBOOK(ZTITLE)", "VACUUM", "ANALYZE", "CREATE TABLE own2(a)",
    ] {
      try SQLFile(url: opened.file.url).run(statement)
      _ = opened.insertBook(statement)
      try opened.context.save()
      #expect(try opened.titles().contains(statement))
    }
    let draft = try InferredMigrationTests.draft(Self.old)
    try opened.file.open(draft, options: [NSPersistentHistoryTrackingKey: true]) { _, _ in }
    _ = opened.insertBook("history")
    try opened.context.save()
    #expect(try opened.titles().count == 6)
  }

  @Test("With NSIgnorePersistentStoreVersioningOption no version is checked")
  func ignored() throws {
    let opened = try Opened(options: [NSIgnorePersistentStoreVersioningOption: true as NSNumber])
    try opened.migrate(to: Self.wider)
    _ = opened.insertBook("second")
    try opened.context.save()
    #expect(try opened.titles() == ["first", "second"])
  }
}
