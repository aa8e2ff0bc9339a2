// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The keys that every managed object has besides its entity's properties.
@Suite struct ManagedKeyTests {
  private static let stores = [NSSQLiteStoreType, NSInMemoryStoreType]

  /// Books 0 to 3, of which 2 and 3 are novels by Erna; 0 and 1 are nobody's.
  private static func library(_ type: String) throws -> LibraryStack {
    let stack = try LibraryStack(type)
    let author = stack.make("Author", ["name": "Erna"])
    for number in 0..<4 {
      let book = stack.make(number < 2 ? "Book" : "Novel", ["pages": number])
      if number >= 2 { book.setValue(author, forKey: "author") }
    }
    try stack.context.save()
    return stack
  }

  private static func pages(
    _ stack: LibraryStack,
    _ predicate: NSPredicate
  ) throws -> [Int] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = predicate
    request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
    return try stack.context.fetch(request).compactMap { $0.value(forKey: "pages") as? Int }
  }

  @Test(arguments: stores)
  func `A fetch compares the entity with a description, and its name with texts`(
    _ type: String
  ) throws {
    let stack = try Self.library(type)
    let entities = stack.container.managedObjectModel.entitiesByName
    let (book, novel) = (try #require(entities["Book"]), try #require(entities["Novel"]))
    let cases: [(String, Any, [Int])] = [
      ("entity == %@", novel, [2, 3]), ("entity == %@", book, [0, 1]),
      ("entity != %@", book, [2, 3]), ("entity IN %@", [book, novel], [0, 1, 2, 3]),
      ("entity.name == %@", "Novel", [2, 3]), ("entity.name BEGINSWITH[c] %@", "no", [2, 3]),
      ("entity.name IN %@", ["Book", "Tag"], [0, 1]), ("self.entity.name == %@", "Book", [0, 1]),
    ]
    for (format, argument, expected) in cases {
      let predicate = NSPredicate(format: format, argumentArray: [argument])
      #expect(try Self.pages(stack, predicate) == expected, "\(format)")
      let all = try stack.reread("Book")
      let found = all.filtered(using: predicate).compactMap { $0.value(forKey: "pages") as? Int }
      #expect(found.sorted() == expected, "\(format) in memory")
    }
    let author = try #require(entities["Author"])
    #expect(try Self.pages(stack, NSPredicate(format: "author.entity == %@", author)) == [2, 3])
    #expect(try Self.pages(stack, NSPredicate(format: "author.entity.name == nil")) == [0, 1])
    let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
    authors.predicate = NSPredicate(format: "ANY books.entity.name == 'Novel'")
    #expect(try stack.context.count(for: authors) == 1)
    authors.predicate = NSPredicate(format: "ANY books.entity == %@", book)
    #expect(try stack.context.count(for: authors) == 0)
  }

  @Test(arguments: stores)
  func `A fetch finds objects by their IDs under objectID`(_ type: String) throws {
    let stack = try Self.library(type)
    let all = try stack.reread("Book")
    let ids = all.filter { ($0.value(forKey: "pages") as? Int ?? 0) > 1 }.map(\.objectID)
    #expect(try Self.pages(stack, NSPredicate(format: "objectID IN %@", ids)) == [2, 3])
    #expect(try Self.pages(stack, NSPredicate(format: "objectID != %@", ids[0])).count == 3)
    #expect(all.filtered(using: NSPredicate(format: "objectID IN %@", ids)).count == 2)
  }

  @Test(arguments: stores)
  func `What only a context knows of an object is evaluated after the store's part`(
    _ type: String
  ) throws {
    let stack = try Self.library(type)
    let books = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
    let changed = try #require(books.first { $0.value(forKey: "pages") as? Int == 1 })
    changed.setValue("new", forKey: "title")
    _ = stack.make("Book", ["pages": 9])
    for (format, expected) in [
      ("isInserted == YES", [9]), ("inserted == YES", [9]), ("isUpdated == YES", [1]),
      ("hasChanges == YES AND pages < 9", [1]),
      ("isDeleted == NO AND entity.name == 'Novel'", [2, 3]),
      ("hasPersistentChangedValues == YES AND pages < 5", [1]),
    ] {
      #expect(try Self.pages(stack, NSPredicate(format: format)) == expected, "\(format)")
    }
    #expect(changed.value(forKey: "isUpdated") as? Bool == true)
    #expect(changed.value(forKey: "isInserted") as? Bool == false)
    #expect(changed.value(forKey: "hasChanges") as? Bool == true)
    #expect(changed.value(forKey: "isFault") as? Bool == false)
    #expect((changed.value(forKey: "entity") as? NSEntityDescription)?.name == "Book")
    let context = changed.value(forKey: "managedObjectContext") as? NSManagedObjectContext
    #expect(context === stack.context)
    #expect(changed.value(forKeyPath: "entity.name") as? String == "Book")
    #expect(NSPredicate(format: "isFault == NO").evaluate(with: changed))
  }

  @Test(arguments: stores)
  func `Dictionaries have objectID as a column, by its name`(_ type: String) throws {
    let stack = try Self.library(type)
    let request = NSFetchRequest<NSDictionary>(entityName: "Novel")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["objectID", "pages"]
    let rows = try stack.context.fetch(request)
    let ids = Set(try stack.reread("Novel").map(\.objectID))
    #expect(Set(rows.compactMap { $0["objectID"] as? NSManagedObjectID }) == ids)
    #expect(Set(rows.compactMap { $0["pages"] as? Int }) == [2, 3])
  }
}
