// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Regular expressions whose steps grow beyond all bounds.
@Suite struct PatternBoundTests {
  private static let text = String(repeating: "a", count: 40) + "b"

  private static func error(_ type: String, _ format: String) throws -> String {
    let stack = try LibraryStack(type)
    _ = stack.make("Book", ["title": text])
    try stack.context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: format)
    do {
      return "\(try stack.context.fetch(request).count) found"
    } catch {
      return "\((error as NSError).code) \(error.localizedDescription)"
    }
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func `A pattern that needs too many steps is an error that names it`(_ type: String) throws {
    let error = try Self.error(type, "title MATCHES '(a+)+$'")
    #expect(error.hasPrefix("134091"), "\(error)")
    #expect(error.contains("the pattern (a+)+$ needs too many steps for a text of 41 characters"))
    #expect(try Self.error(type, "title MATCHES 'a+b'") == "1 found")
    #expect(try Self.error(type, "title MATCHES 'a+'") == "0 found")
  }

  @Test func `A pattern without room for its way back is an error, not the lack of a match`() throws
  {
    let long = String(repeating: "ab", count: 500_000)
    let condition = NSPredicate(format: "SELF MATCHES '(a|b)*'")
    #expect(condition.evaluate(with: String(long.prefix(1_000))))
    let stack = try LibraryStack()
    _ = stack.make("Book", ["title": long])
    try stack.context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "title MATCHES '(a|b)*'")
    #expect(throws: (any Error).self) { try stack.context.fetch(request) }
    request.predicate = NSPredicate(format: "title MATCHES '[ab]*'")
    #expect(try stack.context.count(for: request) == 1)
  }
}
