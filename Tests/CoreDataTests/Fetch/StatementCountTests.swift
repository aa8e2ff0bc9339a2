// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataSQLite
import Testing

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
