// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Rules of batch deletes (behaviour.md DELB-1 to DELB-3)")
struct BatchDeleteRules {
  /// Two authors with three books each; each book has two chapters, a cover, and both tags.
  private func stack() throws -> LibraryStack {
    let stack = try LibraryStack()
    let tags = ["x", "y"].map { stack.make("Tag", ["name": $0]) }
    for name in ["Ada", "Bo"] {
      let author = stack.make("Author", ["name": name])
      for number in 0..<3 {
        let title = "\(name)\(number)"
        let book = stack.make(number == 2 ? "Novel" : "Book", ["title": title, "pages": number])
        book.setValue(author, forKey: "author")
        book.setValue(NSSet(array: tags), forKey: "tags")
        book.setValue(stack.make("Cover", ["colour": title]), forKey: "cover")
        let chapters = (1...2).map { stack.make("Chapter", ["name": "\(title).\($0)"]) }
        book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
      }
    }
    try stack.context.save()
    return stack
  }

  private func count(_ stack: LibraryStack, _ table: String) throws -> Int {
    let url = try #require(try stack.store.url)
    return try SQLFile(url: url).count("SELECT COUNT(*) FROM \(table)")
  }

  @Test("DELB-1 Cascade and Nullify are applied in the store, to any depth, with the pairs")
  func rules() throws {
    let stack = try stack()
    let pairs = try count(stack, joinTable)
    #expect(pairs == 12)
    let deleted = try stack.delete("Author", where: NSPredicate(format: "name == 'Ada'"))
    #expect(deleted as? Int == 1)
    #expect(try stack.texts("Author", "name") == ["Bo"])
    #expect(try stack.texts("Book", "title") == ["Bo0", "Bo1", "Bo2"])
    #expect(try stack.texts("Cover", "colour") == ["Bo0", "Bo1", "Bo2"])
    #expect(try stack.reread("Chapter").count == 6)
    #expect(try stack.reread("Tag").allSatisfy { $0.members("books").count == 3 })
    #expect(try count(stack, joinTable) == 6)
  }

  private var joinTable: String { "Z_2TAGS" }

  @Test("DELB-1 Nullify: what pointed to the rows points to nothing, with a new version")
  func nullify() throws {
    let model = Library.model()
    model.entitiesByName["Author"]?.relationshipsByName["books"]?.deleteRule = .nullifyDeleteRule
    let stack = try LibraryStack(model: model)
    let author = stack.make("Author", ["name": "a"])
    for number in 0..<3 { stack.make("Book", ["pages": number]).setValue(author, forKey: "author") }
    try stack.context.save()
    let reader = stack.container.newBackgroundContext()
    for book in try stack.reread("Book", in: reader) { book.setValue("mine", forKey: "title") }
    #expect(try stack.delete("Author") as? Int == 1)
    let books = try stack.reread("Book")
    #expect(books.count == 3 && books.allSatisfy { $0.value(forKey: "author") == nil })
    let error = #expect(throws: NSError.self) { try reader.save() }
    #expect(error?.code == NSManagedObjectMergeError)
  }

  @Test("DELB-1 Deny fails with 1600 while rows stay that deny it, and nothing is deleted")
  func deny() throws {
    let stack = try stack()
    let error = #expect(throws: NSError.self) { try stack.delete("Cover") }
    #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
    #expect(error?.localizedFailureReason?.contains("Cover.book") == true)
    #expect(try stack.reread("Cover").count == 6)
    _ = try stack.update("Chapter", ["name": "c"])
    // A cover whose book goes too is not denied: Book cascades to it.
    #expect(try stack.delete("Book") as? Int == 6)
    #expect(try stack.reread("Cover").isEmpty)
  }

