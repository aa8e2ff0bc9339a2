// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Rules of batch updates (behaviour.md UPD-1, UPD-2)")
struct BatchUpdateRules {
  private func stack() throws -> LibraryStack {
    let stack = try LibraryStack()
    let authors = ["Ada", "Bo"].map { stack.make("Author", ["name": $0]) }
    for number in 0..<6 {
      let entity = number < 4 ? "Book" : "Novel"
      let book = stack.make(
        entity,
        ["title": "t\(number)", "pages": number, "price": Double(number)]
      )
      book.setValue(authors[number % 2], forKey: "author")
    }
    try stack.context.save()
    return stack
  }

  private func values(_ stack: LibraryStack, _ key: String) throws -> [String] {
    try stack.reread("Book").sorted { $0.text("title") ?? "" < $1.text("title") ?? "" }
      .map { $0.value(forKey: key).map { "\($0)" } ?? "-" }
  }

  @Test("UPD-1 constants by name and by description, NSNull and an expression of nil")
  func constants() throws {
    let stack = try stack()
    let entity = try #require(stack.container.managedObjectModel.entitiesByName["Book"])
    let pages = try #require(entity.attributesByName["pages"])
    let none = NSExpression(forConstantValue: nil)
    let count = try stack.update("Book", [pages: 9, "price": none, "isLent": true])
    #expect(count as? Int == 6)
    #expect(try values(stack, "pages") == Array(repeating: "9", count: 6))
    #expect(try values(stack, "price") == Array(repeating: "-", count: 6))
    #expect(try stack.reread("Book").allSatisfy { $0.value(forKey: "isLent") as? Bool == true })
    _ = try stack.update("Book", ["pages": NSNull()])
    #expect(try values(stack, "pages") == Array(repeating: "-", count: 6))
  }

  @Test("UPD-1 a replaced value of external storage takes its file with it, after the commit")
  func files() throws {
    let photos = try StoredPhotos(["a", "b", "c"])
    let stack = photos.stack
    let some = NSPredicate(format: "colour < 'c'")
    _ = try stack.update("Cover", ["photo": Data([7]), "colour": "d"], where: some)
    #expect(try photos.files() == [photos.names["c"]])
    #expect(try photos.contents() == [Data("c".utf8), Data([7]), Data([7])])
    _ = try stack.update("Cover", ["colour": "e"])
    #expect(try photos.files() == [photos.names["c"]])
    _ = try stack.update("Cover", ["photo": NSNull()])
    #expect(try photos.files().isEmpty && photos.contents() == [nil, nil, nil])
  }

  @Test("UPD-1 expressions are evaluated in SQL on the row as it was")
  func expressions() throws {
    let stack = try stack()
    let texts = try stack.statements {
      _ = try stack.update(
        "Book",
        [
          "pages": NSExpression(format: "pages * 2 + 1"), "price": NSExpression(format: "pages"),
          "title": NSExpression(format: "uppercase:(title)"),
        ],
        where: NSPredicate(format: "pages > 2")
      )
    }
    #expect(texts.count == 3 && texts[1].hasPrefix("UPDATE ZBOOK "))
    #expect(try values(stack, "pages") == ["7", "9", "11", "0", "1", "2"])
    #expect(try values(stack, "price") == ["3.0", "4.0", "5.0", "0.0", "1.0", "2.0"])
    #expect(try values(stack, "title") == ["T3", "T4", "T5", "t0", "t1", "t2"])
  }

  @Test("UPD-1 a real number in an integer attribute is cut")
  func conversion() throws {
    let stack = try stack()
    _ = try stack.update("Book", ["pages": NSExpression(format: "price / 2")])
    #expect(try values(stack, "pages") == ["0", "0", "1", "1", "2", "2"])
    _ = try stack.update("Book", ["pages": 2.9])
    #expect(try stack.reread("Book").allSatisfy { $0.int("pages") == 2 })
  }

  @Test("UPD-1 predicates and expressions over relationships are one statement")
  func relationships() throws {
    let stack = try stack()
    let texts = try stack.statements {
      let count = try stack.update(
        "Book",
        ["title": NSExpression(forKeyPath: "author.name")],
        where: NSPredicate(format: "author.name == 'Bo' AND author.books.@count == 3")
      )
      #expect(count as? Int == 3)
    }
    #expect(texts.count == 3)
    #expect(try stack.texts("Book", "title") == ["Bo", "Bo", "Bo", "t0", "t2", "t4"])
  }

