// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataSQLite

/// What SQL cannot say is evaluated afterwards: in every result type, with exact windows, and with a
/// number of statements that does not grow with the rows.
@Suite struct RemainderTests {
  private static let stores = [NSSQLiteStoreType, NSInMemoryStoreType]

  /// Forty books of four authors; the pages count up, every second title is even.
  private func shelf(_ type: String = NSSQLiteStoreType) throws -> LibraryStack {
    let stack = try LibraryStack(type)
    let authors = (0..<4).map { stack.make("Author", ["name": "author \($0)"]) }
    for number in 0..<40 {
      let title = number % 2 == 0 ? "even \(number)" : "odd \(number)"
      _ = stack.make("Book", ["title": title, "pages": number, "author": authors[number % 4]])
    }
    try stack.context.save()
    return stack
  }

  private static var isEven: NSPredicate {
    NSPredicate { object, _ in
      ((object as? NSManagedObject)?.value(forKey: "pages") as? Int ?? 1) % 2 == 0
    }
  }

  private func request(
    _ predicate: NSPredicate,
    _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
  ) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = predicate
    request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
    change(request)
    return request
  }

  private func pages(_ objects: [NSManagedObject]) -> [Int] {
    objects.map { $0.value(forKey: "pages") as? Int ?? -1 }
  }

  @Test(arguments: stores)
  func aBlockBesideAConditionKeepsLimitAndOffset(type: String) throws {
    let stack = try shelf(type)
    let both = NSCompoundPredicate(
      andPredicateWithSubpredicates: [NSPredicate(format: "pages > 9"), Self.isEven]
    )
    let all = try stack.context.fetch(request(both))
    #expect(pages(all) == Array(stride(from: 10, to: 40, by: 2)))
    let window = try stack.context.fetch(
      request(both) {
        $0.fetchLimit = 3
        $0.fetchOffset = 2
      }
    )
    #expect(pages(window) == [14, 16, 18])
    #expect(try stack.context.count(for: request(both)) == 15)
    #expect(try stack.context.count(for: request(both) { $0.fetchLimit = 4 }) == 4)
  }

  @Test(arguments: stores)
  func everyResultTypeIsChosenFromAfterwards(type: String) throws {
    let stack = try shelf(type)
    let expected = pages(try stack.context.fetch(request(Self.isEven)))
    let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
    ids.predicate = Self.isEven
    ids.resultType = .managedObjectIDResultType
    ids.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
    let objects = try stack.context.fetch(ids).map { stack.context.object(with: $0) }
    #expect(pages(objects) == expected)
    let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
    rows.predicate = Self.isEven
    rows.resultType = .dictionaryResultType
    rows.propertiesToFetch = ["pages"]
    rows.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
    rows.fetchOffset = 1
    rows.fetchLimit = 2
    #expect(try stack.context.fetch(rows).map { $0["pages"] as? Int } == [2, 4])
    let count = NSFetchRequest<NSNumber>(entityName: "Book")
    count.predicate = Self.isEven
    count.resultType = .countResultType
    #expect(try stack.context.fetch(count).first?.intValue == 20)
  }

  @Test(arguments: stores)
  func aConditionAndAConditionOnGroupsThatOneStatementCannotBind(type: String) throws {
    let stack = try shelf(type)
    let texts = (0..<16).map { "'odd \($0)'" }.joined(separator: ", ")
    let parts = (0..<1200).map { "(title IN {\(texts)} AND pages > \($0))" }
    let many = NSPredicate(format: parts.joined(separator: " OR "))
    let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
    rows.predicate = many
    rows.resultType = .dictionaryResultType
    rows.propertiesToFetch = ["title", "pages"]
    rows.propertiesToGroupBy = ["title", "pages"]
    rows.havingPredicate = many
    rows.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
    let found = try stack.context.fetch(rows).map { $0["pages"] as? Int }
    #expect(found == Array(stride(from: 1, to: 16, by: 2)))
  }

  @Test func anAggregateOverDistinctValuesOfMembersIsAValueOfEachObject() throws {
    let stack = try shelf(NSInMemoryStoreType)
    let sum = NSExpressionDescription()
    sum.name = "sum"
    sum.expression = NSExpression(format: "sum:(books.@distinctUnionOfObjects.pages)")
    sum.expressionResultType = .integer64AttributeType
    let rows = NSFetchRequest<NSDictionary>(entityName: "Author")
    rows.resultType = .dictionaryResultType
    rows.propertiesToFetch = ["name", sum]
    rows.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let sums = try stack.context.fetch(rows).map { $0["sum"] as? Int }
    // Each author has ten books, whose pages are four apart.
    #expect(sums == (0..<4).map { author in (0..<10).reduce(0) { $0 + author + 4 * $1 } })
  }

  @Test(arguments: stores)
  func aComparatorSortsAfterwards(type: String) throws {
    let stack = try shelf(type)
    let order = NSSortDescriptor(key: "pages", ascending: true) { left, right in
      // Backwards, the even ones first.
      let (a, b) = (left as? Int ?? 0, right as? Int ?? 0)
      if a % 2 != b % 2 { return a % 2 == 0 ? .orderedAscending : .orderedDescending }
      return a > b ? .orderedAscending : a < b ? .orderedDescending : .orderedSame
    }
    let sorted = try stack.context.fetch(
      request(NSPredicate(format: "pages < 6")) {
        $0.sortDescriptors = [order]
        $0.fetchOffset = 1
        $0.fetchLimit = 4
      }
    )
    #expect(pages(sorted) == [2, 0, 5, 3])
    let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
    rows.predicate = NSPredicate(format: "pages < 6")
    rows.resultType = .dictionaryResultType
    rows.propertiesToFetch = ["pages"]
    rows.sortDescriptors = [order]
    rows.fetchOffset = 1
    rows.fetchLimit = 4
    #expect(try stack.context.fetch(rows).map { $0["pages"] as? Int } == [2, 0, 5, 3])
  }

  @Test func unsavedChangesLieOverWhatIsChosenAfterwards() throws {
    let stack = try shelf()
    let context = stack.context
    let chosen = try context.fetch(request(Self.isEven))
    let first = try #require(chosen.first)
    first.setValue(101, forKey: "pages")
    _ = stack.make("Book", ["title": "new", "pages": 100])
    let overlaid = try context.fetch(request(Self.isEven))
    #expect(pages(overlaid).suffix(2) == [38, 100])
    #expect(try context.count(for: request(Self.isEven)) == 20)
    // The store alone: the changed book is even there, and the new one is not there.
    let stored = request(Self.isEven) { $0.includesPendingChanges = false }
    #expect(try context.count(for: stored) == 20)
    let fetched = try context.fetch(stored)
    #expect(Set(pages(fetched)) == Set([101] + Array(stride(from: 2, to: 40, by: 2))))
    let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
    rows.predicate = Self.isEven
    rows.resultType = .dictionaryResultType
    rows.propertiesToFetch = ["pages"]
    rows.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
    #expect(try context.fetch(rows).first?["pages"] as? Int == 0)
  }

  // MARK: Statements

  private func statements(_ stack: LibraryStack, _ body: () throws -> Void) throws -> Int {
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let before = store.statements.counts.started
    try body()
    return store.statements.counts.started - before
  }

  @Test(arguments: [
    "title BEGINSWITH 'even' AND pages > 3", "ANY tags.name ==[cd] 'a'",
    "author.name == 'author 1' AND NOT (title CONTAINS[c] 'x')",
    "SUBQUERY(chapters, $c, $c.name == 'a' AND $c.book.pages > 1).@count == 0",
    "author.books.@sum.pages > 10 AND author.books.@avg.pages < 100",
    "ALL author.books.title LIKE '* *'", "TERNARY(pages > 3, pages, 2 ** 3) > 5",
    "uppercase(title) MATCHES 'EVEN .*'", "CAST(pages, 'NSString') IN {'1', '2'}",
    "pages IN %@", "ANY author.books.tags.name == 'a' OR pages + 2 * 3 > sqrt(pages)",
    "title IN author.books.title", "cover.colour == nil", "random() >= 0",
  ])
  func aFetchIsOneStatementWhateverThePredicate(format: String) throws {
    let stack = try shelf()
    let context = stack.container.newBackgroundContext()
    let predicate = NSPredicate(format: format, argumentArray: [Array(0..<2000)])
    let fetches = try statements(stack) { _ = try context.fetch(request(predicate)) }
    let counts = try statements(stack) { _ = try context.count(for: request(predicate)) }
    #expect(fetches == 1 && counts == 1)
  }

  @Test func relationshipsThatTheRestReadsAreReadTogether() throws {
    let stack = try shelf()
    let context = stack.container.newBackgroundContext()
    // The members' median is beyond SQL: books of the author, and the authors, are read once each.
    let predicate = NSPredicate(format: "median(author.books.pages) > 10 AND pages > 3")
    var found = 0
    let count = try statements(stack) { found = try context.fetch(request(predicate)).count }
    #expect(found == 36)
    #expect(count <= 4)
  }
}
