// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Trees made in code, of any depth: evaluated, printed, archived, fetched with, or refused with a reason.
@Suite struct DeepPredicateTests {
  private static let limit = "nested more than 1000 levels deep"

  private static func isLong(_ pages: Int) -> NSPredicate {
    NSPredicate(format: "pages >= %d", pages)
  }

  /// NOT of NOT of …, `count` times.
  private static func negated(_ predicate: NSPredicate, _ count: Int) -> NSPredicate {
    (0..<count).reduce(predicate) { inner, _ in
      NSCompoundPredicate(notPredicateWithSubpredicate: inner)
    }
  }

  private static func sum(_ levels: Int) -> NSExpression {
    (0..<levels).reduce(NSExpression(forKeyPath: "pages")) { inner, _ in
      NSExpression(
        forFunction: "add:to:",
        arguments: [inner, NSExpression(forConstantValue: 1)]
      )
    }
  }

  private static func equals(_ left: NSExpression, _ number: Int) -> NSPredicate {
    NSComparisonPredicate(
      leftExpression: left,
      rightExpression: NSExpression(forConstantValue: number),
      modifier: .direct,
      type: .equalTo
    )
  }

  private static func library(_ type: String) throws -> LibraryStack {
    let stack = try LibraryStack(type)
    for number in 0..<20 { _ = stack.make("Book", ["title": "b\(number)", "pages": number]) }
    try stack.context.save()
    return stack
  }

  /// What a fetch of the predicate finds, or its error.
  private static func found(_ predicate: NSPredicate, _ stack: LibraryStack) -> String {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = predicate
    do {
      return "\(try stack.context.fetch(request).count)"
    } catch {
      return "\((error as NSError).code) \(error.localizedDescription)"
    }
  }

  private static let stores = [NSSQLiteStoreType, NSInMemoryStoreType]

  @Test(arguments: stores)
  func `NOTs nested 10,000 times are what one or none of them is`(_ type: String) throws {
    let stack = try Self.library(type)
    #expect(Self.found(Self.negated(Self.isLong(5), 10_000), stack) == "15")
    #expect(Self.found(Self.negated(Self.isLong(5), 10_001), stack) == "5")
    #expect(Self.negated(Self.isLong(5), 10_001).canonicalFormat == "NOT pages >= 5")
    #expect(try !Self.negated(Self.isLong(5), 10_001).archived().isEmpty)
    let negated = Self.negated(Self.isLong(5), 10_001)
    #expect(try stack.reread("Book").filtered(using: negated).count == 5)
  }

  @Test(arguments: stores)
  func `NOTs nested 100 times in a format or in code are fetched with`(_ type: String) throws {
    let stack = try Self.library(type)
    #expect(Self.found(Self.negated(Self.isLong(5), 101), stack) == "5")
    let format = String(repeating: "NOT ", count: 101) + "pages >= 5"
    #expect(Self.found(NSPredicate(format: format), stack) == "5")
    #expect(Self.negated(Self.isLong(5), 3).canonicalFormat == "NOT NOT NOT pages >= 5")
  }

  @Test(arguments: stores)
  func `ANDs in ANDs and ORs in ORs nested 10,000 times are one of each`(_ type: String) throws {
    let stack = try Self.library(type)
    let all = (0..<10_000).reduce(Self.isLong(5)) { inner, _ in
      NSCompoundPredicate(andPredicateWithSubpredicates: [inner, Self.isLong(7)])
    }
    #expect(Self.found(all, stack) == "13")
    let any = (0..<10_000).reduce(Self.isLong(19)) { inner, number in
      NSCompoundPredicate(orPredicateWithSubpredicates: [
        NSPredicate(format: "pages == %d", number % 7), inner,
      ])
    }
    #expect(Self.found(any, stack) == "8")
  }