  @Test("UPD-1 an expression that reads other rows reads them as they were")
  func otherRows() throws {
    let stack = try stack()
    // The sum of the pages of all books of the same author, which are being changed.
    _ = try stack.update("Book", ["pages": NSExpression(format: "author.books.@sum.pages")])
    #expect(try values(stack, "pages") == ["6", "9", "6", "9", "6", "9"])
  }

  @Test("UPD-1 sub-entities are included unless the request says no")
  func subentities() throws {
    let stack = try stack()
    let request = NSBatchUpdateRequest(entityName: "Book")
    request.propertiesToUpdate = ["pages": 100]
    request.includesSubentities = false
    request.resultType = .updatedObjectsCountResultType
    let result = try stack.context.execute(request) as? NSBatchUpdateResult
    #expect(result?.result as? Int == 4)
    #expect(request.entity.name == "Book")
    #expect(try stack.update("Novel", ["hero": "h"]) as? Int == 2)
    #expect(try values(stack, "pages") == ["100", "100", "100", "100", "4", "5"])
  }

  @Test("UPD-1 a to-one takes an object ID, an object, or nil")
  func toOne() throws {
    let stack = try stack()
    let authors = try stack.reread("Author")
    let ada = try #require(authors.first { $0.text("name") == "Ada" })
    let bo = try #require(authors.first { $0.text("name") == "Bo" })
    #expect(try stack.update("Book", ["author": ada.objectID]) as? Int == 6)
    func books(_ name: String) throws -> Int {
      let authors = try stack.reread("Author")
      return authors.first { $0.text("name") == name }?.members("books").count ?? -1
    }
    #expect(try books("Ada") == 6)
    _ = try stack.update("Book", ["author": bo], where: NSPredicate(format: "pages < 2"))
    #expect(try books("Ada") == 4 && books("Bo") == 2)
    _ = try stack.update("Novel", ["author": NSNull()])
    #expect(try books("Ada") == 2 && books("Bo") == 2)
    let tag = stack.make("Tag")
    try stack.context.save()
    #expect(throws: NSError.self) { try stack.update("Book", ["author": tag.objectID]) }
  }

  @Test("UPD-1 derived attributes follow every kind of batch, and are set by none")
  func derived() throws {
    let model = Catalogue.model()
    func derive(_ entity: String, _ name: String, _ type: NSAttributeType, _ format: String) {
      let attribute = NSDerivedAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.derivationExpression = NSExpression(format: format)
      model.entitiesByName[entity]?.properties += [attribute]
    }
    derive("Owner", "count", .integer64AttributeType, "items.@count")
    derive("Item", "ownerName", .stringAttributeType, "owner.name")
    let stack = try LibraryStack(model: model)
    func picture() throws -> [String] {
      let owners = try stack.reread("Owner").map {
        "\($0.text("name") ?? "") \($0.int("count") ?? -1)"
      }
      return owners.sorted() + (try stack.texts("Item", "ownerName"))
    }
    _ = try stack.insert("Owner", [["name": "a", "count": 9], ["name": "b"]])
    _ = try stack.insert("Item", (0..<4).map { ["small": $0, "ownerName": "z"] })
    #expect(try picture() == ["a 0", "b 0", "-", "-", "-", "-"])
    for owner in try stack.reread("Owner") {
      let isFirst = owner.text("name") == "a"
      let some = NSPredicate(format: isFirst ? "small < 3" : "small == 3")
      _ = try stack.update("Item", ["owner": owner.objectID], where: some)
    }
    #expect(try picture() == ["a 3", "b 1", "a", "a", "a", "b"])
    _ = try stack.update("Owner", ["name": NSExpression(format: "uppercase:(name)")])
    _ = try stack.update("Item", ["owner": NSNull()], where: NSPredicate(format: "small == 0"))
    #expect(try picture() == ["A 2", "B 1", "-", "A", "A", "B"])
    _ = try stack.delete("Item", where: NSPredicate(format: "small == 1"))
    _ = try stack.delete("Owner", where: NSPredicate(format: "name == 'B'"))
    #expect(try picture() == ["A 1", "-", "-", "A"])
    let error = #expect(throws: NSError.self) { try stack.update("Owner", ["count": 5]) }
    #expect(error?.localizedFailureReason?.contains("Owner.count") == true)
  }

