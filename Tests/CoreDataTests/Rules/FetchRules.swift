// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// `docs/reference/behaviour.md` §12: one test for each rule; the name starts with the rule's number.
///
/// FR-11 and FR-12 are in `PrefetchTests` and `BatchedFetchTests`, FR-14 and FR-15 in
/// `DictionaryFetchRules`, FR-19 and the comparators of FR-18 in `RemainderTests`.
@Suite struct FetchRules {
  static let stores = [NSSQLiteStoreType, NSInMemoryStoreType]

  @Test("§12 a new request has Apple's defaults, and a copy has the settings")
  func defaults() throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    #expect(request.resultType == .managedObjectResultType && request.includesSubentities)
    #expect(request.includesPropertyValues && request.returnsObjectsAsFaults)
    #expect(request.includesPendingChanges && !request.returnsDistinctResults)
    #expect(!request.shouldRefreshRefetchedObjects && request.sortDescriptors == nil)
    #expect(request.fetchLimit == 0 && request.fetchOffset == 0 && request.fetchBatchSize == 0)
    #expect(request.relationshipKeyPathsForPrefetching == nil && request.affectedStores == nil)
    request.fetchLimit = 3
    request.relationshipKeyPathsForPrefetching = ["author"]
    request.shouldRefreshRefetchedObjects = true
    request.returnsObjectsAsFaults = false
    request.propertiesToFetch = ["title"]
    request.includesSubentities = false
    request.includesPropertyValues = false
    request.includesPendingChanges = false
    request.returnsDistinctResults = true
    request.resultType = .dictionaryResultType
    (request.fetchOffset, request.fetchBatchSize) = (4, 5)
    request.propertiesToGroupBy = ["title"]
    request.havingPredicate = NSPredicate(format: "title != nil")
    request.predicate = NSPredicate(format: "pages > 1")
    request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
    request.affectedStores = []
    let copy = try #require(request.copy() as? NSFetchRequest<NSManagedObject>)
    #expect(copy.entityName == "Book" && copy.fetchLimit == 3)
    #expect(copy.relationshipKeyPathsForPrefetching == ["author"])
    #expect(copy.shouldRefreshRefetchedObjects && !copy.returnsObjectsAsFaults)
    #expect(copy.propertiesToFetch as? [String] == ["title"])
    #expect(!copy.includesSubentities && !copy.includesPropertyValues)
    #expect(!copy.includesPendingChanges && copy.returnsDistinctResults)
    #expect(copy.resultType == .dictionaryResultType && copy.affectedStores == [])
    #expect(copy.fetchOffset == 4 && copy.fetchBatchSize == 5)
    #expect(copy.propertiesToGroupBy as? [String] == ["title"])
    #expect(copy.havingPredicate == request.havingPredicate && copy.havingPredicate != nil)
    #expect(copy.predicate == request.predicate && copy.sortDescriptors?.first?.key == "pages")
  }

  @Test("FR-1 a request made with a name has no entity before its first use")
  func fr1() async throws {
    let shelf = try Shelf(1)
    let request = shelf.request()
    #expect(request.entityName == "Book")
    _ = try shelf.context.fetch(request)
    #expect(request.entity?.name == "Book")
    await #expect(processExitsWith: .failure) {
      _ = NSFetchRequest<NSManagedObject>(entityName: "Book").entity
    }
  }

  @Test("FR-2 propertiesToFetch comes after the entity, and takes no to-many")
  func fr2() async throws {
    let shelf = try Shelf(2)
    let entity = try #require(
      NSEntityDescription.entity(forEntityName: "Book", in: shelf.context)
    )
    let title = try #require(entity.propertiesByName["title"])
    let author = try #require(entity.propertiesByName["author"])
    let count = Shelf.column("twice", NSExpression(format: "pages * 2"))
    let rows = try shelf.context.fetch(
      shelf.dictionaries([title, author, "pages", count]) {
        $0.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
      }
    )
    #expect(rows.map { $0["twice"] as? Int } == [0, 2] && rows[1]["title"] as? String == "title 1")
    let tags = try #require(entity.propertiesByName["tags"])
    let error = #expect(throws: NSError.self) {
      try shelf.context.fetch(shelf.dictionaries([tags]))
    }
    #expect(error?.localizedDescription.hasPrefix("Invalid to-many relationship in") == true)
    await #expect(processExitsWith: .failure) {
      NSFetchRequest<NSDictionary>().propertiesToFetch = ["title"]
    }
  }

  @Test("FR-3 objects, IDs, dictionaries, or an array of one number", arguments: stores)
  func fr3(type: String) throws {
    let shelf = try Shelf(5, type)
    let objects = try shelf.context.fetch(shelf.request())
    let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
    ids.resultType = .managedObjectIDResultType
    ids.sortDescriptors = shelf.request().sortDescriptors
    #expect(try shelf.context.fetch(ids) == objects.map(\.objectID))
    #expect(try shelf.context.fetch(shelf.dictionaries(["title"])).count == 5)
    let count = NSFetchRequest<NSNumber>(entityName: "Book")
    count.resultType = .countResultType
    count.fetchOffset = 1
    #expect(try shelf.context.fetch(count) == [NSNumber(value: 4)])
    #expect(try shelf.context.count(for: shelf.request { $0.fetchLimit = 2 }) == 2)
  }

  @Test(
    "FR-4 dictionaries show the store alone; nil is left out, a to-one is an ID",
    arguments: stores
  )
  func fr4(type: String) throws {
    let shelf = try Shelf(2, type)
    let books = try shelf.context.fetch(shelf.request())
    books[0].setValue("changed", forKey: "title")
    shelf.context.delete(books[1])
    _ = shelf.stack.make("Book", ["title": "new"])
    let rows = try shelf.context.fetch(
      shelf.dictionaries(["title", "author", "isbn"]) {
        $0.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
      }
    )
    #expect(rows.map { $0["title"] as? String } == ["title 0", "title 1"])
    #expect(rows.allSatisfy { $0["isbn"] == nil })
    let author = books[0].value(forKey: "author") as? NSManagedObject
    #expect(rows[0]["author"] as? NSManagedObjectID == author?.objectID)
  }

  @Test("FR-5 IDs include temporary ones of new objects, with and without property values")
  func fr5() throws {
    let shelf = try Shelf(3)
    let new = shelf.stack.make("Book", ["title": "new", "pages": 1])
    for includesValues in [true, false] {
      let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
      ids.resultType = .managedObjectIDResultType
      ids.includesPropertyValues = includesValues
      ids.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
      let found = try shelf.context.fetch(ids)
      #expect(found.count == 4 && found[2] == new.objectID && found[2].isTemporaryID)
    }
  }

  @Test(
    "FR-6 without unsaved changes the store decides, and known objects show theirs",
    arguments: stores
  )
  func fr6(type: String) throws {
    let shelf = try Shelf(4, type)
    let context = shelf.context
    let books = try context.fetch(shelf.request())
    books[0].setValue(50, forKey: "pages")
    context.delete(books[1])
    _ = shelf.stack.make("Book", ["title": "new", "pages": 2])
    for size in [0, 2] {
      let request = shelf.request("pages < 3") {
        $0.includesPendingChanges = false
        $0.fetchBatchSize = size
      }
      let found = try context.fetch(request)
      try #require(found == Array(books[..<3]) && found[1].isDeleted)
      #expect(Shelf.pages([found[0], found[2]]) == [50, 2])
      #expect(try context.count(for: request) == 3)
    }
  }

  @Test("FR-7 the window is exact with unsaved changes (kinder than Apple's)", arguments: stores)
  func fr7(type: String) throws {
    let shelf = try Shelf(10, type)
    let context = shelf.context
    let books = try context.fetch(shelf.request())
    books[9].setValue(-1, forKey: "pages")
    context.delete(books[2])
    _ = shelf.stack.make("Book", ["title": "new", "pages": 4])
    let all = [-1, 0, 1, 3, 4, 4, 5, 6, 7, 8]
    for offset in 0...10 {
      for limit in 0...4 {
        for size in [0, 3] {
          let request = shelf.request {
            $0.fetchOffset = offset
            $0.fetchLimit = limit
            $0.fetchBatchSize = size
          }
          let rest = all.dropFirst(offset)
          let expected = Array(limit > 0 ? rest.prefix(limit) : rest)
          #expect(Shelf.pages(try context.fetch(request)) == expected)
          #expect(try context.count(for: request) == expected.count)
        }
      }
    }
  }

  @Test("Limits, offsets and batch sizes without measure are no limit, nothing left, and one batch")
  func hugeNumbers() throws {
    let shelf = try Shelf(4)
    let context = shelf.context
    _ = shelf.stack.make("Book", ["title": "new", "pages": 9])
    for number in [Int.max, Int.max - 1, -1, Int.min] {
      let request = shelf.request {
        $0.fetchLimit = number
        $0.fetchBatchSize = number
        $0.fetchOffset = 1
      }
      #expect(Shelf.pages(try context.fetch(request)) == [1, 2, 3, 9])
      #expect(Shelf.pages(try context.fetchLazily(request)) == [1, 2, 3, 9])
      #expect(try context.count(for: request) == 4)
      request.fetchLimit = 2
      request.fetchOffset = number
      #expect(try context.count(for: request) == (number < 0 ? 2 : 0))
      #expect(try shelf.reader().fetch(request).count == (number < 0 ? 2 : 0))
    }
  }

  @Test("FR-3 count(for:) of dictionaries is what a fetch would give", arguments: stores)
  func countOfDictionaries(type: String) throws {
    let shelf = try Shelf(6, type)
    _ = shelf.stack.make("Book", ["title": "new"])
    let sum = Shelf.column("sum", NSExpression(format: "sum:(pages)"))
    let requests = [
      shelf.dictionaries(["pages"]), shelf.dictionaries([sum]),
      shelf.dictionaries(["author"]) { $0.returnsDistinctResults = true },
      shelf.dictionaries(["author", sum]) {
        $0.propertiesToGroupBy = ["author"]
        $0.havingPredicate = NSPredicate(format: "sum:(pages) > 4")
      },
    ]
    for (request, count) in zip(requests, [6, 1, 4, 1]) {
      #expect(try shelf.context.fetch(request).count == count)
      #expect(try shelf.context.count(for: request) == count)
    }
  }

  @Test("FR-8 offset and limit cut what an in-memory store gives")
  func fr8() throws {
    let shelf = try Shelf(10, NSInMemoryStoreType)
    let window = shelf.request("pages > 2") {
      $0.fetchOffset = 2
      $0.fetchLimit = 3
    }
    #expect(Shelf.pages(try shelf.context.fetch(window)) == [5, 6, 7])
  }

  @Test("FR-9 faults come with rows at hand, without them, or realised")
  func fr9() throws {
    let shelf = try Shelf(6)
    let reader = shelf.reader()
    let faults = try reader.fetch(shelf.request())
    #expect(faults.allSatisfy { $0.isFault })
    let atHand = try shelf.statements { #expect(Shelf.pages(faults) == Array(0..<6)) }
    #expect(atHand.isEmpty)
    reader.reset()
    var bare: [NSManagedObject] = []
    let keys = try shelf.statements {
      bare = try reader.fetch(shelf.request { $0.includesPropertyValues = false })
    }
    #expect(keys.count == 1 && !keys[0].contains("ZTITLE"))
    let firing = try shelf.statements { #expect(Shelf.pages(bare) == Array(0..<6)) }
    #expect(firing.count == 6)
    let web = try WebStack()
    _ = try web.node("a")
    try web.save()
    web.context.reset()
    web.hooks.log = []
    let realised = NSFetchRequest<Node>(entityName: "Node")
    realised.returnsObjectsAsFaults = false
    let nodes = try web.context.fetch(realised)
    #expect(nodes.count == 1 && nodes.allSatisfy { !$0.isFault })
    #expect(web.hooks.count("awakeFromFetch") == 1)
  }

  @Test("FR-10 propertiesToFetch leaves managed objects whole: no key asks the store again")
  func fr10() throws {
    let shelf = try Shelf(3)
    let reader = shelf.reader()
    let books = try reader.fetch(shelf.request { $0.propertiesToFetch = ["title"] })
    let reading = try shelf.statements {
      #expect(Shelf.pages(books) == [0, 1, 2])
      #expect(books.compactMap { $0.text("title") } == ["title 0", "title 1", "title 2"])
    }
    #expect(reading.isEmpty)
  }

  @Test(
    "FR-13 shouldRefreshRefetchedObjects brings newer rows below unsaved changes",
    arguments: [0, 2]
  )
  func fr13(size: Int) throws {
    let shelf = try Shelf(4)
    let context = shelf.reader()
    let books = try context.fetch(shelf.request { $0.returnsObjectsAsFaults = false })
    books[1].setValue("mine", forKey: "title")
    let other = try shelf.context.fetch(shelf.request())
    for book in other {
      book.setValue("theirs", forKey: "title")
      book.setValue(9.5, forKey: "price")
    }
    try shelf.context.save()
    let plain = try context.fetch(shelf.request { $0.fetchBatchSize = size })
    #expect(plain[0].value(forKey: "title") as? String == "title 0")
    let fresh = shelf.request {
      $0.shouldRefreshRefetchedObjects = true
      $0.fetchBatchSize = size
    }
    let again = try context.fetch(fresh)
    #expect(again == books)
    #expect(
      again.map { $0.value(forKey: "title") as? String } == ["theirs", "mine", "theirs", "theirs"]
    )
    #expect(again.allSatisfy { $0.value(forKey: "price") as? Double == 9.5 })
    #expect(books[1].hasChanges && !books[0].hasChanges)
    try context.save()
  }

  @Test("FR-16 affectedStores picks stores; results of several are sorted together")
  func fr16() throws {
    let shelf = try Shelf(4)
    let coordinator = shelf.stack.container.persistentStoreCoordinator
    let first = try #require(coordinator.persistentStores.first)
    let second = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType,
      configurationName: nil,
      at: nil
    )
    for pages in [1, 7] {
      let book = shelf.stack.make("Book", ["pages": pages])
      shelf.context.assign(book, to: second)
    }
    let child = shelf.child(of: shelf.context)
    func pages(
      _ stores: [NSPersistentStore]?,
      _ context: NSManagedObjectContext,
      _ size: Int
    ) throws
      -> [Int]
    {
      try context.performAndWait {
        Shelf.pages(
          try context.fetch(
            shelf.request {
              $0.affectedStores = stores
              $0.fetchBatchSize = size
            }
          )
        )
      }
    }
    for isSaved in [false, true] {
      if isSaved { try shelf.context.save() }
      for context in [shelf.context, child] {
        for size in [0, 2] {
          #expect(try pages(nil, context, size) == [0, 1, 1, 2, 3, 7])
          #expect(try pages([second], context, size) == [1, 7])
          #expect(try pages([first], context, size) == [0, 1, 2, 3])
          #expect(try pages([], context, size) == [])
        }
      }
    }
    let window = shelf.request {
      $0.fetchOffset = 1
      $0.fetchLimit = 3
    }
    #expect(Shelf.pages(try shelf.context.fetch(window)) == [1, 1, 2])
    #expect(try shelf.context.count(for: window) == 3)
  }

  @Test("FR-17 without sub-entities only the entity itself counts", arguments: stores)
  func fr17(type: String) throws {
    let shelf = try Shelf(2, type)
    _ = shelf.stack.make("Novel", ["title": "saved", "pages": 5])
    try shelf.context.save()
    _ = shelf.stack.make("Novel", ["title": "new", "pages": 6])
    #expect(Shelf.pages(try shelf.context.fetch(shelf.request())) == [0, 1, 5, 6])
    let exact = shelf.request { $0.includesSubentities = false }
    #expect(Shelf.pages(try shelf.context.fetch(exact)) == [0, 1])
    #expect(try shelf.context.count(for: exact) == 2)
  }

  @Test(
    "FR-18 nil comes first ascending and last descending; to-manys are no order",
    arguments: stores
  )
  func fr18(type: String) throws {
    let shelf = try Shelf(2, type)
    _ = shelf.stack.make("Book", ["title": "nil"])
    try shelf.context.save()
    for isUnsaved in [false, true] {
      // With an unsaved book the order is made in memory.
      if isUnsaved { _ = shelf.stack.make("Book", ["title": "nil too"]) }
      let empty: [Double?] = isUnsaved ? [nil, nil] : [nil]
      for isAscending in [true, false] {
        let request = shelf.request {
          $0.sortDescriptors = [NSSortDescriptor(key: "price", ascending: isAscending)]
        }
        let prices = try shelf.context.fetch(request).map { $0.value(forKey: "price") as? Double }
        #expect(prices == (isAscending ? empty + [0, 0.5] : [0.5, 0] + empty))
      }
    }
    #expect(throws: NSError.self) {
      try shelf.context.fetch(
        shelf.request { $0.sortDescriptors = [NSSortDescriptor(key: "tags.name", ascending: true)] }
      )
    }
  }
}