  @Test("DELB-1 by predicate, order, limit and offset, with and without sub-entities")
  func selection() throws {
    let stack = try stack()
    let fetch = NSFetchRequest<NSManagedObject>(entityName: "Book")
    fetch.predicate = NSPredicate(format: "author.name == 'Ada'")
    fetch.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
    fetch.fetchLimit = 1
    fetch.fetchOffset = 1
    _ = try stack.context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
    #expect(try stack.texts("Book", "title") == ["Ada0", "Ada2", "Bo0", "Bo1", "Bo2"])
    let wrong = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
    wrong.sortDescriptors = [NSSortDescriptor(key: "ghost", ascending: true)]
    let error = #expect(throws: NSError.self) {
      try stack.context.execute(NSBatchDeleteRequest(fetchRequest: wrong))
    }
    #expect(error?.localizedFailureReason?.contains("ghost") == true)
    let exact = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
    exact.includesSubentities = false
    _ = try stack.context.execute(NSBatchDeleteRequest(fetchRequest: exact))
    #expect(try stack.texts("Book", "title") == ["Ada2", "Bo2"])
  }

  @Test(
    "DELB-1 by object IDs of one hierarchy; several hierarchies are an error, none delete nothing"
  )
  func objectIDs() throws {
    let stack = try stack()
    let books = try stack.reread("Book").filter { $0.text("title")?.hasPrefix("Ada") ?? false }
    let request = NSBatchDeleteRequest(objectIDs: books.map(\.objectID))
    request.resultType = .resultTypeObjectIDs
    let result = try stack.context.execute(request) as? NSBatchDeleteResult
    let deleted = result?.result as? [NSManagedObjectID]
    #expect(Set(deleted ?? []) == Set(books.map(\.objectID)) && deleted?.count == 3)
    #expect(try stack.texts("Book", "title") == ["Bo0", "Bo1", "Bo2"])
    let mixed = try stack.reread("Tag").map(\.objectID) + stack.reread("Book").map(\.objectID)
    let error = #expect(throws: NSError.self) {
      try stack.context.execute(NSBatchDeleteRequest(objectIDs: mixed))
    }
    #expect(error?.code == NSCoreDataError)
    let copy = try #require(
      NSBatchDeleteRequest(objectIDs: mixed).copy() as? NSBatchDeleteRequest
    )
    #expect(throws: NSError.self) { try stack.context.execute(copy) }
    let none = NSBatchDeleteRequest(objectIDs: [])
    none.resultType = .resultTypeCount
    let nothing = try stack.context.execute(none) as? NSBatchDeleteResult
    #expect(nothing?.result as? Int == 0)
    #expect(try stack.reread("Tag").count == 2)
  }

  @Test("DELB-1 by object IDs in equal steps, close together, far apart or few: one statement")
  func manyObjectIDs() throws {
    let sets: [(step: Int, others: Set<Int>)] = [(1, []), (2, []), (2, [500]), (30, []), (300, [])]
    for (step, others) in sets {
      let stack = try LibraryStack()
      let rows = (0..<1000).map { ["name": "\($0)"] }
      let ids = try #require(try stack.insert("Tag", rows, .objectIDs) as? [NSManagedObjectID])
      let chosen = Set(stride(from: 1, to: 1000, by: step)).union(others)
      let request = NSBatchDeleteRequest(objectIDs: chosen.map { ids[$0] })
      request.resultType = .resultTypeCount
      var count: Any?
      let statements = try stack.statements {
        count = (try stack.context.execute(request) as? NSBatchDeleteResult)?.result
      }
      #expect(count as? Int == chosen.count)
      #expect(statements.filter { $0.contains("INSERT INTO temp.") }.count == 1)
      let left = Set(0..<1000).subtracting(chosen)
      #expect(Set(try stack.texts("Tag", "name")) == Set(left.map { "\($0)" }))
    }
  }

  @Test("DELB-1 minimum counts are not checked")
  func minimum() throws {
    let model = Library.model()
    let books = model.entitiesByName["Tag"]?.relationshipsByName["books"]
    books?.isOptional = false
    books?.minCount = 1
    let stack = try LibraryStack(model: model)
    stack.make("Book", ["title": "b"])
      .setValue(NSSet(object: stack.make("Tag", ["name": "t"])), forKey: "tags")
    try stack.context.save()
    #expect(try stack.delete("Book") as? Int == 1)
    #expect(try stack.reread("Tag").first?.members("books").isEmpty == true)
  }

  @Test("DELB-1 a cascade through a tree, and around a circle, ends")
  func recursion() throws {
    let stack = try LibraryStack(model: Tree.model())
    let root = stack.make("Node", ["name": "r"])
    var last = root
    for depth in 0..<20 {
      let next = stack.make("Node", ["name": "\(depth)"])
      next.setValue(last, forKey: "parent")
      last = next
    }
    root.setValue(last, forKey: "parent")
    let other = stack.make("Node", ["name": "other"])
    _ = other
    try stack.context.save()
    #expect(try stack.delete("Node", where: NSPredicate(format: "name == '5'")) as? Int == 1)
    #expect(try stack.texts("Node", "name") == ["other"])
  }

  @Test("DELB-2 files of external storage go with their rows, after the commit")
  func files() throws {
    let photos = try StoredPhotos(["a", "b"])
    let stack = photos.stack
    #expect(try stack.delete("Cover", where: NSPredicate(format: "colour == 'a'")) as? Int == 1)
    #expect(try photos.files() == [photos.names["b"]])
  }

  @Test("DELB-3 the IDs of a batch can be merged into contexts by hand")
  func merging() throws {
    let stack = try stack()
    let reader = stack.container.newBackgroundContext()
    let tags = try stack.reread("Tag", in: reader)
    let ids = try stack.delete("Tag", nil, .resultTypeObjectIDs) as? [NSManagedObjectID]
    #expect(tags.allSatisfy { !$0.isDeleted })
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: ids ?? []],
      into: [reader, stack.context]
    )
    #expect(tags.allSatisfy { $0.isDeleted })
    let inserted = try stack.insert("Tag", [["name": "n"]], .objectIDs) as? [NSManagedObjectID]
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSInsertedObjectIDsKey: inserted ?? []],
      into: [reader]
    )
    let found = try #require(
      try reader.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag")).first
    )
    let updated = try stack.update("Tag", ["name": "m"], .updatedObjectIDsResultType)
    #expect(found.text("name") == "n")
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectIDsKey: updated ?? []],
      into: [reader]
    )
    #expect(found.text("name") == "m")
  }

  @Test("One statement where no rule follows; a number that the rows do not change otherwise")
  func statements() throws {
    let model = Library.model()
    model.entitiesByName["Author"]?.relationshipsByName["books"]?.deleteRule = .noActionDeleteRule
    let stack = try LibraryStack(model: model)
    _ = try stack.insert("Author", [["name": "a"], ["name": "b"]])
    let plain = try stack.statements { _ = try stack.delete("Author") }
    #expect(plain == ["BEGIN IMMEDIATE", "DELETE FROM ZAUTHOR AS t0", "COMMIT"])
    var counts: [Int] = []
    for size in [3, 300] {
      _ = try stack.insert("Book", (0..<size).map { ["title": "\($0)"] })
      counts.append(try stack.statements { _ = try stack.delete("Book") }.count)
    }
    #expect(counts[0] == counts[1])
  }
}

/// A model of nodes with a parent and children, which cascade.
private enum Tree {
  static func model() -> NSManagedObjectModel {
    let node = NSEntityDescription()
    node.name = "Node"
    let name = NSAttributeDescription()
    name.name = "name"
    name.attributeType = .stringAttributeType
    let parent = NSRelationshipDescription()
    parent.name = "parent"
    parent.destinationEntity = node
    parent.maxCount = 1
    parent.deleteRule = .nullifyDeleteRule
    let children = NSRelationshipDescription()
    children.name = "children"
    children.destinationEntity = node
    children.maxCount = 0
    children.deleteRule = .cascadeDeleteRule
    parent.inverseRelationship = children
    children.inverseRelationship = parent
    node.properties = [name, parent, children]
    let model = NSManagedObjectModel()
    model.entities = [node]
    return model
  }
}
