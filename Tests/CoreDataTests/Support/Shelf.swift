// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataSQLite

/// Books in a library store, and the statements that reading them takes.
///
/// Four authors and three tags; the pages count up from 0 in the order of making.
final class Shelf: @unchecked Sendable {
  // Unchecked: a test uses it on one thread at a time.
  let stack: LibraryStack
  var context: NSManagedObjectContext { stack.context }

  /// - Parameters:
  ///   - count: how many books there are, each with one chapter.
  ///   - type: of the store.
  /// - Throws: what opening and saving the store throws.
  init(_ count: Int = 40, _ type: String = NSSQLiteStoreType) throws {
    stack = try LibraryStack(type)
    let authors = (0..<4).map { stack.make("Author", ["name": "author \($0)"]) }
    let tags = (0..<3).map { stack.make("Tag", ["name": "tag \($0)"]) }
    for number in 0..<count {
      let book = stack.make("Book", ["title": "title \(number)", "pages": number])
      book.setValue(Double(number) / 2, forKey: "price")
      book.setValue(authors[number % 4], forKey: "author")
      book.setValue(Set([tags[number % 3], tags[(number + 1) % 3]]), forKey: "tags")
      let chapter = stack.make("Chapter", ["name": "chapter of \(number)"])
      chapter.setValue(book, forKey: "book")
    }
    try stack.context.save()
    stack.context.reset()
  }

  /// A context that knows no object.
  func reader() -> NSManagedObjectContext { stack.container.newBackgroundContext() }

  func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
    let child = NSManagedObjectContext(.privateQueue)
    child.parent = parent
    return child
  }

  /// All books, by pages.
  func request(
    _ format: String? = nil,
    _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
  ) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = format.map { NSPredicate(format: $0) }
    request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
    change(request)
    return request
  }

  func dictionaries(
    _ properties: [Any],
    _ change: (NSFetchRequest<NSDictionary>) -> Void = { _ in }
  ) -> NSFetchRequest<NSDictionary> {
    let request = NSFetchRequest<NSDictionary>(entityName: "Book")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = properties
    change(request)
    return request
  }

  /// The texts of the statements that `body` starts.
  func statements(_ body: () throws -> Void) throws -> [String] {
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let log = StatementLines()
    store.statements.setOnStart { log.lines.append($0) }
    defer { store.statements.setOnStart(nil) }
    try body()
    return log.lines
  }

  static func pages(_ objects: some Sequence<NSManagedObject>) -> [Int] {
    objects.map { $0.value(forKey: "pages") as? Int ?? -1 }
  }

  /// A column of a dictionary fetch.
  static func column(
    _ name: String,
    _ expression: NSExpression,
    _ type: NSAttributeType = .undefinedAttributeType
  ) -> NSExpressionDescription {
    let column = NSExpressionDescription()
    column.name = name
    column.expression = expression
    column.expressionResultType = type
    return column
  }
}

private final class StatementLines: @unchecked Sendable {
  // Unchecked: the store calls on the thread that fetches.
  var lines: [String] = []
}
