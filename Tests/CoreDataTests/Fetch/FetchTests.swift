// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite struct FetchTests {
  private func shelf(_ type: String = NSSQLiteStoreType) throws -> LibraryStack {
    let stack = try LibraryStack(type)
    let ende = stack.make("Author", ["name": "Ende"])
    let lem = stack.make("Author", ["name": "Lem"])
    for (title, pages, author) in [
      ("Momo", 304, ende), ("Jim Knopf", 254, ende), ("Solaris", 204, lem), ("éden", 300, lem),
    ] {
      _ = stack.make("Book", ["title": title, "pages": pages, "author": author])
    }
    _ = stack.make("Novel", ["title": "Fiasco", "pages": 322, "author": lem, "hero": "Parvis"])
    try stack.context.save()
    return stack
  }

  private func titles(
    _ stack: LibraryStack,
    _ format: String? = nil,
    _ arguments: [Any] = [],
    _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
  ) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
    change(request)
    return try stack.context.fetch(request).compactMap { $0.value(forKey: "title") as? String }
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func predicatesSelectTheSameInEveryStore(type: String) throws {
    let stack = try shelf(type)
    #expect(try titles(stack, "pages > 300") == ["Fiasco", "Momo"])
    #expect(try titles(stack, "pages BETWEEN {204, 300}") == ["Jim Knopf", "Solaris", "éden"])
    #expect(try titles(stack, "title IN %@", [["Momo", "Solaris"]]) == ["Momo", "Solaris"])
    #expect(try titles(stack, "title CONTAINS[cd] 'EDE'") == ["éden"])
    #expect(
      try titles(stack, "title BEGINSWITH 'J' OR title ENDSWITH 's'") == ["Jim Knopf", "Solaris"]
    )
    #expect(try titles(stack, "title LIKE[c] '*m*o'") == ["Momo"])
    #expect(try titles(stack, "NOT (author.name == 'Lem')") == ["Jim Knopf", "Momo"])
    #expect(try titles(stack, "isbn != nil") == [])
    #expect(try titles(stack, "isbn == nil AND pages < 210") == ["Solaris"])
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.predicate = NSPredicate(format: "ANY books.pages > 310")
    #expect(try stack.context.fetch(request).map { $0.value(forKey: "name") as? String } == ["Lem"])
    let ende = try #require(
      stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"))
        .first { $0.value(forKey: "name") as? String == "Ende" }
    )
    #expect(try titles(stack, "author == %@", [ende]) == ["Jim Knopf", "Momo"])
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func limitOffsetOrderAndSubentities(type: String) throws {
    let stack = try shelf(type)
    #expect(try titles(stack) { $0.fetchLimit = 2 } == ["Fiasco", "Jim Knopf"])
    #expect(
      try titles(stack) {
        $0.fetchLimit = 2
        $0.fetchOffset = 1
      } == ["Jim Knopf", "Momo"]
    )
    #expect(
      try titles(stack) { $0.includesSubentities = false }
        == ["Jim Knopf", "Momo", "Solaris", "éden"]
    )
    #expect(
      try titles(stack) {
        $0.sortDescriptors = [
          NSSortDescriptor(key: "author.name", ascending: false),
          NSSortDescriptor(key: "pages", ascending: true),
        ]
      } == ["Solaris", "éden", "Fiasco", "Jim Knopf", "Momo"]
    )
    #expect(
      try titles(stack) {
        $0.sortDescriptors = [
          NSSortDescriptor(key: "title", ascending: true, selector: "localizedStandardCompare:")
        ]
      } == ["éden", "Fiasco", "Jim Knopf", "Momo", "Solaris"]
    )
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func theFourResultTypes(type: String) throws {
    let stack = try shelf(type)
    let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Novel")
    ids.resultType = .managedObjectIDResultType
    let id = try #require(try stack.context.fetch(ids).first)
    #expect(!id.isTemporaryID && id.entity.name == "Novel")

    let count = NSFetchRequest<NSNumber>(entityName: "Book")
    count.resultType = .countResultType
    #expect(try stack.context.fetch(count).first?.intValue == 5)
    #expect(try stack.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 5)

    let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
    rows.resultType = .dictionaryResultType
    rows.propertiesToFetch = ["title", "author.name"]
    rows.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    rows.fetchLimit = 1
    let row = try #require(try stack.context.fetch(rows).first)
    #expect(row["title"] as? String == "Fiasco" && row["author.name"] as? String == "Lem")
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func unsavedChangesCountInTheWindow(type: String) throws {
    let stack = try shelf(type)
    let momo = try #require(
      stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
        .first { $0.value(forKey: "title") as? String == "Momo" }
    )
    momo.setValue("Aaa", forKey: "title")
    _ = stack.make("Book", ["title": "Bbb"])
    #expect(try titles(stack) { $0.fetchLimit = 3 } == ["Aaa", "Bbb", "Fiasco"])
    #expect(
      try titles(stack) {
        $0.fetchLimit = 2
        $0.fetchOffset = 2
      } == ["Fiasco", "Jim Knopf"]
    )
    stack.context.delete(momo)
    #expect(try titles(stack) { $0.fetchLimit = 2 } == ["Bbb", "Fiasco"])
    #expect(try stack.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 5)
    #expect(
      try titles(stack) { $0.includesPendingChanges = false }.count == 5
    )
  }
}
