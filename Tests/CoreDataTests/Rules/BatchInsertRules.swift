// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Rules of batch inserts (behaviour.md INS-1, INS-2)")
struct BatchInsertRules {
  private func model() -> NSManagedObjectModel {
    let model = Library.model()
    let pages = model.entitiesByName["Book"]?.attributesByName["pages"]
    pages?.defaultValue = 7
    return model
  }

  @Test("INS-1 rows of dictionaries: missing keys take defaults, unknown keys are ignored")
  func dictionaries() throws {
    let stack = try LibraryStack(model: model())
    let date = Date(timeIntervalSinceReferenceDate: 12.5)
    let uuid = UUID()
    let rows: [[String: Any]] = [
      ["title": "a", "pages": 3, "price": 2.5, "published": date, "isbn": uuid, "isLent": true],
      ["title": "b", "ghost": 1],
      ["title": NSNull(), "pages": NSNumber(value: 9), "price": 4],
      [:],
    ]
    #expect(try stack.insert("Book", rows, .count) as? Int == 4)
    let books = try stack.reread("Book").sorted {
      $0.objectID.uriRepresentation().path < $1.objectID.uriRepresentation().path
    }
    #expect(books.map { $0.text("title") } == ["a", "b", nil, nil])
    #expect(books.map { $0.int("pages") } == [3, 7, 9, 7])
    #expect(books.map { $0.value(forKey: "price") as? Double } == [2.5, nil, 4, nil])
    #expect(books[0].value(forKey: "published") as? Date == date)
    #expect(books[0].value(forKey: "isbn") as? UUID == uuid)
    #expect(books[0].value(forKey: "isLent") as? Bool == true)
  }

  @Test("INS-1 the dictionary handler is called until it returns true; the last row is left out")
  func dictionaryHandler() throws {
    let stack = try LibraryStack(model: model())
    var calls = 0
    var sizes: Set<Int> = []
    let request = NSBatchInsertRequest(
      entityName: "Book",
      dictionaryHandler: { dictionary in
        calls += 1
        sizes.insert(dictionary.count)
        dictionary["title"] = "t\(calls)"
        if calls == 1 { dictionary["pages"] = 1 }
        return calls == 1300
      }
    )
    request.resultType = .count
    let result = try stack.context.execute(request) as? NSBatchInsertResult
    #expect(result?.result as? Int == 1299 && calls == 1300 && sizes == [0])
    let books = try stack.reread("Book")
    #expect(Set(books.map { $0.text("title") ?? "" }).count == 1299)
    #expect(books.filter { $0.int("pages") == 7 }.count == 1298)
  }

  @Test("INS-1 the object handler sets one scratch object, in no context, with defaults each time")
  func objectHandler() throws {
    let stack = try LibraryStack(model: model())
    var calls = 0
    var scratch: Set<ObjectIdentifier> = []
    var isClean = true
    let request = NSBatchInsertRequest(
      entityName: "Book",
      managedObjectHandler: { book in
        scratch.insert(ObjectIdentifier(book))
        isClean =
          isClean && book.managedObjectContext == nil && book.int("pages") == 7
          && book.value(forKey: "title") == nil
        calls += 1
        book.setValue("t\(calls)", forKey: "title")
        book.setValue(calls, forKey: "pages")
        return calls == 1025
      }
    )
    request.resultType = .objectIDs
    let result = try stack.context.execute(request) as? NSBatchInsertResult
    #expect((result?.result as? [NSManagedObjectID])?.count == 1024)
    #expect(scratch.count == 1 && isClean && calls == 1025)
    let books = try stack.reread("Book")
    #expect(books.reduce(0) { $0 + ($1.int("pages") ?? 0) } == 1024 * 1025 / 2)
  }

