// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import Testing

/// Fetches that show saved values only, of predicates that SQL cannot express: they are evaluated in a
/// context of their own, which reads what the fetching context reads.
@Suite struct StoredRemainderTests {
  /// Matches the books of authors with two books.
  private static var hasTwin: NSPredicate {
    NSPredicate { object, _ in
      let author = (object as? NSManagedObject)?.value(forKey: "author") as? NSManagedObject
      return author?.members("books").count == 2
    }
  }

  /// A store with an author of the books `a` and `b`.
  private func stack() throws -> LibraryStack {
    let stack = try LibraryStack()
    let author = stack.make("Author", ["name": "Ada"])
    for title in ["a", "b"] { _ = stack.make("Book", ["title": title, "author": author]) }
    try stack.context.save()
    return stack
  }

  private static func titles(_ context: NSManagedObjectContext) throws -> [String] {
    let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
    rows.predicate = hasTwin
    rows.resultType = .dictionaryResultType
    rows.propertiesToFetch = ["title"]
    return try context.fetch(rows).compactMap { $0["title"] as? String }.sorted()
  }

  private static func storedObjects(_ context: NSManagedObjectContext) throws -> Int {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = hasTwin
    request.includesPendingChanges = false
    _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
    return try context.fetch(request).count
  }

  @Test("QG-1 a pinned context evaluates the predicate on rows of its query generation")
  func pinned() throws {
    let stack = try stack()
    let pinned = stack.container.newBackgroundContext()
    try pinned.setQueryGenerationFrom(.current)
    #expect(try Self.titles(pinned) == ["a", "b"])
    let books = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
    let second = try #require(books.first { $0.text("title") == "b" })
    stack.context.delete(second)
    try stack.context.save()
    #expect(try Self.titles(pinned) == ["a", "b"])
    #expect(try Self.storedObjects(pinned) == 2)
    #expect(try Self.titles(stack.container.newBackgroundContext()).isEmpty)
  }

  @Test("CON-4 the predicate reads its objects on their queue")
  func confined() async throws {
    await #expect(processExitsWith: .success) {
      setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
      let stack = try LibraryStack()
      let context = stack.context
      let found = try context.performAndWait {
        let author = stack.make("Author", ["name": "Ada"])
        for title in ["a", "b"] { _ = stack.make("Book", ["title": title, "author": author]) }
        try context.save()
        return try Self.titles(context).count + Self.storedObjects(context)
      }
      if found != 4 { exit(1) }
    }
  }
}