  /// `NOT (pages >= 0 AND NOT (pages >= 1 AND …))`: what holds for a book depends on its pages alone.
  private static func alternating(_ levels: Int) -> NSPredicate {
    (0..<levels).reversed().reduce(NSPredicate(value: true)) { inner, number in
      NSCompoundPredicate(
        notPredicateWithSubpredicate: NSCompoundPredicate(andPredicateWithSubpredicates: [
          isLong(number % 20), inner,
        ])
      )
    }
  }

  @Test(arguments: [3, 8, 12, 20, 60, 200, 490])
  func `What nests deeper than the engine parses is evaluated in memory`(_ levels: Int) throws {
    let stack = try Self.library(NSSQLiteStoreType)
    let memory = try Self.library(NSInMemoryStoreType)
    let tree = Self.alternating(levels)
    let expected = Self.found(tree, memory)
    #expect(Int(expected) != nil)
    #expect(Self.found(tree, stack) == expected)
    let books = try stack.reread("Book")
    #expect(books.count { tree.evaluate(with: $0) } == Int(expected))
  }

  @Test(arguments: stores)
  func `A tree that folding leaves too tall is refused by a fetch, which says the limit`(
    _ type: String
  ) throws {
    let stack = try Self.library(type)
    let tree = Self.alternating(2_000)
    let error = Self.found(tree, stack)
    #expect(error.hasPrefix("134091"), "\(error)")
    #expect(error.contains(Self.limit), "\(error)")
    #expect(throws: (any Error).self) { try tree.archived() }
    #expect(tree.canonicalFormat.contains(Self.limit))
  }

  @Test(arguments: stores)
  func `An expression of 900 levels works, one of 10,000 is refused with the limit`(
    _ type: String
  ) throws {
    let stack = try Self.library(type)
    let tall = Self.equals(Self.sum(900), 910)
    #expect(Self.found(tall, stack) == "1")
    #expect(tall.description.hasSuffix("+ 1 == 910"))
    #expect(try !tall.archived().isEmpty)
    #expect(tall.isEqual(Self.equals(Self.sum(900), 910)))
    #expect(tall.hash == Self.equals(Self.sum(900), 910).hash)
    let books = try stack.reread("Book")
    #expect(books.count { tall.evaluate(with: $0) } == 1)
    #expect(try tall.withSubstitutionVariables([:]).archived() == tall.archived())

    let taller = Self.equals(Self.sum(10_000), 10_010)
    let error = Self.found(taller, stack)
    #expect(error.contains(Self.limit), "\(error)")
    #expect(taller.description.contains(Self.limit))
    #expect(throws: (any Error).self) { try taller.archived() }
  }

  @Test func `A format whose arguments make it too tall is refused with the limit`() throws {
    #expect(throws: Never.self) {
      try NSPredicate(validating: "%@ == 1", argumentArray: [Self.sum(900)])
    }
    var predicate = Self.isLong(5)
    let error = #expect(throws: PredicateFormatError.self) {
      for _ in 0..<2_000 { predicate = try NSPredicate(validating: "NOT %@", predicate) }
    }
    let limit = "More than 1000 nested levels, including the arguments"
    #expect(error?.description.contains(limit) == true)
  }

  @Test func `Equalities of one key in an OR, however many, are one list for the engine`() throws {
    let stack = try Self.library(NSSQLiteStoreType)
    let any = NSCompoundPredicate(
      orPredicateWithSubpredicates: (0..<20_000).map { NSPredicate(format: "pages == %d", $0 + 5) }
    )
    #expect(Self.found(any, stack) == "15")
    let other = NSCompoundPredicate(
      andPredicateWithSubpredicates: (0..<20_000).map { NSPredicate(format: "pages != %d", $0 + 5) }
    )
    #expect(Self.found(other, stack) == "5")
    let mixed = NSCompoundPredicate(
      orPredicateWithSubpredicates: (0..<20_000).map { number in
        number % 2 == 0
          ? NSPredicate(format: "pages == %d", number + 5)
          : NSPredicate(format: "title BEGINSWITH %@", "x\(number)")
      }
    )
    #expect(Self.found(mixed, stack) == "8")
    #expect(try stack.reread("Book").filtered(using: any).count == 15)
  }
}
