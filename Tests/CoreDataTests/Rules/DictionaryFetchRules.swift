// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// `reference/behaviour.md` §12, dictionaries: groups, aggregates, distinct rows, computed columns.
@Suite struct DictionaryFetchRules {
  private static let stores = [NSSQLiteStoreType, NSInMemoryStoreType]

  private func aggregate(_ function: String, _ key: String) -> NSExpressionDescription {
    Shelf.column(
      function,
      NSExpression(forFunction: function, arguments: [NSExpression(forKeyPath: key)])
    )
  }

  @Test(
    "FR-14 groups by attributes and paths, with aggregates, in one statement",
    arguments: stores
  )
  func fr14(type: String) throws {
    let shelf = try Shelf(40, type)
    let aggregates: [Any] = ["sum:", "count:", "min:", "max:", "average:"].map {
      aggregate($0, "pages")
    }
    let request = shelf.dictionaries(["author.name" as Any] + aggregates) {
      $0.propertiesToGroupBy = ["author.name"]
      $0.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
    }
    var rows: [NSDictionary] = []
    let statements = try shelf.statements { rows = try shelf.context.fetch(request) }
    #expect(statements.count == (type == NSSQLiteStoreType ? 1 : 0))
    #expect(rows.map { $0["author.name"] as? String } == (0..<4).map { "author \($0)" })
    #expect(rows.map { $0["sum:"] as? Int } == [180, 190, 200, 210])
    #expect(rows.map { $0["count:"] as? Int } == [10, 10, 10, 10])
    #expect(rows.map { $0["min:"] as? Int } == [0, 1, 2, 3])
    #expect(rows.map { $0["max:"] as? Int } == [36, 37, 38, 39])
    #expect(rows.map { $0["average:"] as? Double } == [18, 19, 20, 21])
    // A to-one as the group gives IDs.
    let byAuthor = shelf.dictionaries(["author", aggregate("count:", "pages")]) {
      $0.propertiesToGroupBy = ["author"]
    }
    let groups = try shelf.context.fetch(byAuthor)
    #expect(groups.count == 4 && groups.allSatisfy { $0["author"] is NSManagedObjectID })
    #expect(groups.allSatisfy { $0["count:"] as? Int == 10 })
  }

