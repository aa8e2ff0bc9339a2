// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// NSPredicate from #Predicate.
@Suite struct PredicateConversionTests {
  private func format(_ predicate: Predicate<BookObject>) throws -> String {
    try NSPredicate(converting: predicate).canonicalFormat
  }

  private func reason(_ predicate: Predicate<BookObject>) -> String {
    do {
      _ = try NSPredicate(converting: predicate)
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test func `Each part has its counterpart`() throws {
    #expect(try format(#Predicate { $0.pages > 3 && $0.isLent }) == "pages > 3 AND isLent == 1")
    #expect(
      try format(#Predicate { $0.title == nil || !($0.price <= 2.5) })
        == "title == nil OR NOT price <= 2.5"
    )
    #expect(try format(#Predicate { $0.author?.name == "Ann" }) == "author.name == \"Ann\"")
    let search = "\u{C1}"
    #expect(
      try format(#Predicate { $0.title?.localizedStandardContains(search) == true })
        .contains("title CONTAINS[cd] \"\u{C1}\"")
    )
    #expect(
      try format(#Predicate { $0.tags.contains { $0.name == "x" } })
        == "SUBQUERY(tags, $v1, $v1.name == \"x\").@count > 0"
    )
    #expect(try format(#Predicate { $0.tags.count > 2 }) == "tags.@count > 2")
    #expect(try format(#Predicate { (1...5).contains($0.pages) }) == "pages BETWEEN {1, 5}")
    #expect(try format(#Predicate { $0.pages % 2 == 1 }).contains("modulus:by:(pages, 2) == 1"))
    let wanted: [Int32] = [1, 2]
    #expect(try format(#Predicate { wanted.contains($0.pages) }) == "pages IN {1, 2}")
  }

  @Test func `Key paths of several steps have names, optional ones too`() {
    #expect(NSExpression(forKeyPath: \BookObject.author?.name).keyPath == "author.name")
    #expect(NSExpression(forKeyPath: \BookObject.author?.books).keyPath == "author.books")
    #expect(NSExpression(forKeyPath: \NovelObject.title).keyPath == "title")
    #expect(NSExpression(forKeyPath: \NovelObject.author?.name).keyPath == "author.name")
    let sort = NSSortDescriptor(keyPath: \BookObject.author?.name, ascending: true)
    #expect(sort.key == "author.name")
    #expect(sort.keyPath == \BookObject.author?.name)
  }

  @Test func `What has no counterpart is named`() throws {
    let error = try #require(throws: PredicateConversionError.self) {
      try NSPredicate(converting: #Predicate<BookObject> { $0 is NovelObject })
    }
    #expect(error.part == "TypeCheck")
    let nameless = #Predicate<BookObject> { $0.objectID.isTemporaryID }
    #expect(throws: PredicateConversionError.self) { try NSPredicate(converting: nameless) }
    #expect(NSPredicate(nameless) == nil)
    let bytes = Data([1])
    let prefix = #Predicate<BookObject> { $0.pages == 1 && bytes.starts(with: bytes) }
    #expect(reason(prefix).contains("only for strings, not for Data"))
    let cast = #Predicate<BookObject> { ($0 as? NovelObject) == nil }
    #expect(reason(cast).contains("from BookObject to NovelObject is not supported"))
    let comparison = #Predicate<BookObject> { $0.pages == 1 }
    let other = #expect(throws: PredicateConversionError.self) {
      try NSCompoundPredicate(converting: comparison)
    }
    #expect(other?.description.contains("is of the class NSComparisonPredicate") == true)
    #expect(NSPredicate(#Predicate<BookObject> { $0.pages == 1 }) != nil)
  }

  @Test func `An expression is converted`() {
    let pages = NSExpression(#Expression<BookObject, Int32> { $0.pages * 2 })
    #expect(pages == NSExpression(format: "pages * 2"))
  }

  private static let start = Date(timeIntervalSinceReferenceDate: 1000)

  // swift-format-ignore: NeverForceUnwrap
  // One of them unwraps by force, which has a counterpart too.
  private static func predicates() -> [Predicate<BookObject>] {
    let start = start
    let texts = ["a", "b", "é"]
    return [
      #Predicate { $0.pages > 5 }, #Predicate { $0.pages + 2 < 6 || $0.pages == 9 },
      #Predicate { $0.pages * 2 - 1 >= 7 && $0.pages != 6 }, #Predicate { -$0.pages < -4 },
      #Predicate { $0.pages / 2 == 3 }, #Predicate { $0.pages % 3 == 1 },
      #Predicate { $0.price / 2 > 1.2 }, #Predicate { $0.title == nil },
      #Predicate { $0.title != "a" }, #Predicate { !($0.title == "b") },
      #Predicate { $0.title?.contains("a") ?? false },
      #Predicate { $0.title?.contains("") == true },
      #Predicate { $0.title?.localizedStandardContains("\u{C1}") == true },
      #Predicate { $0.title?.localizedStandardContains("") ?? false },
      #Predicate { $0.title?.starts(with: "a") ?? true }, #Predicate { ($0.title ?? "a") == "a" },
      #Predicate { ($0.title ?? "zz") > "b" }, #Predicate { $0.title?.count ?? 0 > 1 },
      #Predicate { $0.isLent }, #Predicate { !$0.isLent && $0.pages > 2 },
      #Predicate { ($0.published ?? start) > start }, #Predicate { $0.author == nil },
      #Predicate { $0.author?.name == "a" }, #Predicate { $0.author?.name != "a" },
      #Predicate { ($0.author?.name ?? "a") == "a" },
      #Predicate { $0.author?.name.flatMap { $0.contains("b") } ?? false },
      #Predicate { $0.tags.contains { $0.name == "a" } },
      #Predicate { $0.tags.allSatisfy { $0.name != "b" } },
      #Predicate { $0.tags.filter { $0.name == nil }.count > 0 },
      #Predicate { $0.tags.isEmpty }, #Predicate { $0.tags.count >= 2 },
      #Predicate { (2..<6).contains($0.pages) }, #Predicate { (2.0...3.0).contains($0.price) },
      #Predicate { book in texts.contains { $0 == book.title ?? "b" } },
      #Predicate { $0.isLent ? $0.pages > 5 : $0.pages < 3 },
      #Predicate { $0.author?.books.contains { $0.pages == 3 } ?? false },
      #Predicate { $0.title!.isEmpty || $0.pages == 1 },
    ]
  }

  @Test func `Converted predicates agree with the originals, in memory and in SQLite`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("conversion-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = NSPersistentContainer(
      name: "Library",
      managedObjectModel: Library.modelWithClasses()
    )
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: folder.appendingPathComponent("Library.sqlite"))
    ]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    #expect(failure == nil)
    let context = container.newBackgroundContext()
    var random = Dice(seed: 7)
    let books = fill(context, &random)
    try context.save()
    for (index, original) in Self.predicates().enumerated() {
      // Force unwrapping throws in the original where the title is nil.
      let truth = books.map { try? original.evaluate($0) }
      let converted = try NSPredicate(converting: original)
      let request = NSFetchRequest<BookObject>(entityName: "Book")
      request.predicate = converted
      let fetched = Set(try context.fetch(request))
      for (book, expected) in zip(books, truth) {
        guard let expected else { continue }
        let text = "\(index): \(converted) \(book.title ?? "-") \(book.pages)"
        #expect(converted.evaluate(with: book) == expected, "in memory, \(text)")
        #expect(fetched.contains(book) == expected, "in SQLite, \(text)")
      }
    }
  }

  private func fill(_ context: NSManagedObjectContext, _ random: inout Dice) -> [BookObject] {
    let texts: [String?] = [nil, "a", "b", "ab", "", "é", "ba", "z"]
    func make(_ entity: String) -> NSManagedObject {
      NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    }
    let authors = (0..<6).map { _ in make("Author") }
    let tags = (0..<5).map { _ in make("Tag") }
    for object in authors + tags {
      object.setValue(texts.randomElement(using: &random) ?? nil, forKey: "name")
    }
    return (0..<150).compactMap { number in
      let book = make(number % 4 == 0 ? "Novel" : "Book")
      book.setValue(texts.randomElement(using: &random) ?? nil, forKey: "title")
      book.setValue(Int32.random(in: 0..<10, using: &random), forKey: "pages")
      book.setValue(Double(Int.random(in: 0..<16, using: &random)) / 4, forKey: "price")
      book.setValue(Bool.random(using: &random), forKey: "isLent")
      if Bool.random(using: &random) {
        let seconds = Double(Int.random(in: 998..<1003, using: &random))
        book.setValue(Date(timeIntervalSinceReferenceDate: seconds), forKey: "published")
      }
      if Int.random(in: 0..<4, using: &random) > 0 {
        book.setValue(authors.randomElement(using: &random), forKey: "author")
      }
      let chosen = tags.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
      book.setValue(NSSet(array: chosen), forKey: "tags")
      return book as? BookObject
    }
  }
}

/// The same numbers for the same seed.
private struct Dice: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 33) << 32 | (state &* 2_862_933_555_777_941_757) >> 32
  }
}
