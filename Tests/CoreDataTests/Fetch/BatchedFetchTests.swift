// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Batch sizes: which statements run, and when.
@Suite struct BatchedFetchTests {
  @Test(
    "FR-12 keys come first, in order; the first touch of a batch reads its rows with one statement"
  )
  func batches() throws {
    let shelf = try Shelf(45)
    let context = shelf.reader()
    let request = shelf.request { $0.fetchBatchSize = 20 }
    var books: [NSManagedObject] = []
    let fetching = try shelf.statements { books = try context.fetch(request) }
    #expect(fetching.count == 1 && !fetching[0].contains("ZTITLE"))
    #expect(books.count == 45 && books.allSatisfy { $0.isFault })
    let first = try shelf.statements {
      #expect(Shelf.pages(books[..<20]) == Array(0..<20))
    }
    #expect(first.count == 1)
    let last = try shelf.statements {
      #expect(books[44].value(forKey: "title") as? String == "title 44")
      #expect(books[40].value(forKey: "title") as? String == "title 40")
    }
    #expect(last.count == 1 && books[39].isFault)
    let run1 = try shelf.statements { #expect(Shelf.pages(books) == Array(0..<45)) }
    #expect(run1.count == 1)
  }

  @Test("FR-12 a batch counts for the objects that are still there")
  func goneMembers() throws {
    let shelf = try Shelf(10)
    let context = shelf.reader()
    let kept = try context.fetch(shelf.request { $0.fetchBatchSize = 10 })[3]
    #expect(context.registeredObjects == [kept])
    let statements = try shelf.statements { #expect(kept.value(forKey: "pages") as? Int == 3) }
    #expect(statements.count == 1 && context.registeredObjects == [kept])
  }

  @Test(
    "FR-12 a batch size works in child contexts of any depth, unsaved changes of the parent included"
  )
  func children() throws {
    let shelf = try Shelf(40)
    let parent = shelf.reader()
    let changed = try #require(try parent.fetch(shelf.request("pages == 39")).first)
    changed.setValue(-1, forKey: "pages")
    let child = shelf.child(of: shelf.child(of: parent))
    var books: [NSManagedObject] = []
    _ = try shelf.statements {
      books = try child.performAndWait {
        try child.fetch(shelf.request { $0.fetchBatchSize = 10 })
      }
    }
    let second = try shelf.statements {
      child.performAndWait { #expect(Shelf.pages(books[10..<20]) == Array(9..<19)) }
    }
    #expect(second.count == 1)
    child.performAndWait { #expect(Shelf.pages(books[..<10]) == Array(-1..<9)) }
  }

  @Test("FR-12 unsaved changes are laid over the keys in their places")
  func unsaved() throws {
    let shelf = try Shelf(40)
    let context = shelf.context
    let all = try context.fetch(shelf.request())
    all[0].setValue(100, forKey: "pages")
    context.delete(all[1])
    let new = shelf.stack.make("Book", ["title": "new", "pages": 20])
    let request = shelf.request {
      $0.fetchBatchSize = 5
      $0.fetchOffset = 1
      $0.fetchLimit = 39
    }
    let books = try context.fetch(request)
    var expected = Array(3...20) + [20] + Array(21...39) + [100]
    #expect(Shelf.pages(books) == expected && books[18] === new)
    // Many changes take the way of all rows, with the same result.
    for book in all[10..<35] { book.setValue(50, forKey: "pages") }
    expected = Array(3..<10) + [20] + Array(35..<40) + Array(repeating: 50, count: 25) + [100]
    #expect(Shelf.pages(try context.fetch(request)) == expected)
  }

  @Test("FR-12 what SQL cannot say, and several stores, batch all the same")
  func remainder() throws {
    let shelf = try Shelf(40)
    let context = shelf.reader()
    let request = shelf.request { $0.fetchBatchSize = 5 }
    request.predicate = NSPredicate { object, _ in
      ((object as? NSManagedObject)?.value(forKey: "pages") as? Int ?? 1) % 2 == 0
    }
    #expect(Shelf.pages(try context.fetch(request)) == Array(stride(from: 0, to: 40, by: 2)))
  }

  @Test("FR-12 a row that vanished before its batch was read is an inaccessible fault")
  func vanished() throws {
    let shelf = try Shelf(10)
    let context = shelf.reader()
    let books = try context.fetch(shelf.request { $0.fetchBatchSize = 5 })
    let gone = try #require(try shelf.context.fetch(shelf.request("pages == 2")).first)
    shelf.context.delete(gone)
    try shelf.context.save()
    #expect(books[2].value(forKey: "title") == nil && books[2].isDeleted)
    #expect(Shelf.pages([books[0], books[1], books[3], books[4]]) == [0, 1, 3, 4])
  }

  @Test("FR-12 a staleness interval makes every fault ask for its own row")
  func stale() throws {
    let shelf = try Shelf(6)
    let context = shelf.reader()
    context.stalenessInterval = 0
    let books = try context.fetch(shelf.request { $0.fetchBatchSize = 3 })
    let reading = try shelf.statements { #expect(Shelf.pages(books) == Array(0..<6)) }
    #expect(reading.count == 6)
  }

  @Test("a results controller reads a row's batch when the row is asked for")
  func controller() throws {
    let shelf = try Shelf(60)
    let context = shelf.reader()
    let controller = NSFetchedResultsController(
      fetchRequest: shelf.request { $0.fetchBatchSize = 20 },
      managedObjectContext: context,
      sectionNameKeyPath: nil,
      cacheName: nil
    )
    #expect(try shelf.statements { try controller.performFetch() }.count == 1)
    let row = try shelf.statements {
      let book = controller.object(at: IndexPath(item: 30, section: 0))
      #expect(book.value(forKey: "pages") as? Int == 30)
    }
    #expect(row.count == 1)
  }

  // MARK: Lazily

  @Test("a lazy fetch makes the objects of a batch when one of them is asked for")
  func lazily() throws {
    let shelf = try Shelf(45)
    let context = shelf.reader()
    var books: FetchedBatches<NSManagedObject>?
    let fetching = try shelf.statements {
      books = try context.fetchLazily(shelf.request { $0.fetchBatchSize = 20 })
    }
    let all = try #require(books)
    #expect(fetching.count == 1 && all.count == 45 && context.registeredObjects.isEmpty)
    let run2 = try shelf.statements { #expect(Shelf.pages(all[..<20]) == Array(0..<20)) }
    #expect(run2.count == 1)
    #expect(context.registeredObjects.count == 20)
    let run3 = try shelf.statements { #expect(Shelf.pages(all) == Array(0..<45)) }
    #expect(run3.count == 2)
    #expect(all[3] === all[3] && all.objectIDs.count == 45)
    all.releaseBatches()
    #expect(context.registeredObjects.isEmpty)
    #expect(all.last?.value(forKey: "pages") as? Int == 44)
  }

  @Test("objects outside of the newest batches are let go, and come back as the context has them")
  func window() throws {
    let shelf = try Shelf(100)
    let context = shelf.reader()
    let books = try context.fetchLazily(shelf.request { $0.fetchBatchSize = 10 })
    let kept = books[0]
    kept.setValue("mine", forKey: "title")
    for position in stride(from: 0, to: 100, by: 10) { _ = books[position] }
    #expect(context.registeredObjects.count == 31)
    #expect(books[0] === kept && books[0].value(forKey: "title") as? String == "mine")
  }

  @Test("lazy fetches see unsaved changes, children their parents', and take no other result type")
  func lazyEdges() throws {
    let shelf = try Shelf(20)
    let new = shelf.stack.make("Book", ["title": "new", "pages": 5])
    let books = try shelf.context.fetchLazily(shelf.request { $0.fetchBatchSize = 4 })
    #expect(books.count == 21 && books[6] === new)
    let child = shelf.child(of: shelf.context)
    try child.performAndWait {
      let copies = try child.fetchLazily(shelf.request("pages == 5"))
      #expect(copies.map { $0.value(forKey: "title") as? String } == ["title 5", "new"])
    }
    let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
    ids.resultType = .managedObjectIDResultType
    #expect(try shelf.context.fetchLazily(ids).contains(new.objectID))
    #expect(throws: NSError.self) {
      try shelf.context.fetchLazily(shelf.dictionaries(["title"]))
    }
    #expect(throws: NSError.self) {
      try shelf.context.fetchLazily(NSFetchRequest<Node>(entityName: "Book"))
    }
  }

  @Test("a stream holds one batch, reads each with one statement, and starts anew")
  func stream() throws {
    let shelf = try Shelf(50)
    let context = shelf.reader()
    let stream = try context.fetchStream(shelf.request { $0.fetchBatchSize = 10 })
    var most = 0
    for _ in 0..<2 {
      var pages: [Int] = []
      let reading = try shelf.statements {
        for book in stream {
          pages.append(book.value(forKey: "pages") as? Int ?? -1)
          most = max(most, context.registeredObjects.count)
        }
      }
      #expect(pages == Array(0..<50) && reading.count == 5)
    }
    #expect(most <= 11 && context.registeredObjects.isEmpty)
  }
}
