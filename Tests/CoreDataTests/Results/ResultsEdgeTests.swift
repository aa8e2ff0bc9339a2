// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

/// Names, titles and paths that are not everyday ones, and how a controller falls behind and catches up.
@Suite("A results controller at the edges")
struct ResultsEdgeTests {
  private let fixture: ResultsFixture
  private var context: NSManagedObjectContext { fixture.context }

  init() throws { fixture = try ResultsFixture() }

  // MARK: Sections

  @Test("Sections are named by values of each kind of attribute, in their order")
  func kinds() throws {
    let item = NSEntityDescription()
    item.name = "Item"
    let kinds: [(String, NSAttributeType)] = [
      ("day", .dateAttributeType), ("flag", .booleanAttributeType),
      ("money", .decimalAttributeType), ("ratio", .doubleAttributeType),
      ("uid", .UUIDAttributeType), ("link", .URIAttributeType),
      ("number", .integer64AttributeType),
    ]
    item.properties = kinds.map { name, type in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.isOptional = true
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [item]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType,
      configurationName: nil,
      at: nil,
      options: nil
    )
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let id = UUID()
      let link = try #require(URL(string: "https://example.org/a"))
      let values: [[String: Any]] = [
        [:],
        ["day": Date(timeIntervalSinceReferenceDate: 0), "flag": false, "money": Decimal(2.5)],
        ["flag": true, "ratio": 0.1, "uid": id, "link": link, "number": -3],
        ["ratio": 2.0, "money": Decimal(10), "number": Int64.max],
      ]
      for values in values {
        let object = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
      }
      func names(_ key: String) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        let controller = NSFetchedResultsController(
          fetchRequest: request,
          managedObjectContext: context,
          sectionNameKeyPath: key,
          cacheName: nil
        )
        try controller.performFetch()
        return (controller.sections ?? []).map(\.name)
      }
      #expect(try names("day") == ["", "2001-01-01 00:00:00 +0000"])
      #expect(try names("flag") == ["", "0", "1"])
      #expect(try names("money") == ["", "2.5", "10"])
      #expect(try names("ratio") == ["", "0.1", "2"])
      #expect(try names("uid") == ["", id.uuidString])
      #expect(try names("link") == ["", "https://example.org/a"])
      #expect(try names("number") == ["", "-3", "9223372036854775807"])
    }
  }

  @Test("Names that are written with other code points are other sections, as they sort apart")
  func composed() throws {
    try context.performAndWait {
      // A letter with an accent as two code points, and as one.
      let (two, one) = ("e\u{301}t\u{E9}", "\u{E9}t\u{E9}")
      for zone in [one, "ez", two, one] { fixture.add("n", zone, 1) }
      let controller = fixture.controller()
      let table = TableMirror()
      controller.delegate = table
      try controller.performFetch()
      table.reloadData(controller)
      #expect(controller.sections?.map(\.numberOfObjects) == [1, 1, 2])
      fixture.add("m", two, 1)
      fixture.add("m", one, 1)
      fixture.add("m", "e\u{301}", 1)
      context.processPendingChanges()
      try table.check(controller)
      #expect(controller.sections?.map(\.numberOfObjects) == [1, 1, 2, 3])
      let snapshots = SnapshotRecorder()
      controller.delegate = snapshots
      try controller.performFetch()
      #expect(snapshots.snapshots.last?.numberOfItems == 7)
    }
  }

  @Test("A key path over a to-one names the section nothing where the way ends")
  func endedWay() throws {
    try context.performAndWait {
      let zone = fixture.addZone("Asia")
      let nations = [fixture.add("a", nil, 1, home: zone), fixture.add("b", nil, 2)]
      try context.save()
      let (controller, recorder) = try fixture.recorded(
        fixture.request([("home.label", true), ("name", true)]),
        sections: "home.label"
      )
      #expect(text(controller) == ": b | Asia: a")
      nations[1].setValue(zone, forKey: "home")
      try context.save()
      #expect(recorder.removeEvents() == ["will", "delete section 0 ", "move b 0.0 0.1", "did"])
      context.delete(zone)
      try context.save()
      #expect(text(controller) == ": a b")
      #expect(recorder.removeEvents().count { $0.hasPrefix("move") } == 2)
    }
  }

  @Test("Titles are the first character in capitals, whatever it is; names without one have none")
  func titles() throws {
    try context.performAndWait {
      for zone in ["", "7up", "asia", "\u{E9}t\u{E9}", "e\u{301}b", "\u{1F1E9}\u{1F1EA} Bund"] {
        fixture.add("n", zone, 1)
      }
      let controller = fixture.controller()
      try controller.performFetch()
      #expect(
        controller.sectionIndexTitles == ["7", "A", "E\u{301}", "\u{C9}", "\u{1F1E9}\u{1F1EA}"]
      )
      #expect(controller.section(forSectionIndexTitle: "A", at: 1) == 2)
    }
  }

  // MARK: Paths

  @Test("A path to no section stops the program in Apple's words")
  func noSection() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let fixture = try ResultsFixture()
      let controller = fixture.controller(sections: nil)
      try controller.performFetch()
      _ = controller.object(at: IndexPath(row: 0, section: 7))
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self)
        .contains("no section at index 7 in sections list; the only valid index is 0")
    )
  }

  @Test("Rows cannot be read by a path of one index, or after a failed fetch")
  func unreadableRows() async throws {
    let path = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let fixture = try ResultsFixture()
      let controller = fixture.controller(sections: nil)
      try controller.performFetch()
      _ = controller.object(at: IndexPath(index: 0))
    }
    #expect(
      String(decoding: path.standardErrorContent, as: UTF8.self)
        .contains("exactly two indices specifying the section and row; this one is [0].")
    )
    let failed = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let fixture = try ResultsFixture()
      let controller = fixture.controller(sections: nil)
      controller.fetchRequest.resultType = .dictionaryResultType
      try? controller.performFetch()
      _ = controller.object(at: IndexPath(row: 0, section: 0))
    }
    #expect(
      String(decoding: failed.standardErrorContent, as: UTF8.self)
        .contains("because its last performFetch() has failed or has not returned yet")
    )
  }

  // MARK: Behind and up to date

  @Test(
    "A delegate that was away for changes: deleted rows go, changed ones move, in the next round"
  )
  func away() throws {
    try fixture.followed(sections: nil) { controller, recorder, four in
      controller.delegate = nil
      context.delete(four[1])
      four[0].setValue("Zealandia", forKey: "zone")
      try context.save()
      #expect(text(controller).count(where: { $0 == " " }) == 4)
      let table = TableMirror()
      controller.delegate = table
      table.reloadData(controller)
      four[3].setValue("Africa", forKey: "zone")
      context.processPendingChanges()
      try table.check(controller)
      #expect(text(controller) == ": d c a")
    }
  }

  @Test("The rows of faults that are refreshed together are read together", arguments: [0, 20])
  func refreshed(batchSize: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let fixture = try ResultsFixture(file: folder.appendingPathComponent("nations.sqlite"))
    let context = fixture.context
    try context.performAndWait {
      for index in 0..<600 { fixture.add("n\(index)", "Z\(index % 3)", index) }
      try context.save()
      context.reset()
      let store = try #require(fixture.container.persistentStoreCoordinator.persistentStores.first)
      let request = fixture.request()
      request.fetchBatchSize = batchSize
      let controller = fixture.controller(request)
      let table = TableMirror()
      controller.delegate = table
      try controller.performFetch()
      table.reloadData(controller)
      let before = store.statements.counts.started
      context.refreshAllObjects()
      context.processPendingChanges()
      try table.check(controller)
      #expect(store.statements.counts.started - before < 40)
    }
    try fixture.close()
  }

  @Test("Unsaved changes that a fetch leaves out do not put later changes out of order")
  func withoutPending() throws {
    let request = fixture.request([("wins", true)])
    request.includesPendingChanges = false
    try context.performAndWait {
      let ten = (0..<10).map { fixture.add("n\($0)", nil, $0 * 10) }
      try context.save()
      ten[4].setValue(5, forKey: "wins")
      fixture.add("new", nil, 7)
      let controller = fixture.controller(request, sections: nil)
      let table = TableMirror()
      controller.delegate = table
      try controller.performFetch()
      table.reloadData(controller)
      #expect(controller.fetchedObjects?.count == 10)
      try context.save()
      ten[9].setValue(25, forKey: "wins")
      context.processPendingChanges()
      try table.check(controller)
      let wins = (controller.fetchedObjects ?? []).map { $0.value(forKey: "wins") as? Int ?? -1 }
      #expect(wins == wins.sorted())
    }
  }

  // MARK: Sequences

  @Test(
    "Each reader of changes gets all of them; one that is gone is forgotten, and nothing follows"
  )
  func readers() async throws {
    let (first, second) = try context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller()
      try controller.performFetch()
      let streams = (controller.changes, controller.changes)
      do {
        _ = controller.changes
        _ = controller.snapshots
      }
      four[0].setValue(6, forKey: "wins")
      context.processPendingChanges()
      context.delete(four[3])
      try context.save()
      return streams
    }
    for stream in [first, second] {
      var rounds: [[NSFetchedResultsChangeType]] = []
      for await round in stream { rounds.append(round.rows.map(\.type)) }
      #expect(rounds == [[.update], [.delete]])
    }
    try context.performAndWait {
      let controller = fixture.controller()
      try controller.performFetch()
      do { _ = controller.changes }
      fixture.add("x", "Asia", 1)
      context.processPendingChanges()
      let count = controller.fetchedObjects?.count
      fixture.add("y", "Asia", 1)
      context.processPendingChanges()
      #expect(controller.fetchedObjects?.count == count)
    }
  }

  @Test("A context that fell far behind has caught up once it has merged: rows are looked at once")
  func caughtUp() throws {
    let other = fixture.container.newBackgroundContext()
    let saves = Posts(other, .NSManagedObjectContextDidSave)
    try context.performAndWait {
      let zones = (0..<5000).map { fixture.addZone("\($0)") }
      let nations = (0..<600).map { fixture.add("n\($0)", nil, $0) }
      try context.save()
      var asked = 0
      let request = fixture.request([("wins", true)])
      request.predicate = NSPredicate { _, _ in
        asked += 1
        return true
      }
      let controller = fixture.controller(request, sections: nil)
      let table = TableMirror()
      controller.delegate = table
      try controller.performFetch()
      table.reloadData(controller)
      try other.performAndWait {
        for zone in zones { other.object(with: zone.objectID).setValue("new", forKey: "note") }
        try other.save()
      }
      context.mergeChanges(fromContextDidSave: try #require(saves.last))
      asked = 0
      for nation in nations[..<300] {
        nation.setValue("changed", forKey: "zone")
        context.processPendingChanges()
      }
      #expect(asked < 500)
      try table.check(controller)
    }
  }
}
