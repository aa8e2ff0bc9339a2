// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Corners of the language in which memory and the store must mean the same.
@Suite struct PredicateMeaningTests {
  private static let stores = [NSSQLiteStoreType, NSInMemoryStoreType]

  /// Users with tags, as `name IN {…}` of other packages has them: authors with books.
  private static func library(_ type: String) throws -> LibraryStack {
    let stack = try LibraryStack(type)
    for (name, titles) in [("Erna", ["Erna", "x"]), ("Otto", ["y"]), ("Tag 2", [])] {
      let author = stack.make("Author", ["name": name])
      for title in titles {
        stack.make("Book", ["title": title]).setValue(author, forKey: "author")
      }
    }
    try stack.context.save()
    return stack
  }

  private static func names(_ stack: LibraryStack, _ predicate: NSPredicate) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.predicate = predicate
    let fetched = try stack.context.fetch(request)
    let names = fetched.compactMap { $0.value(forKey: "name") as? String }.sorted()
    let all = try stack.reread("Author").filtered(using: predicate)
    #expect(all.compactMap { $0.value(forKey: "name") as? String }.sorted() == names)
    return names
  }

  @Test(arguments: stores)
  func `A to-many's key path in an aggregate stands for its values`(_ type: String) throws {
    let stack = try Self.library(type)
    let inside = NSPredicate(format: "name IN {'Tag 2', books.title}")
    #expect(try Self.names(stack, inside) == ["Erna", "Tag 2"])
    let mirrored = NSPredicate(format: "{'Tag 2', books.title} CONTAINS name")
    #expect(try Self.names(stack, mirrored) == ["Erna", "Tag 2"])
    let folded = NSPredicate(format: "'ERNA' IN[c] {books.title}")
    #expect(try Self.names(stack, folded) == ["Erna"])
  }

  @Test(arguments: stores)
  func `A subquery made of expressions reads its variable by $x.key`(_ type: String) throws {
    let stack = try Self.library(type)
    let condition = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "$x.title"),
      rightExpression: NSExpression(forConstantValue: "x"),
      modifier: .direct,
      type: .equalTo
    )
    let subquery = NSExpression(
      forSubquery: NSExpression(forKeyPath: "books"),
      usingIteratorVariable: "x",
      predicate: condition
    )
    let count = NSExpression(
      forFunction: "count:",
      arguments: [subquery]
    )
    let predicate = NSComparisonPredicate(
      leftExpression: count,
      rightExpression: NSExpression(forConstantValue: 1),
      modifier: .direct,
      type: .equalTo
    )
    #expect(predicate.description == "count(SUBQUERY(books, $x, $x.title == \"x\")) == 1")
    #expect(try Self.names(stack, predicate) == ["Erna"])
    let format = NSPredicate(format: "SUBQUERY(books, $x, %K == 'x').@count == 1", "$x.title")
    #expect(try Self.names(stack, format) == ["Erna"])
    #expect(NSExpression(forKeyPath: "$x").description == "$x")
  }

  @Test(arguments: stores)
  func `A text is in no list of numbers`(_ type: String) throws {
    let stack = try Self.library(type)
    _ = stack.make("Author", ["name": "9"])
    try stack.context.save()
    #expect(try Self.names(stack, NSPredicate(format: "name IN %@", [9, 10])) == [])
    #expect(try Self.names(stack, NSPredicate(format: "name IN %@", ["9", "10"])) == ["9"])
  }

  @Test func `The mean of texts is an error`() throws {
    let stack = try Self.library(NSSQLiteStoreType)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.predicate = NSPredicate(format: "books.@avg.title > 3")
    let error = #expect(throws: (any Error).self) { try stack.context.fetch(request) }
    #expect(error?.localizedDescription.isEmpty == false)
  }

  @Test(arguments: stores)
  func `A decimal that is not a number comes behind all numbers, and equals itself`(
    _ type: String
  ) throws {
    let model = NSManagedObjectModel()
    let entity = NSEntityDescription()
    entity.name = "Sum"
    let number = NSAttributeDescription()
    number.name = "dec"
    number.attributeType = .decimalAttributeType
    entity.properties = [number]
    model.entities = [entity]
    let stack = try LibraryStack(type, model: model)
    for value in ["-1", "2.5", "NaN"] {
      _ = stack.make("Sum", ["dec": value == "NaN" ? .notANumber : NSDecimalNumber(string: value)])
    }
    try stack.context.save()
    func found(_ predicate: NSPredicate) throws -> [String] {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Sum")
      request.predicate = predicate
      request.sortDescriptors = [NSSortDescriptor(key: "dec", ascending: true)]
      let rows = try stack.context.fetch(request)
      let fresh = try stack.reread("Sum").filtered(using: predicate)
      #expect(fresh.count == rows.count, "\(predicate)")
      return rows.compactMap { ($0.value(forKey: "dec") as? NSDecimalNumber)?.description }
    }
    #expect(try found(NSPredicate(format: "dec != nil")) == ["-1", "2.5", "NaN"])
    #expect(try found(NSPredicate(format: "dec > 1e126")) == ["NaN"])
    #expect(try found(NSPredicate(format: "dec < 0")) == ["-1"])
    #expect(try found(NSPredicate(format: "dec >= 2.5")) == ["2.5", "NaN"])
    #expect(try found(NSPredicate(format: "dec == %@", NSDecimalNumber.notANumber)) == ["NaN"])
    #expect(
      try found(NSPredicate(format: "dec < %@", NSDecimalNumber.notANumber)) == ["-1", "2.5"]
    )
    #expect(try found(NSPredicate(format: "dec == dec")).count == 3)

    func total(_ function: String, _ predicate: NSPredicate) throws -> NSDecimalNumber? {
      let column = NSExpressionDescription()
      column.name = "total"
      column.expression = NSExpression(format: "\(function):(dec)")
      let request = NSFetchRequest<NSDictionary>(entityName: "Sum")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [column]
      request.predicate = predicate
      return try stack.context.fetch(request).first?["total"] as? NSDecimalNumber
    }
    for function in ["sum", "average"] {
      #expect(try total(function, NSPredicate(value: true)) == .notANumber, "\(function)")
    }
    #expect(try total("sum", NSPredicate(format: "dec < 3")) == 1.5)
    #expect(try total("average", NSPredicate(format: "dec < 3")) == 0.75)
  }

  @Test func `A compound made in code shows what it says where it is printed`() {
    let compound = NSCompoundPredicate(orPredicateWithSubpredicates: [
      NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2"),
    ])
    var text = ""
    print(compound, terminator: "", to: &text)
    #expect(text == "a == 1 OR b == 2")
    let any: Any = compound
    #expect("\(any)" == "a == 1 OR b == 2")
  }

  @Test func `A batch request to a store in memory says why it cannot be, and what to do`() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
    let error = #expect(throws: NSError.self) {
      try stack.context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
    }
    #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
    let reason = error?.localizedFailureReason ?? ""
    #expect(
      reason.contains("Insert, change or delete the objects in a context instead"),
      "\(reason)"
    )
  }

  @Test func `Setting a key that the entity does not have names the nearest one`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try LibraryStack(NSInMemoryStoreType)
      stack.make("Book").setValue("Momo", forKey: "titel")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains("Book has no property titel (did you mean title?)"),
      "\(text.suffix(400))"
    )
  }
}
