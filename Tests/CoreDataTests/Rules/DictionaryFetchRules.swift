// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// `docs/reference/behaviour.md` §12, dictionaries: groups, aggregates, distinct rows, computed columns.
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

  @Test(
    "FR-14 columns computed from aggregates are of the group; of a to-many, of each object",
    arguments: stores
  )
  func fr14Computed(type: String) throws {
    let shelf = try Shelf(9, type)
    func values(_ format: String, by group: [Any]? = nil) throws -> [Int?] {
      let column = Shelf.column("value", NSExpression(format: format))
      let rows = try shelf.context.fetch(
        shelf.dictionaries([column]) {
          $0.propertiesToGroupBy = group
          $0.sortDescriptors = [NSSortDescriptor(key: "value", ascending: true)]
        }
      )
      return rows.map { $0["value"] as? Int }
    }
    #expect(try values("sum:(pages) * 2") == [72])
    #expect(try values("max:(pages) - min:(pages)") == [8])
    // Books 0 4 8, 1 5, 2 6 and 3 7 by four authors.
    #expect(try values("max:(pages) - min:(pages)", by: ["author"]) == [4, 4, 4, 8])
    #expect(try values("count:(tags)") == Array(repeating: 2, count: 9))
    #expect(try values("count:(tags) + pages") == Array(2...10))
  }

  @Test("FR-14 an aggregate of each type of attribute, of nils and of nothing", arguments: stores)
  func fr14Types(type: String) throws {
    let stack = try LibraryStack(type, model: Catalogue.model())
    var random = RandomSteps(state: 5)
    let items = (0..<12).map { _ in Catalogue.values(&random) }
    for item in items { _ = stack.make("Item", item) }
    try stack.context.save()
    func value(_ function: String, _ key: String, ofNone: Bool = false) throws -> Any? {
      let request = NSFetchRequest<NSDictionary>(entityName: "Item")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [aggregate(function, key)]
      if ofNone { request.predicate = NSPredicate(format: "medium == 1") }
      let rows = try stack.context.fetch(request)
      #expect(rows.count == 1)
      return rows.first?[function]
    }
    for key in Catalogue.numbers {
      let numbers = items.compactMap { $0[key] as? NSNumber ?? (key == "medium" ? 7 : nil) }
        .map(\.doubleValue)
      let sum = numbers.reduce(0, +)
      let sums = try value("sum:", key) as? NSNumber
      let means = try value("average:", key) as? NSNumber
      #expect(abs((sums?.doubleValue ?? .nan) - sum) < 1e-6, "sum of \(key)")
      #expect(
        abs((means?.doubleValue ?? .nan) - sum / Double(numbers.count)) < 1e-6,
        "average of \(key)"
      )
      #expect((sums is NSDecimalNumber) == (key == "exact") && sums?.isEqual(true) == false)
      #expect((means is NSDecimalNumber) == (key == "exact"))
      #expect((try value("max:", key) as? NSNumber)?.doubleValue == numbers.max())
      #expect((try value("min:", key) as? NSNumber)?.doubleValue == numbers.min())
      #expect(try value("sum:", key, ofNone: true) == nil)
      #expect(try value("average:", key, ofNone: true) == nil)
    }
    let dates = items.compactMap { $0["date"] as? Date }
    #expect(try value("max:", "date") as? Date == dates.max())
    let seconds = dates.map(\.timeIntervalSinceReferenceDate).reduce(0, +)
    #expect(try value("sum:", "date") as? Double == seconds)
    #expect(try value("average:", "date") as? Double == seconds / Double(dates.count))
    let texts = items.compactMap { $0["text"] as? String }
    #expect(try value("min:", "text") as? String == texts.min())
    for key in ["text", "date", "id", "link", "bytes", "object"] {
      #expect(try value("count:", key) as? Int == items.count { $0[key] != nil }, "\(key)")
      #expect(try value("count:", key, ofNone: true) as? Int == 0)
      if key == "object" && type == NSSQLiteStoreType {
        #expect(throws: NSError.self) { try value("max:", key) }
      } else {
        #expect(try value("max:", key, ofNone: true) == nil)
      }
      if key == "date" { continue }
      for function in ["sum:", "average:"] {
        let error = #expect(throws: NSError.self) { try value(function, key) }
        #expect(error?.localizedFailureReason?.contains(function.dropLast()) == true)
      }
    }
  }

  @Test("FR-4 values of files and of transformers come as objects have them", arguments: stores)
  func fr4Values(type: String) throws {
    let stack = try LibraryStack(type, model: Catalogue.model())
    let owner = stack.make("Owner", ["name": "o"])
    let large = Data(repeating: 1, count: 200_000)
    for file in [large, Data([1, 2]), nil] {
      let item = stack.make("Item", ["owner": owner, "object": ["n", "m"] as NSArray])
      item.setValue(file, forKey: "file")
    }
    try stack.context.save()
    let request = NSFetchRequest<NSDictionary>(entityName: "Item")
    request.resultType = .dictionaryResultType
    let column = Shelf.column("copy", NSExpression(forKeyPath: "file"), .binaryDataAttributeType)
    for predicate in [nil, NSPredicate { _, _ in true }] {
      for columns in [[], ["file", "object", column]] {
        request.predicate = predicate
        request.propertiesToFetch = columns
        let rows = try stack.container.newBackgroundContext().fetch(request)
        #expect(Set(rows.map { $0["file"] as? Data }) == [large, Data([1, 2]), nil])
        #expect(rows.allSatisfy { $0["object"] as? [String] == ["n", "m"] })
        if columns.isEmpty { continue }
        #expect(rows.allSatisfy { $0["copy"] as? Data == $0["file"] as? Data })
      }
    }
  }

  @Test("no columns are all columns", arguments: stores)
  func noColumns(type: String) throws {
    let shelf = try Shelf(2, type)
    let rows = try shelf.context.fetch(shelf.dictionaries([]))
    #expect(rows.count == 2)
    let keys = Set((rows.first?.allKeys ?? []).compactMap { $0 as? String })
    #expect(keys == ["author", "pages", "price", "title"])
  }

  @Test("FR-16 dictionaries of several stores are grouped, sorted and cut together")
  func fr16() throws {
    let shelf = try Shelf(8)
    let coordinator = shelf.stack.container.persistentStoreCoordinator
    let second = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType,
      configurationName: nil,
      at: nil
    )
    for pages in [1, 3, 20] {
      let book = shelf.stack.make("Book", ["pages": pages, "title": "title \(pages)"])
      shelf.context.assign(book, to: second)
    }
    try shelf.context.save()
    // What is unsaved does not count.
    _ = shelf.stack.make("Book", ["pages": 30])
    let child = shelf.child(of: shelf.context)
    for context in [shelf.context, shelf.reader(), child] {
      try context.performAndWait {
        let window = shelf.dictionaries(["pages"]) {
          $0.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
          $0.fetchOffset = 1
          $0.fetchLimit = 6
        }
        #expect(try context.fetch(window).map { $0["pages"] as? Int } == [7, 6, 5, 4, 3, 3])
        let totals = try context.fetch(
          shelf.dictionaries([aggregate("sum:", "pages"), aggregate("count:", "pages")])
        )
        #expect(totals == [["sum:": 52, "count:": 11]])
        let groups = shelf.dictionaries(["title", aggregate("count:", "pages")]) {
          $0.propertiesToGroupBy = ["title"]
          $0.havingPredicate = NSPredicate(format: "count:(pages) == 2")
          $0.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        }
        #expect(try context.fetch(groups).map { $0["title"] as? String } == ["title 1", "title 3"])
        let names = shelf.dictionaries(["author.name"]) {
          $0.returnsDistinctResults = true
          $0.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
        }
        let found = try context.fetch(names).map { $0["author.name"] as? String }
        #expect(found == [nil] + (0..<4).map { "author \($0)" })
        let title = shelf.dictionaries(["title"]) {
          $0.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
          $0.fetchLimit = 2
        }
        #expect(try context.fetch(title).map { $0["title"] as? String } == ["title 20", "title 7"])
      }
    }
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
