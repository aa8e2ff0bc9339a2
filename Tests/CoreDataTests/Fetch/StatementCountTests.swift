// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataSQLite

/// How many statements reach SQLite: what a user can count on, whatever the number of rows.
@Suite struct StatementCountTests {
  private struct Difference {
    let prepared: Int
    let started: Int
    let transactions: Int
  }

  private func counts(
    _ stack: LibraryStack,
    _ body: () throws -> Void
  ) throws -> Difference {
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let before = store.statements.counts
    try body()
    let after = store.statements.counts
    return Difference(
      prepared: after.prepared - before.prepared,
      started: after.started - before.started,
      transactions: after.transactions - before.transactions
    )
  }

  @Test func aSortedFetchWithPredicateIsOneStatement() throws {
    let stack = try LibraryStack()
    for number in 0..<300 { _ = stack.make("Book", ["title": "\(number)", "pages": number]) }
    try stack.context.save()
    let context = stack.container.newBackgroundContext()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "pages > 10")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let fetch = try counts(stack) {
      let books = try context.fetch(request)
      #expect(books.count == 289)
      #expect(books.reduce(0) { $0 + ($1.value(forKey: "pages") as? Int ?? 0) } > 0)
    }
    #expect(fetch.started == 1 && fetch.transactions == 0)
  }

  @Test func savingAThousandNewObjectsIsOnePreparedInsertInOneTransaction() throws {
    let stack = try LibraryStack()
    for number in 0..<1000 { _ = stack.make("Book", ["title": "\(number)"]) }
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let texts = Texts()
    store.statements.setOnStart { texts.add($0) }
    let save = try counts(stack) { try stack.context.save() }
    #expect(save.transactions == 1)
    #expect(texts.all.filter { $0.hasPrefix("INSERT INTO ZBOOK") }.count == 1)
    // A second save prepares nothing anew.
    for number in 0..<1000 { _ = stack.make("Book", ["title": "\(number)"]) }
    let again = try counts(stack) { try stack.context.save() }
    #expect(again.transactions == 1 && again.prepared == 0)
  }

  @Test(
    "Batches, levels of prefetching, groups and batch requests: as many statements for 600 rows as for 30"
  )
  func countsDoNotGrowWithTheRows() throws {
    let few = try counts(of: 30)
    let many = try counts(of: 600)
    for (work, count) in few { #expect(many[work] == count, "\(work)") }
    #expect(few["keys"] == 1 && few["batch"] == 1 && few["groups"] == 1 && few["rows"] == 1)
    #expect(few["levels"] == 4 && few["update"] == 3)
  }

  /// What is done with a shelf of so many books → the statements that it takes.
  private func counts(of size: Int) throws -> [String: Int] {
    let shelf = try Shelf(size)
    let context = shelf.reader()
    var counts: [String: Int] = [:]
    func count(_ name: String, _ body: () throws -> Void) throws {
      counts[name] = try shelf.statements(body).count
    }
    var books: [NSManagedObject] = []
    try count("keys") {
      books = try context.fetch(shelf.request { $0.fetchBatchSize = size / 2 })
    }
    try count("batch") { #expect(Shelf.pages(books[..<(size / 2)]) == Array(0..<size / 2)) }
    books = []
    context.reset()
    try count("levels") {
      books = try context.fetch(
        shelf.request { $0.relationshipKeyPathsForPrefetching = ["author.books.chapters"] }
      )
    }
    let sum = Shelf.column("sum", NSExpression(format: "sum(pages)"))
    try count("groups") {
      let rows = try context.fetch(
        shelf.dictionaries(["title", sum]) { $0.propertiesToGroupBy = ["title"] }
      )
      #expect(rows.count == size)
    }
    try count("rows") {
      let rows = try context.fetch(shelf.request("pages >= 0"))
      #expect(rows.count == size)
    }
    try count("insert") {
      let rows = (0..<size / 30 * 128).map { ["title": "new \($0)", "pages": -1 - $0] }
      _ = try context.execute(NSBatchInsertRequest(entityName: "Book", objects: rows))
    }
    try count("update") {
      let update = NSBatchUpdateRequest(entityName: "Book")
      update.propertiesToUpdate = ["pages": NSExpression(format: "pages + 1")]
      _ = try context.execute(update)
    }
    try count("delete") {
      let all = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
      _ = try context.execute(NSBatchDeleteRequest(fetchRequest: all))
    }
    return counts
  }

  @Test func anUnchangedObjectIsNotWritten() throws {
    let stack = try LibraryStack()
    let book = stack.make("Book", ["title": "Momo"])
    try stack.context.save()
    book.setValue("Momo", forKey: "title")
    #expect(book.hasChanges && !book.hasPersistentChangedValues)
    let save = try counts(stack) { try stack.context.save() }
    #expect(save.started == 0)
  }
}

private final class Texts: @unchecked Sendable {
  // Unchecked: the store calls on the thread that saves.
  private(set) var all: [String] = []
  func add(_ text: String) { all.append(text) }
}