  @Test("INS-1 every initializer, by name and by entity")
  func initializers() throws {
    let stack = try LibraryStack()
    let entity = try #require(stack.container.managedObjectModel.entitiesByName["Tag"])
    var left = 4
    func take(_ body: () -> Void) -> Bool {
      body()
      left -= 1
      return left % 2 == 0
    }
    let byName = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "a"]])
    #expect(byName.entity == nil && byName.entityName == "Tag")
    let byEntity = NSBatchInsertRequest(entity: entity, objects: [["name": "b"]])
    #expect(byEntity.entity === entity && byEntity.entityName == "Tag")
    let requests = [
      byName, byEntity,
      NSBatchInsertRequest(
        entity: entity,
        dictionaryHandler: { row in take { row["name"] = "c" } }
      ),
      NSBatchInsertRequest(
        entity: entity,
        managedObjectHandler: { tag in take { tag.setValue("d", forKey: "name") } }
      ),
    ]
    for request in requests { _ = try stack.context.execute(request) }
    #expect(byName.entity === entity)
    #expect(try stack.texts("Tag", "name") == ["a", "b", "c", "d"])
  }

  @Test("INS-1 a batch inserts rows of the entity that it names, in the table of the hierarchy")
  func subentity() throws {
    let stack = try LibraryStack()
    _ = try stack.insert("Novel", [["title": "n", "hero": "h"]])
    _ = try stack.insert("Book", [["title": "b"]])
    let novel = try #require(try stack.reread("Novel").first)
    #expect(novel.entity.name == "Novel" && novel.text("hero") == "h")
    #expect(try stack.texts("Book", "title") == ["b", "n"])
    #expect(Set(try stack.reread("Book").map { $0.objectID }).count == 2)
    // A save goes on with the next number.
    let saved = stack.make("Book", ["title": "s"])
    try stack.context.save()
    #expect(saved.objectID.uriRepresentation().lastPathComponent == "p3")
  }

  @Test("A row without a mandatory value is a validation error, and nothing is inserted")
  func missing() throws {
    let model = Registry.model()
    let name = model.entitiesByName["City"]?.attributesByName["name"]
    name?.isOptional = false
    let size = model.entitiesByName["City"]?.attributesByName["size"]
    size?.isOptional = false
    size?.defaultValue = 1
    let stack = try LibraryStack(model: model)
    var calls = 0
    let handler = NSBatchInsertRequest(
      entityName: "Capital",
      managedObjectHandler: { city in
        calls += 1
        city.setValue("H\(calls)", forKey: "code")
        if calls < 700 { city.setValue("n", forKey: "name") }
        return calls == 800
      }
    )
    let bad: [[[String: Any]]] = [
      [["code": "A", "name": "Aachen"], ["code": "B"]],
      [["code": "A", "name": NSNull()]], [["code": "A", "name": "a", "size": NSNull()]],
    ]
    let requests = bad.map { NSBatchInsertRequest(entityName: "City", objects: $0) } + [handler]
    for policy in [
      NSErrorMergePolicy, NSOverwriteMergePolicy, NSMergeByPropertyObjectTrumpMergePolicy,
    ] {
      stack.context.mergePolicy = policy
      calls = 0
      for request in requests {
        let error = #expect(throws: NSError.self) { try stack.context.execute(request) }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSValidationMissingMandatoryPropertyError)
        let key = error?.userInfo[NSValidationKeyErrorKey] as? String
        #expect(key == (request === requests[2] ? "size" : "name"))
        #expect(error?.localizedDescription == "\(key ?? "") is a required value.")
        if policy as? NSMergePolicy !== NSMergeByPropertyObjectTrumpMergePolicy as? NSMergePolicy {
          let row = [1, 0, 0, 699][requests.firstIndex(of: request) ?? 0]
          let reason = error?.localizedFailureReason ?? ""
          #expect(reason.hasPrefix("The row at index \(row) of the batch insert"), "\(reason)")
        }
      }
      #expect(try stack.reread("City").isEmpty)
    }
    // An upsert that meets a row need not name what that has.
    _ = try stack.insert("City", [["code": "A", "name": "Aachen"]])
    _ = try stack.insert("City", [["code": "A", "size": 5]])
    let city = try #require(try stack.reread("City").first)
    #expect(city.text("name") == "Aachen" && city.int("size") == 5)
  }

  @Test("INS-2 object trump is an upsert: only what a row names is overwritten")
  func upsert() throws {
    let stack = try LibraryStack(model: Registry.model())
    _ = try stack.insert("City", [["code": "B", "name": "Berlin", "size": 4]])
    let before = try stack.reread("City").map(\.objectID)
    stack.context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    let rows: [[String: Any]] = [
      ["code": "B", "name": "Bonn"], ["code": "C", "name": "Cork"], ["code": "B", "size": 5],
    ]
    let ids = try stack.insert("City", rows, .objectIDs) as? [NSManagedObjectID]
    let cities = try stack.reread("City")
    #expect(Set(ids ?? []) == Set(cities.map(\.objectID)) && ids?.count == 2)
    let berlin = try #require(cities.first { $0.text("code") == "B" })
    #expect([berlin.objectID] == before)
    #expect(berlin.text("name") == "Bonn" && berlin.int("size") == 5)
    #expect(cities.count == 2)
  }

  @Test("INS-2 an object handler names what it makes different from the defaults")
  func upsertByObjects() throws {
    let stack = try LibraryStack(model: Registry.model())
    _ = try stack.insert("City", [["code": "B", "name": "Berlin", "size": 4]])
    stack.context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    var isDone = false
    let request = NSBatchInsertRequest(
      entityName: "City",
      managedObjectHandler: { city in
        defer { isDone = true }
        city.setValue("B", forKey: "code")
        city.setValue(9, forKey: "size")
        return isDone
      }
    )
    _ = try stack.context.execute(request)
    let city = try #require(try stack.reread("City").first)
    #expect(city.text("name") == "Berlin" && city.int("size") == 9)
  }

  @Test("INS-2 under the other policies the batch fails, the row stays, or takes everything")
  func otherPolicies() throws {
    for (policy, name, size) in [
      (NSMergeByPropertyStoreTrumpMergePolicy, "Berlin", 4), (NSRollbackMergePolicy, "Berlin", 4),
      (NSOverwriteMergePolicy, nil, 5),
    ] as [(AnyObject, String?, Int)] {
      let stack = try LibraryStack(model: Registry.model())
      _ = try stack.insert("City", [["code": "B", "name": "Berlin", "size": 4]])
      let error = #expect(throws: NSError.self) { try stack.insert("City", [["code": "B"]]) }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      stack.context.mergePolicy = policy
      _ = try stack.insert("City", [["code": "B", "size": 5], ["code": "N"]])
      let cities = try stack.reread("City").sorted { $0.text("code") ?? "" < $1.text("code") ?? "" }
      #expect(cities.map { $0.text("code") } == ["B", "N"])
      #expect(cities[0].text("name") == name && cities[0].int("size") == size)
    }
  }

  @Test(
    "INS-2 a row of another entity of the hierarchy keeps its entity, and columns that it has not"
  )
  func upsertAcrossEntities() throws {
    let stack = try LibraryStack(model: Registry.model())
    _ = try stack.insert("City", [["code": "B", "name": "Berlin"]])
    stack.context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    _ = try stack.insert("Capital", [["code": "B", "name": "Bern", "seal": "bear"]])
    #expect(try stack.reread("Capital").isEmpty)
    let city = try #require(try stack.reread("City").first)
    #expect(city.entity.name == "City" && city.text("name") == "Bern")
    // The seal went nowhere: another capital may have it.
    _ = try stack.insert("Capital", [["code": "R", "seal": "bear"]])
    #expect(try stack.texts("Capital", "seal") == ["bear"])
  }

  @Test("INS-2 an upsert gives the row a new version, so that a stale context finds a conflict")
  func upsertVersion() throws {
    let stack = try LibraryStack(model: Registry.model())
    _ = try stack.insert("City", [["code": "B", "name": "Berlin"]])
    let reader = stack.container.newBackgroundContext()
    let city = try #require(try stack.reread("City", in: reader).first)
    city.setValue("mine", forKey: "name")
    stack.context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    _ = try stack.insert("City", [["code": "B", "size": 5]])
    let error = #expect(throws: NSError.self) { try reader.save() }
    #expect(error?.code == NSManagedObjectMergeError)
  }

  @Test("INS-2 relationships cannot be set: the batch is refused, naming the relationship")
  func relationships() throws {
    let stack = try LibraryStack()
    let author = stack.make("Author", ["name": "a"])
    try stack.context.save()
    let error = #expect(throws: NSError.self) {
      try stack.insert("Book", [["title": "t", "author": author.objectID]])
    }
    #expect(error?.localizedFailureReason?.contains("Book.author") == true)
    let request = NSBatchInsertRequest(
      entityName: "Book",
      managedObjectHandler: { book in
        book.setValue(author, forKey: "author")
        return false
      }
    )
    #expect(throws: NSError.self) { try stack.context.execute(request) }
    #expect(try stack.reread("Book").isEmpty)
  }

  @Test("A value of another type is an error that names the property, and nothing is inserted")
  func wrongType() throws {
    let stack = try LibraryStack()
    let error = #expect(throws: NSError.self) {
      try stack.insert("Book", [["title": "a"], ["title": 5]])
    }
    #expect(error?.localizedFailureReason?.contains("title") == true)
    #expect(error?.localizedFailureReason?.contains("in the row at index 1") == true)
    #expect(try stack.reread("Book").isEmpty)
  }

  @Test("A handler that saves gets an error instead of waiting for itself")
  func savingHandler() throws {
    let stack = try LibraryStack()
    let other = stack.container.newBackgroundContext()
    var failure: NSError?
    let request = NSBatchInsertRequest(
      entityName: "Tag",
      dictionaryHandler: { row in
        if failure != nil { return true }
        row["name"] = "a"
        _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: other)
        do { try other.save() } catch { failure = error as NSError }
        return false
      }
    )
    _ = try stack.context.execute(request)
    #expect(failure?.code == NSPersistentStoreUnsupportedRequestTypeError)
    #expect(try stack.texts("Tag", "name") == ["a"])
    try other.save()
  }

  @Test(
    "A handler may fetch, from a store in a file and from one in memory",
    arguments: [true, false]
  )
  func fetchingHandler(isFile: Bool) throws {
    let container = NSPersistentContainer(name: "Library", managedObjectModel: model())
    let stack = try LibraryStack(model: model())
    let url = isFile ? try #require(stack.store.url) : URL(fileURLWithPath: "/dev/null")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let context = container.newBackgroundContext()
    _ = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
    try context.save()
    let other = container.newBackgroundContext()
    var found: [Result<Int, any Error>] = []
    let request = NSBatchInsertRequest(
      entityName: "Tag",
      dictionaryHandler: { row in
        if found.count == 2 { return true }
        row["name"] = "a"
        found.append(
          Result { try other.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) }
        )
        return false
      }
    )
    _ = try context.execute(request)
    #expect(try found.map { try $0.get() } == [1, 1])
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag")) == 2)
  }

  @Test("A batch after the last number that a key can have is an error, and inserts nothing")
  func noNumbersLeft() async {
    await #expect(processExitsWith: .success) {
      let stack = try LibraryStack()
      let file = SQLFile(url: try #require(try stack.store.url))
      for last in ["9223372036854775807", "9223372036854775806", "2199023255551"] {
        try file.run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(last)")
        let error = #expect(throws: NSError.self) { try stack.insert("Tag", [["name": "a"], [:]]) }
        #expect(error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
        _ = stack.make("Tag")
        #expect(throws: NSError.self) { try stack.context.save() }
        stack.context.rollback()
      }
      #expect(try stack.reread("Tag").isEmpty)
    }
  }

  @Test("A number of statements that depends on nothing but the request")
  func statements() throws {
    let stack = try LibraryStack()
    var counts: [Int] = []
    for size in [128, 1280, 12_800] {
      let rows = (0..<size).map { ["title": "t\($0)", "pages": $0] as [String: Any] }
      counts.append(try stack.statements { _ = try stack.insert("Book", rows) }.count)
    }
    // BEGIN, the number to start from, one INSERT, the last number, COMMIT.
    #expect(counts == [5, 5, 5])
  }
}