  @Test(
    "FR-14 havingPredicate chooses groups, by a grouped column and by an aggregate",
    arguments: stores
  )
  func fr14Having(type: String) throws {
    let shelf = try Shelf(40, type)
    func names(_ format: String) throws -> [String] {
      let request = shelf.dictionaries(["author.name", aggregate("sum:", "pages")]) {
        $0.propertiesToGroupBy = ["author.name"]
        $0.havingPredicate = NSPredicate(format: format)
        $0.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: false)]
      }
      return try shelf.context.fetch(request).compactMap { $0["author.name"] as? String }
    }
    #expect(try names("author.name ENDSWITH '1'") == ["author 1"])
    #expect(try names("sum(pages) > 190") == ["author 3", "author 2"])
  }

  @Test(
    "FR-14 what is neither grouped nor an aggregate is refused, and so is HAVING alone",
    arguments: stores
  )
  func fr14Refused(type: String) throws {
    let shelf = try Shelf(2, type)
    let context = shelf.context
    #expect(throws: NSError.self) {
      try context.fetch(shelf.dictionaries(["title"]) { $0.propertiesToGroupBy = ["pages"] })
    }
    #expect(throws: NSError.self) {
      try context.fetch(
        shelf.dictionaries(["title"]) { $0.havingPredicate = NSPredicate(format: "pages > 1") }
      )
    }
    #expect(throws: NSError.self) {
      try context.fetch(
        shelf.dictionaries(["tags.name", aggregate("count:", "pages")]) {
          $0.propertiesToGroupBy = ["tags.name"]
        }
      )
    }
    #expect(throws: NSError.self) {
      try context.fetch(shelf.request { $0.propertiesToGroupBy = ["pages"] })
    }
    let literal = Shelf.column("one", NSExpression(forConstantValue: 1))
    let rows = try context.fetch(
      shelf.dictionaries([literal, "pages"]) { $0.propertiesToGroupBy = ["pages"] }
    )
    #expect(rows.count == 2 && rows.allSatisfy { $0["one"] as? Int == 1 })
  }

  @Test("FR-15 distinct rows need dictionaries and their columns", arguments: stores)
  func fr15(type: String) throws {
    let shelf = try Shelf(12, type)
    let names = shelf.dictionaries(["author.name"]) {
      $0.returnsDistinctResults = true
      $0.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
      $0.fetchOffset = 1
      $0.fetchLimit = 2
    }
    let found = try shelf.context.fetch(names).compactMap { $0["author.name"] as? String }
    #expect(found == ["author 1", "author 2"])
    let objects = shelf.request { $0.returnsDistinctResults = true }
    #expect(try shelf.context.fetch(objects).count == 12)
  }

  @Test("every function that SQL has gives in a column what memory gives")
  func functions() throws {
    let stored = try Shelf(9)
    let memory = try Shelf(9, NSInMemoryStoreType)
    let formats = [
      "pages + 2", "pages - price", "pages * 3", "price / 4", "abs(pages - 4)", "sqrt(pages)",
      "ceiling(price)", "floor(price)", "trunc(price)", "exp(price)", "ln(price + 1)",
      "log(price + 1)", "modulus:by:(pages, 4)", "pages ** 2", "uppercase(title)",
      "lowercase(title)", "length(title)", "canonical(title)", "pages & 3", "pages | 8",
      "pages ^ 5", "pages << 2", "pages >> 1", "onesComplement(pages)",
      "TERNARY(pages > 4, title, 'short')", "CAST(pages, 'NSString')", "noindex(pages)",
      "author.name", "tags.@count", "chapters.@count", "author.books.@sum.pages",
      "author.books.@max.price", "SUBQUERY(tags, $t, $t.name == 'tag 1').@count", "'text'", "7",
    ]
    for format in formats {
      let (row, other) = (try column(format, stored), try column(format, memory))
      #expect(row == other, "\(format)")
    }
    #expect(try column("pages + 2", stored).first == NSNumber(value: 2))
  }

  /// The values of an expression for the books, by pages.
  private func column(_ format: String, _ shelf: Shelf) throws -> [NSObject?] {
    let request = shelf.dictionaries([Shelf.column("value", NSExpression(format: format))]) {
      $0.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
    }
    do {
      return try shelf.reader().fetch(request).map { $0["value"] as? NSObject ?? NSNull() }
    } catch {
      Issue.record("\(format): \((error as NSError).localizedFailureReason ?? "")")
      return []
    }
  }

  @Test("a column of the object itself is its ID, of its declared type", arguments: stores)
  func objectColumn(type: String) throws {
    let shelf = try Shelf(3, type)
    let column = Shelf.column(
      "id",
      NSExpression.expressionForEvaluatedObject(),
      .objectIDAttributeType
    )
    let rows = try shelf.context.fetch(
      shelf.dictionaries([
        column, Shelf.column("p", NSExpression(forKeyPath: "price"), .stringAttributeType),
      ])
    )
    let ids = Set(rows.compactMap { $0["id"] as? NSManagedObjectID })
    #expect(ids == Set(try shelf.context.fetch(shelf.request()).map(\.objectID)))
  }

  @Test(
    "dictionaries with a condition that SQL cannot say are chosen from afterwards",
    arguments: stores
  )
  func remainder(type: String) throws {
    let shelf = try Shelf(20, type)
    let request = shelf.dictionaries(["author.name", aggregate("count:", "pages")]) {
      $0.propertiesToGroupBy = ["author.name"]
      $0.predicate = NSPredicate { object, _ in
        ((object as? NSManagedObject)?.value(forKey: "pages") as? Int ?? 0) < 10
      }
      $0.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
    }
    let rows = try shelf.reader().fetch(request)
    #expect(rows.map { $0["count:"] as? Int } == [3, 3, 2, 2])
  }
}
