// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// `docs/reference/behaviour.md` §18: what is written.
@Suite struct HistoryRules {
  @Test("PH-1: each save is one transaction that says who, when and where")
  func transactions() throws {
    let history = try HistoryStack()
    let before = Date()
    history.context.name = "import"
    history.context.transactionAuthor = "Erna"
    _ = history.stack.make("Tag", ["name": "a"])
    try history.context.save()
    history.context.name = nil
    history.context.transactionAuthor = nil
    _ = history.stack.make("Tag", ["name": "b"])
    try history.context.save()
    // Nothing to write is no transaction.
    try history.context.save()
    let summaries = try history.transactions()
    #expect(summaries.map(\.transactionNumber) == [1, 2])
    #expect(summaries.map(\.author) == ["Erna", nil])
    #expect(summaries.map(\.contextName) == ["import", nil])
    let process = ProcessInfo.processInfo.processName
    #expect(summaries.allSatisfy { $0.processID == process && !$0.bundleID.isEmpty })
    #expect(
      summaries.map(\.storeID) == Array(repeating: try history.stack.store.identifier, count: 2)
    )
    #expect(summaries[0].timestamp <= summaries[1].timestamp)
    #expect(summaries[0].timestamp >= before && summaries[1].timestamp <= Date())
    #expect(summaries.map { $0.changes?.map(\.changeID) } == [[1], [2]])
  }

  @Test("PH-2: insertions, updates with what changed on both sides, deletions with what is kept")
  func changes() throws {
    let history = try HistoryStack()
    let author = history.stack.make("Author", ["name": "Ende"])
    let tag = history.stack.make("Tag", ["name": "long"])
    let book = history.stack.make("Book", ["title": "Momo", "pages": 1])
    let other = history.stack.make("Novel", ["title": "Jim", "hero": "Jim Knopf"])
    try history.context.save()
    book.setValue("MOMO", forKey: "title")
    book.setValue(author, forKey: "author")
    other.setValue(Set([tag]), forKey: "tags")
    try history.context.save()
    // A value that is set again has not changed.
    book.setValue(author, forKey: "author")
    book.setValue(2, forKey: "pages")
    try history.context.save()
    let id = book.objectID
    history.context.delete(book)
    history.context.delete(other)
    history.context.delete(tag)
    try history.context.save()
    #expect(
      try history.summaries() == [
        ["insert Author", "insert Book", "insert Novel", "insert Tag"],
        [
          "update Author books", "update Book author title", "update Novel tags",
          "update Tag books",
        ],
        ["update Book pages"],
        [
          "delete Book title=MOMO", "delete Novel hero=Jim Knopf title=Jim", "delete Tag",
          "update Author books",
        ],
      ]
    )
    let transactions = try history.transactions()
    let all = transactions.flatMap { $0.changes ?? [] }
    #expect(all.map(\.changeID) == all.map(\.changeID).sorted())
    #expect(Set(all.map(\.changeID)).count == all.count)
    #expect(all.filter { $0.changeType != .update }.allSatisfy { $0.updatedProperties == nil })
    #expect(all.filter { $0.changeType != .delete }.allSatisfy { $0.tombstone == nil })
    let ofBook = all.filter { $0.changedObjectID == id }.map(\.changeType)
    #expect(ofBook == [.insert, .update, .update, .delete])
    #expect(all.allSatisfy { $0.transaction?.changes?.contains($0) ?? false })
  }

  @Test("PH-2: values of every type are kept; those of external storage and nil are not")
  func tombstones() throws {
    let model = NSManagedObjectModel()
    let thing = NSEntityDescription()
    thing.name = "Thing"
    let values: [(String, NSAttributeType, Any)] = [
      ("whole", .integer64AttributeType, 7 as Int64), ("real", .doubleAttributeType, 0.5),
      ("flag", .booleanAttributeType, true), ("text", .stringAttributeType, "Öl"),
      ("date", .dateAttributeType, Date(timeIntervalSinceReferenceDate: 12.25)),
      ("uuid", .UUIDAttributeType, UUID()), ("data", .binaryDataAttributeType, Data([1, 0, 2])),
      ("uri", .URIAttributeType, try #require(URL(string: "a:b"))),
      ("number", .decimalAttributeType, NSDecimalNumber(string: "1.05")),
      ("list", .transformableAttributeType, NSArray(array: ["x"])),
    ]
    thing.properties = values.map { name, type, _ in attribute(name, type) }
    let large = attribute("large", .binaryDataAttributeType)
    large.allowsExternalBinaryDataStorage = true
    let forgotten = attribute("forgotten", .stringAttributeType)
    forgotten.preservesValueInHistoryOnDeletion = false
    thing.properties += [large, attribute("empty", .stringAttributeType), forgotten]
    model.entities = [thing]
    let stack = try LibraryStack(model: model, options: HistoryStack.option)
    let object = stack.make("Thing", ["large": Data([1]), "forgotten": "x"])
    for (name, _, value) in values { object.setValue(value, forKey: name) }
    try stack.context.save()
    stack.context.delete(object)
    try stack.context.save()
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    request.resultType = .changesOnly
    let result = try stack.context.execute(request) as? NSPersistentHistoryResult
    let changes = try #require(result?.result as? [NSPersistentHistoryChange])
    let tombstone = try #require(changes.last?.tombstone)
    #expect(Set(tombstone.keys.map { "\($0.base)" }) == Set(values.map(\.0)))
    for (name, _, value) in values {
      let found = try #require(tombstone[name], "\(name)")
      #expect(NSArray(object: found) == NSArray(object: value), "\(name)")
    }
  }

  private func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.preservesValueInHistoryOnDeletion = true
    return attribute
  }

  @Test("PH-1, BAT-2: batch requests are transactions too, delete rules included")
  func batches() throws {
    let history = try HistoryStack()
    history.context.transactionAuthor = "batch"
    _ = try history.stack.insert("Tag", [["name": "a"], ["name": "b"], ["name": "c"]])
    _ = try history.stack.update("Tag", ["name": "d"], where: NSPredicate(format: "name < 'c'"))
    _ = try history.stack.update("Tag", ["name": "x"], where: NSPredicate(format: "name = 'no'"))
    let book = history.stack.make("Book", ["title": "Momo"])
    book.setValue(history.stack.make("Author", ["name": "Ende"]), forKey: "author")
    let tag = history.stack.make("Tag", ["name": "z"])
    book.setValue(Set([tag]), forKey: "tags")
    history.stack.make("Chapter").setValue(book, forKey: "book")
    try history.context.save()
    _ = try history.stack.delete("Book")
    _ = try history.stack.delete("Tag", where: NSPredicate(format: "name = 'd'"))
    #expect(
      try history.summaries() == [
        ["insert Tag", "insert Tag", "insert Tag"],
        ["update Tag name", "update Tag name"],
        ["insert Author", "insert Book", "insert Chapter", "insert Tag"],
        ["delete Book title=Momo", "delete Chapter", "update Author books", "update Tag books"],
        ["delete Tag", "delete Tag"],
      ]
    )
    #expect(try history.transactions().allSatisfy { $0.author == "batch" })
  }

  @Test("PH-2: objects that gain or lose members by a batch are updates, one for each object")
  func batchesAndOwners() throws {
    let history = try HistoryStack()
    let authors = ["a", "b"].map { history.stack.make("Author", ["name": $0]) }
    for (title, author) in [("1", authors[0]), ("2", authors[0]), ("3", authors[1])] {
      history.stack.make("Book", ["title": title]).setValue(author, forKey: "author")
    }
    try history.context.save()
    let token = history.coordinator.currentPersistentHistoryToken(fromStores: nil)
    _ = try history.stack.update(
      "Book",
      ["author": authors[1]],
      where: NSPredicate(format: "title = '1'")
    )
    _ = try history.stack.update(
      "Book",
      ["author": authors[1]],
      where: NSPredicate(format: "title = 'none'")
    )
    _ = try history.stack.delete("Book")
    #expect(
      try history.summaries(after: token) == [
        ["update Author books", "update Author books", "update Book author"],
        [
          "delete Book title=1", "delete Book title=2", "delete Book title=3",
          "update Author books", "update Author books",
        ],
      ]
    )
  }

  @Test("PH-7: to-manys of another context follow a batch by the history alone")
  func batchesSeenByTheirHistory() throws {
    let history = try HistoryStack()
    let author = history.stack.make("Author", ["name": "a"])
    for title in ["1", "2"] {
      history.stack.make("Book", ["title": title]).setValue(author, forKey: "author")
    }
    try history.context.save()
    let reader = history.stack.container.newBackgroundContext()
    let seen = try reader.existingObject(with: author.objectID)
    #expect(seen.members("books").count == 2)
    let token = history.coordinator.currentPersistentHistoryToken(fromStores: nil)
    _ = try history.stack.delete("Book", where: NSPredicate(format: "title = '1'"))
    for transaction in try history.transactions(after: token) {
      reader.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
    }
    #expect(seen.members("books").count == 1)
  }

  @Test("PH-1: a save that fails, a batch that fails and a rollback leave no history")
  func failures() throws {
    let model = HistoryStack.model()
    try #require(model.entitiesByName["Tag"]).uniquenessConstraints = [["name"]]
    let stack = try LibraryStack(model: model, options: HistoryStack.option)
    _ = stack.make("Tag", ["name": "a"])
    try stack.context.save()
    _ = stack.make("Tag", ["name": "a"])
    #expect(throws: (any Error).self) { try stack.context.save() }
    stack.context.rollback()
    #expect(throws: (any Error).self) { try stack.insert("Tag", [["name": "b"], ["name": "a"]]) }
    let file = SQLFile(url: try #require(stack.store.url))
    #expect(try file.count("SELECT COUNT(*) FROM ATRANSACTION") == 1)
    #expect(try file.count("SELECT COUNT(*) FROM ACHANGE") == 1)
    #expect(try file.count("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'TRANSACTION'") == 1)
  }

  @Test("PH-1: an insert that becomes part of a row is an update of that row")
  func folded() throws {
    let model = HistoryStack.model()
    try #require(model.entitiesByName["Tag"]).uniquenessConstraints = [["name"]]
    let stack = try LibraryStack(model: model, options: HistoryStack.option)
    stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let first = stack.make("Tag", ["name": "a"])
    try stack.context.save()
    let other = stack.container.newBackgroundContext()
    other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let second = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: other)
    second.setValue("a", forKey: "name")
    try other.save()
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    request.resultType = .changesOnly
    let result = try stack.context.execute(request) as? NSPersistentHistoryResult
    let changes = try #require(result?.result as? [NSPersistentHistoryChange])
    #expect(changes.map(HistoryStack.words) == ["insert Tag", "update Tag name"])
    #expect(changes.allSatisfy { $0.changedObjectID == first.objectID })
  }

  @Test("PH-1: a save to two stores is a transaction in each that has a history")
  func severalStores() throws {
    let history = try HistoryStack()
    let plain = try history.coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: history.stack.folder.appendingPathComponent("Plain.sqlite")
    )
    let second = try history.coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: history.stack.folder.appendingPathComponent("Second.sqlite"),
      options: HistoryStack.option
    )
    for store in [plain, second, try history.stack.store] {
      history.context.assign(history.stack.make("Tag", ["name": "a"]), to: store)
    }
    try history.context.save()
    let summaries = try history.transactions()
    #expect(
      Set(summaries.map(\.storeID)) == [second.identifier, try history.stack.store.identifier]
    )
    // The last token of a result is behind everything in it.
    #expect(try history.transactions(after: summaries.last?.token).isEmpty)
    let current = history.coordinator.currentPersistentHistoryToken(fromStores: nil)
    #expect(current == summaries.last?.token)
  }

  // MARK: Files

  @Test("PH-9: the file has Apple's tables, indexes and numbers")
  func tables() throws {
    let history = try HistoryStack()
    _ = history.stack.make("Tag", ["name": "a"])
    try history.context.save()
    #expect(
      try history.count(
        "SELECT COUNT(*) FROM Z_PRIMARYKEY WHERE Z_SUPER = 0 AND (Z_ENT, Z_NAME, Z_MAX) IN "
          + "(VALUES (16001, 'CHANGE', 1), (16002, 'TRANSACTION', 1), (16003, 'TRANSACTIONSTRING', "
          + "(SELECT MAX(Z_PK) FROM ATRANSACTIONSTRING)))"
      ) == 3
    )
    #expect(
      try history.count(
        "SELECT COUNT(*) FROM ATRANSACTION AS t JOIN ATRANSACTIONSTRING AS b ON b.Z_PK = ZBUNDLEIDTS "
          + "JOIN ATRANSACTIONSTRING AS p ON p.Z_PK = ZPROCESSIDTS WHERE t.Z_ENT = 16002 "
          + "AND b.Z_ENT = 16003 AND t.Z_OPT IS NULL AND ZAUTHOR IS NULL AND ZAUTHORTS IS NULL"
      ) == 1
    )
    #expect(
      try history.count(
        "SELECT COUNT(*) FROM sqlite_master WHERE type = 'index' "
          + "AND tbl_name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING')"
      ) == 8
    )
    // Title, ISBN and date of a book, and the hero of a novel: four columns.
    #expect(
      try history.count(
        "SELECT COUNT(*) FROM pragma_table_info('ACHANGE') WHERE name LIKE 'ZTOMBSTONE%'"
      ) == 4
    )
  }

  @Test("PSC-12: a store that has a history is only read without the option, and goes on with it")
  func withoutTheOption() throws {
    let history = try HistoryStack()
    _ = history.stack.make("Tag", ["name": "a"])
    try history.context.save()
    let url = try #require(history.stack.store.url)
    func open(_ options: [String: NSObject]?) throws -> NSManagedObjectContext {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: HistoryStack.model())
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: nil,
        at: url,
        options: options
      )
      #expect(store.isReadOnly == (options == nil))
      let context = NSManagedObjectContext(.privateQueue)
      context.persistentStoreCoordinator = coordinator
      return context
    }
    let reader = try open(nil)
    #expect(try reader.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag")) == 1)
    let writer = try open(HistoryStack.option)
    _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: writer)
    try writer.save()
    // The history can be read there too.
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    request.resultType = .count
    #expect(try (reader.execute(request) as? NSPersistentHistoryResult)?.result as? Int == 2)
  }

  @Test("A store that had no history gets one when it is added with the option")
  func laterOn() throws {
    let stack = try LibraryStack()
    _ = stack.make("Tag", ["name": "a"])
    try stack.context.save()
    let coordinator = stack.container.persistentStoreCoordinator
    let url = try #require(stack.store.url)
    try coordinator.remove(stack.store)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: HistoryStack.option
    )
    let context = stack.container.newBackgroundContext()
    _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
    try context.save()
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    request.resultType = .count
    #expect(try (context.execute(request) as? NSPersistentHistoryResult)?.result as? Int == 1)
  }

  @Test("A history whose numbers are used up refuses saves with an error that says so")
  func noNumbersLeft() async {
    await #expect(processExitsWith: .success) {
      let history = try HistoryStack()
      _ = history.stack.make("Tag", ["name": "a"])
      try history.context.save()
      let file = SQLFile(url: try #require(try history.stack.store.url))
      for name in ["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"] {
        try file.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = '\(name)'")
        #expect(
          try file.count("SELECT COUNT(*) FROM Z_PRIMARYKEY WHERE Z_MAX = 9223372036854775807") == 1
        )
        history.context.transactionAuthor = name
        _ = history.stack.make("Tag", ["name": name])
        let error = #expect(throws: NSError.self) { try history.context.save() }
        #expect(error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
        #expect(error?.localizedFailureReason?.contains("history") == true)
        history.context.rollback()
        try file.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 1000 WHERE Z_NAME = '\(name)'")
      }
      _ = history.stack.make("Tag", ["name": "b"])
      try history.context.save()
      #expect(try history.summaries().count == 2)
    }
  }

  // MARK: Cost

  /// What three saves of that many objects run for their history.
  private func statements(_ stack: LibraryStack, _ count: Int) throws -> [String] {
    for number in 0..<count { _ = stack.make("Tag", ["name": "\(number)"]) }
    var started = try stack.statements { try stack.context.save() }
    let tags = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
    for tag in tags { tag.setValue("x", forKey: "name") }
    started += try stack.statements { try stack.context.save() }
    for tag in tags { stack.context.delete(tag) }
    started += try stack.statements { try stack.context.save() }
    return started.filter { text in
      ["ACHANGE", "ATRANSACTION", "Z_MAX = ?"].contains { text.contains($0) }
    }
  }

  @Test("Without a history a save runs no statement for one; with one their number is fixed")
  func cost() throws {
    #expect(try statements(try LibraryStack(), 3) == [])
    let few = try statements(try HistoryStack().stack, 3)
    let many = try statements(try HistoryStack().stack, 300)
    #expect(few == many)
    // Each save: last numbers, changes, texts, transaction, two numbers; at first the texts are made.
    #expect(few.count == 3 * 6 + 3, "\(few)")
  }
}
