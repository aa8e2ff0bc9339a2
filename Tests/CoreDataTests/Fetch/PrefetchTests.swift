// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Relationships that are read ahead.
@Suite struct PrefetchTests {
  /// What somebody reads who walks the relationships of every book.
  private func walk(_ books: [NSManagedObject]) -> Int {
    var seen = 0
    for book in books {
      let author = book.value(forKey: "author") as? NSManagedObject
      seen += (author?.value(forKey: "name") as? String)?.count ?? 0
      for case let tag as NSManagedObject in book.value(forKey: "tags") as? NSSet ?? NSSet() {
        seen += (tag.value(forKey: "name") as? String)?.count ?? 0
      }
      let chapters = book.value(forKey: "chapters") as? NSOrderedSet
      for case let chapter as NSManagedObject in chapter(chapters) {
        seen += (chapter.value(forKey: "name") as? String)?.count ?? 0
      }
    }
    return seen
  }

  private func chapter(_ chapters: NSOrderedSet?) -> [Any] { chapters?.array ?? [] }

  @Test(
    "FR-11 one statement a relationship, two for a many-to-many, whatever the number of rows",
    arguments: [10, 700]
  )
  func statements(count: Int) throws {
    let shelf = try Shelf(count)
    let context = shelf.reader()
    let request = shelf.request {
      $0.relationshipKeyPathsForPrefetching = ["author", "tags", "chapters"]
    }
    var books: [NSManagedObject] = []
    let fetching = try shelf.statements { books = try context.fetch(request) }
    #expect(fetching.count == 5)
    #expect(books.allSatisfy { $0.isFault })
    let run1 = try shelf.statements { #expect(walk(books) > 0) }
    #expect(run1.isEmpty)
  }

  @Test("FR-11 key paths of several steps: a statement a level")
  func levels() throws {
    let shelf = try Shelf(40)
    let context = shelf.reader()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.relationshipKeyPathsForPrefetching = ["books.chapters", "books.cover"]
    var authors: [NSManagedObject] = []
    let fetching = try shelf.statements { authors = try context.fetch(request) }
    // Authors, their books, the books' chapters; no book has a cover.
    #expect(fetching.count == 3)
    let reading = try shelf.statements {
      for author in authors {
        for case let book as NSManagedObject in author.value(forKey: "books") as? NSSet ?? NSSet() {
          let chapters = book.value(forKey: "chapters") as? NSOrderedSet
          let first = chapters?.firstObject as? NSManagedObject
          #expect(first?.value(forKey: "name") != nil)
        }
      }
    }
    #expect(reading.isEmpty)
  }

  @Test("FR-11 prefetched objects live as long as those that lead to them, and no longer")
  func lifetime() throws {
    let shelf = try Shelf(12)
    let context = shelf.reader()
    let request = shelf.request { $0.relationshipKeyPathsForPrefetching = ["author.books"] }
    do {
      let books = try context.fetch(request)
      // Twelve books and four authors, who lead back to the books.
      #expect(context.registeredObjects.count == 16)
      withExtendedLifetime(books) {}
    }
    #expect(context.registeredObjects.isEmpty)
  }

  @Test("FR-11 objects that were prefetched for each other go with the context")
  func circle() throws {
    let shelf = try Shelf(8)
    weak var leaked: NSManagedObject?
    do {
      let context = shelf.reader()
      let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
      authors.relationshipKeyPathsForPrefetching = ["books"]
      let first = try context.fetch(authors)
      let books = try context.fetch(
        shelf.request { $0.relationshipKeyPathsForPrefetching = ["author"] }
      )
      leaked = books.first
      withExtendedLifetime((first, books)) {}
    }
    #expect(leaked == nil)
  }

  @Test("FR-11 in a batched fetch each batch brings its relationships, also in a child")
  func batches() throws {
    let shelf = try Shelf(40)
    let request = shelf.request {
      $0.fetchBatchSize = 10
      $0.relationshipKeyPathsForPrefetching = ["author", "chapters"]
    }
    let context = shelf.reader()
    let books = try context.fetch(request)
    let run2 = try shelf.statements { #expect(walk(Array(books[..<10])) > 0) }
    #expect(run2.count >= 3)
    let second = try shelf.statements {
      for book in books[10..<20] {
        let author = book.value(forKey: "author") as? NSManagedObject
        #expect(author?.value(forKey: "name") != nil)
        #expect((book.value(forKey: "chapters") as? NSOrderedSet)?.count == 1)
      }
    }
    // The rows and the chapters; the authors are there.
    #expect(second.count == 2)
    let child = shelf.child(of: shelf.reader())
    let lazily = try shelf.statements {
      try child.performAndWait {
        let copies = try child.fetchLazily(request)
        #expect(copies[0].value(forKeyPath: "author.name") as? String == "author 0")
        #expect((copies[5].value(forKey: "chapters") as? NSOrderedSet)?.count == 1)
      }
    }
    #expect(lazily.count == 4)
  }

  @Test("FR-11 unsaved members and members read before are reached too")
  func unsaved() throws {
    let shelf = try Shelf(8)
    let context = shelf.context
    let author = try #require(
      try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first
    )
    let known = (author.value(forKey: "books") as? NSSet)?.count ?? 0
    let new = shelf.stack.make("Book", ["title": "new"])
    new.setValue(author, forKey: "author")
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.relationshipKeyPathsForPrefetching = ["books.tags"]
    let authors = try context.fetch(request)
    #expect((author.value(forKey: "books") as? NSSet)?.count == known + 1)
    let reading = try shelf.statements {
      for author in authors {
        for case let book as NSManagedObject in author.value(forKey: "books") as? NSSet ?? NSSet() {
          for case let tag as NSManagedObject in book.value(forKey: "tags") as? NSSet ?? NSSet() {
            #expect(tag.value(forKey: "name") != nil)
          }
        }
      }
    }
    #expect(reading.isEmpty)
  }

  @Test("FR-11 a key path that is none of relationships is refused")
  func refused() throws {
    let shelf = try Shelf(1)
    for path in ["title", "author.nothing", "", "author..books"] {
      #expect(throws: NSError.self, "\(path)") {
        try shelf.reader().fetch(
          shelf.request { $0.relationshipKeyPathsForPrefetching = [path] }
        )
      }
    }
  }
}