  @Test("UPD-1 to-manys, one-to-ones and values of other types are refused, naming the property")
  func refusals() throws {
    let stack = try stack()
    let calls: [(String, [AnyHashable: Any])] = [
      ("tags", ["tags": NSSet()]), ("cover", ["cover": NSNull()]), ("title", ["title": 5]),
      ("pages", ["pages": "many"]), ("title", ["title": NSExpression(forKeyPath: "pages")]),
      ("pages", ["pages": NSExpression(forKeyPath: "title")]),
    ]
    for (name, values) in calls {
      let error = #expect(throws: NSError.self) { try stack.update("Book", values) }
      #expect(error?.localizedFailureReason?.contains(name) == true)
    }
    let block = NSPredicate { _, _ in true }
    let error = #expect(throws: NSError.self) {
      try stack.update("Book", ["pages": 1], where: block)
    }
    #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
    #expect(try values(stack, "pages") == ["0", "1", "2", "3", "4", "5"])
  }

  @Test("UPD-1 each refused value or key names its own cause")
  func causes() throws {
    let model = Library.model()
    let note = NSAttributeDescription()
    note.name = "note"
    note.attributeType = .stringAttributeType
    note.isTransient = true
    model.entitiesByName["Book"]?.properties += [note]
    let stack = try LibraryStack(model: model)
    let unsaved = stack.make("Author")
    let causes: [([AnyHashable: Any], String)] = [
      ([:], "is nil or empty"), ([5: "a"], "is of type Int"),
      (["titel": "a"], "as keys: author, cover, isLent, isbn, pages, price, published, title."),
      (["tags": NSSet()], "it is a to-many relationship"), (["note": "a"], "it is transient"),
      (["author": unsaved], "a temporary ID"), (["author": unsaved.objectID], "a temporary ID"),
      (
        ["author": "Ada"],
        "desired type = NSManagedObjectID or NSManagedObject; given type = String"
      ),
      (["pages": 1e30], "outside the range of 64-bit integers"),
      (["title": 5], "desired type = NSString; given type = Int; value = 5."),
    ]
    for (values, cause) in causes {
      let error = #expect(throws: NSError.self) { try stack.update("Book", values) }
      let reason = error?.localizedFailureReason ?? ""
      #expect(reason.contains(cause), "\(reason)")
    }
  }

  @Test("The entity of a batch update with a name is not known before it is executed")
  func unresolvedEntity() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = NSBatchUpdateRequest(entityName: "Book").entity
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("This batch update request (entity name 'Book')"), "\(text.prefix(400))")
  }

  @Test("UPD-2 each changed row gets a new version: a stale context conflicts at its save")
  func versions() throws {
    let stack = try stack()
    let reader = stack.container.newBackgroundContext()
    let books = try stack.reread("Book", in: reader)
    for book in books { book.setValue("mine", forKey: "title") }
    _ = try stack.update("Book", ["pages": 50], where: NSPredicate(format: "pages < 2"))
    let error = #expect(throws: NSError.self) { try reader.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    #expect(conflicts?.count == 2)
  }

  @Test("A batch gives a row without a version its first one")
  func missingVersion() throws {
    let stack = try LibraryStack()
    _ = try stack.insert("Tag", [["name": "a"]])
    let url = try #require(stack.container.persistentStoreDescriptions.first?.url)
    try SQLFile(url: url).run("UPDATE ZTAG SET Z_OPT = NULL")
    _ = try stack.update("Tag", ["name": "b"])
    #expect(try SQLFile(url: url).texts("SELECT Z_OPT FROM ZTAG") == ["1"])
  }

  @Test("A batch that would not be unique fails and changes nothing")
  func unique() throws {
    let stack = try LibraryStack(model: Registry.model())
    _ = try stack.insert("City", [["code": "A"], ["code": "B"]])
    let error = #expect(throws: NSError.self) { try stack.update("City", ["code": "C"]) }
    #expect(error?.code == NSManagedObjectConstraintMergeError)
    #expect(try stack.texts("City", "code") == ["A", "B"])
  }
}
