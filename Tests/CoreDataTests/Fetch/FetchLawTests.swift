// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// A fetch finds what filtering the objects finds, unsaved changes included.
@Suite struct FetchLawTests {
  private struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
    mutating func below(_ bound: Int) -> Int { Int(next() >> 33 % UInt64(bound)) }
    mutating func pick<T>(_ items: [T]) -> T { items[below(items.count)] }
  }
  private static let titles = ["", "a", "A", "ab", "Äb", "abc", "b", "straße", "e\u{301}", "é"]

  /// Conditions on what a book holds itself or has never changed: stored values of other objects
  /// decide a fetch, as in Apple's.
  private static let formats = [
    "title == %@", "title != %@", "title CONTAINS[cd] %@", "title BEGINSWITH %@", "title < %@",
    "title LIKE[c] 'a*'", "NOT (title == %@)", "title == nil", "pages > 3", "pages + 1 == 4",
    "pages BETWEEN {2, 5}", "pages IN {1, 2, 3}", "modulus:by:(pages, 2) == 0", "isLent == YES",
    "isLent != YES", "author.name == %@", "author == nil", "author.name CONTAINS %@",
    "TERNARY(pages > 3, title, %@) == title", "title == nil OR length(title) > 1",
    "median({pages, 2, 3}) > 2", "title MATCHES '[a-c]+'",
    "CAST(pages, 'NSString') == '3'", "pages ** 2 > 10",
  ]

  private func condition(_ random: inout Random, _ depth: Int) -> NSPredicate {
    if depth == 0 || random.below(3) == 0 {
      return NSPredicate(
        format: random.pick(Self.formats),
        argumentArray: [random.pick(Self.titles)]
      )
    }
    let parts = (0..<2).map { _ in condition(&random, depth - 1) }
    switch random.below(4) {
    case 0: return NSCompoundPredicate(notPredicateWithSubpredicate: parts[0])
    case 1: return NSCompoundPredicate(orPredicateWithSubpredicates: parts)
    default: return NSCompoundPredicate(andPredicateWithSubpredicates: parts)
    }
  }

  private func fill(_ stack: LibraryStack, _ random: inout Random) throws {
    let authors = ["a", "b", "Ä"].map { stack.make("Author", ["name": $0]) }
    for number in 0..<30 {
      let book = stack.make(random.below(4) == 0 ? "Novel" : "Book", ["price": Double(number)])
      change(book, authors, &random)
    }
    try stack.context.save()
    let all = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
    for book in all where random.below(5) == 0 { change(book, authors, &random) }
    for book in all where random.below(12) == 0 { stack.context.delete(book) }
    for number in 30..<34 {
      change(stack.make("Book", ["price": Double(number)]), authors, &random)
    }
  }

  private func change(
    _ book: NSManagedObject,
    _ authors: [NSManagedObject],
    _ random: inout Random
  ) {
    book.setValue(random.below(5) == 0 ? nil : random.pick(Self.titles), forKey: "title")
    book.setValue(random.below(8), forKey: "pages")
    book.setValue(random.below(2) == 0, forKey: "isLent")
    book.setValue(random.below(4) == 0 ? nil : random.pick(authors), forKey: "author")
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func aFetchFindsWhatFilteringFinds(type: String) throws {
    var random = Random(state: 7)
    var compared = 0
    for _ in 0..<4 {
      let stack = try LibraryStack(type)
      try fill(stack, &random)
      let context = stack.context
      let all = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
      for _ in 0..<150 {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        let predicate = condition(&random, 2)
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "price", ascending: random.below(2) == 0)]
        request.fetchOffset = random.below(4)
        request.fetchLimit = random.below(8)
        let order = try #require(request.sortDescriptors?.first)
        let price = { (book: NSManagedObject) in book.value(forKey: "price") as? Double ?? -1 }
        let matching = all.filter { predicate.evaluate(with: $0) }
        var expected = matching.map(price).sorted { order.ascending ? $0 < $1 : $0 > $1 }
        expected = Array(expected.dropFirst(request.fetchOffset))
        if request.fetchLimit > 0 { expected = Array(expected.prefix(request.fetchLimit)) }
        let found = try context.fetch(request).map(price)
        #expect(found == expected, "\(predicate)")
        compared += 1
      }
    }
    #expect(compared == 600)
  }
}
