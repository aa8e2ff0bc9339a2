// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

/// Each sentence of §15 is in a test whose name begins with its rule.
///
/// Those of the cache on disk are in `SectionCacheTests`; the sentences of the delegate's page have a
/// suite of their own, `DelegatePageTests`.
@Suite("Rules of fetched results controllers (behaviour.md §15)")
struct ResultsControllerRules {
  let fixture: ResultsFixture
  var context: NSManagedObjectContext { fixture.context }

  init() throws { fixture = try ResultsFixture() }

  @Test("FRC-1 objects have to sort into their sections; a computed section key is fine")
  func sectionOrder() throws {
    try context.performAndWait {
      _ = try fixture.addFour()
      fixture.add("aa", "Europe", 1)
      let wrong = fixture.controller(fixture.request([("name", true)]))
      let error = #expect(throws: NSError.self) { try wrong.performFetch() }
      #expect(error?.code == 134060)
      let computed = fixture.controller(fixture.request([("name", true)]), sections: "initial")
      try computed.performFetch()
      #expect(text(computed) == "a: a aa | b: b | c: c | d: d")
    }
  }

  @Test(
    "FRC-1 where changes break the order later, rows stay with their section and the next fetch throws"
  )
  func sectionOrderLater() throws {
    try context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller(fixture.request([("name", true)]))
      let table = TableMirror()
      controller.delegate = table
      try controller.performFetch()
      table.reloadData(controller)
      four[1].setValue("z", forKey: "name")
      context.processPendingChanges()
      try table.check(controller)
      #expect(text(controller) == "Asia: a z | Europe: c d")
      #expect(throws: NSError.self) { try controller.performFetch() }
      #expect(controller.sections == nil)
    }
  }

  @Test("FRC-2 without a delegate nothing is tracked; with one the content follows, in memory")
  func modes() throws {
    try fixture.followed { followed, recorder, _ in
      let controller = fixture.controller()
      try controller.performFetch()
      fixture.add("x", "Asia", 100)
      context.processPendingChanges()
      #expect(controller.fetchedObjects?.count == 4)
      #expect(followed.fetchedObjects?.count == 5)
      #expect(recorder.removeEvents() == ["will", "insert x - 0.0", "did"])
    }
  }

  @Test("FRC-4 no content before the fetch; sections of none with and without a key path")
  func emptiness() throws {
    try context.performAndWait {
      let controllers = [fixture.controller(), fixture.controller(sections: nil)]
      for controller in controllers {
        #expect(controller.fetchedObjects == nil && controller.sections == nil)
        try controller.performFetch()
        #expect(controller.fetchedObjects?.isEmpty == true)
      }
      #expect(controllers.map { $0.sections?.map(\.name) } == [[], [""]])
      #expect(controllers[1].sections?.map(\.numberOfObjects) == [0])
    }
  }

  @Test("FRC-5 a section's name is the text of the value; nil is the empty name")
  func names() throws {
    try context.performAndWait {
      for (name, wins) in [("a", 3), ("b", 3), ("c", 20)] { fixture.add(name, nil, wins) }
      fixture.add("n", nil, 0).setValue(nil, forKey: "wins")
      let controller = fixture.controller(fixture.request([("wins", true)]), sections: "wins")
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["", "3", "20"])
    }
  }

  @Test(
    "FRC-6 the title of a section is the capitalised first letter; titles lead to their section"
  )
  func titles() throws {
    try context.performAndWait {
      for zone in ["asia", "africa", "europe"] { fixture.add(zone, zone, 1) }
      let controller = fixture.controller()
      try controller.performFetch()
      #expect(controller.sectionIndexTitles == ["A", "A", "E"])
      #expect(controller.section(forSectionIndexTitle: "A", at: 1) == 1)
      #expect(controller.section(forSectionIndexTitle: "E", at: 2) == 2)
      #expect(controller.sections?.map(\.indexTitle) == ["A", "A", "E"])
    }
  }

  @Test("FRC-7 an object is found by identity, not by value")
  func identity() throws {
    try fixture.followed { controller, _, four in
      #expect(controller.indexPath(forObject: four[3]) == IndexPath(row: 1, section: 1))
      let other = fixture.container.newBackgroundContext()
      let twin = other.performAndWait { other.object(with: four[3].objectID) }
      #expect(controller.indexPath(forObject: twin) == nil)
    }
  }

  @Test(
    "FRC-8 changes count once they are processed; a limit and an offset count at the fetch alone"
  )
  func processing() throws {
    let skipping = fixture.request()
    skipping.fetchOffset = 1
    let request = fixture.request()
    request.fetchLimit = 4
    try fixture.followed(request) { controller, recorder, four in
      let behind = fixture.controller(skipping)
      let others = ResultsRecorder(behind)
      behind.delegate = others
      try behind.performFetch()
      four[0].setValue(0, forKey: "wins")
      #expect(recorder.removeEvents().isEmpty)
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "move a 0.0 0.1", "did"])
      fixture.add("e", "Asia", 50)
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "insert e - 0.0", "did"])
      #expect(controller.fetchedObjects?.count == 5)
      // The first row, which the fetch left out, comes once it is touched.
      #expect(text(behind) == "Asia: e b a | Europe: c d")
    }
  }

  @Test("FRC-8 predicate and order are evaluated in memory, on values that are not saved")
  func evaluation() throws {
    let request = fixture.request([("name", true)])
    request.predicate = NSPredicate(block: { nation, _ in name(nation) > "b" })
    try fixture.followed(request, sections: nil) { controller, recorder, four in
      four[0].setValue("e", forKey: "name")
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "insert e - 0.2", "did"])
      #expect(text(controller) == ": c d e" && context.hasChanges)
    }
  }

  @Test("FRC-9 will, sections, objects, did; and nothing where nothing shown changed")
  func order() throws {
    try fixture.followed { _, recorder, four in
      four[2].setValue("Africa", forKey: "zone")
      context.delete(four[3])
      fixture.add("o", "Oceania", 1)
      context.processPendingChanges()
      #expect(
        recorder.removeEvents() == [
          "will", "delete section 1 Europe", "insert section 0 Africa", "insert section 2 Oceania",
          "delete d 1.1 -", "insert o - 2.0", "move c 1.0 0.0", "did",
        ]
      )
      _ = fixture.addZone("unseen")
      context.processPendingChanges()
      #expect(recorder.removeEvents().isEmpty)
    }
  }

  @Test("FRC-10 old paths count the content before all changes, new ones the content after")
  func paths() throws {
    try fixture.followed { _, recorder, four in
      context.delete(four[0])
      four[1].setValue(4, forKey: "wins")
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "delete a 0.0 -", "update b 0.1 0.0", "did"])
    }
  }

  @Test("FRC-11 a changed sort key that keeps the place is an update, another one a move")
  func moves() throws {
    try fixture.followed { _, recorder, four in
      four[0].setValue(6, forKey: "wins")
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "update a 0.0 0.0", "did"])
      four[0].setValue(2, forKey: "wins")
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "move a 0.0 0.1", "did"])
      four[0].setValue(1.5, forKey: "score")
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "update a 0.1 0.1", "did"])
      four[0].setValue("Europe", forKey: "zone")
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "move a 0.1 1.1", "did"])
    }
  }

  @Test("FRC-12 a renamed section goes and comes")
  func renaming() throws {
    try fixture.followed { _, recorder, four in
      for nation in four[..<2] { nation.setValue("Asien", forKey: "zone") }
      context.processPendingChanges()
      #expect(
        recorder.removeEvents() == [
          "will", "delete section 0 Asia", "insert section 0 Asien", "move a 0.0 0.0",
          "move b 0.1 0.1", "did",
        ]
      )
    }
  }

  @Test("FRC-13 an object that stops matching goes, one that starts to match comes")
  func matching() throws {
    let request = fixture.request()
    request.predicate = NSPredicate(format: "wins > 2")
    try fixture.followed(request) { _, recorder, four in
      four[0].setValue(1, forKey: "wins")
      four[3].setValue(3, forKey: "wins")
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "delete a 0.0 -", "insert d - 1.1", "did"])
    }
  }

  @Test("FRC-14 a refreshed object is an update; one inserted and changed in one event one insert")
  func refreshing() throws {
    try fixture.followed { _, recorder, four in
      context.refresh(four[1], mergeChanges: true)
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "update b 0.1 0.1", "did"])
      context.refresh(four[1], mergeChanges: false)
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "update b 0.1 0.1", "did"])
      let new = fixture.add("n", "Asia", 1)
      new.setValue(100, forKey: "wins")
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "insert n - 0.0", "did"])
      let passing = fixture.add("p", "Asia", 1)
      context.delete(passing)
      context.processPendingChanges()
      #expect(recorder.removeEvents().isEmpty)
    }
  }

  @Test("FRC-14 an object that another context changed and this one merged is an update")
  func mergedUpdate() throws {
    try fixture.followed { _, recorder, four in
      let other = fixture.container.newBackgroundContext()
      let saves = Posts(other, .NSManagedObjectContextDidSave)
      try other.performAndWait {
        other.object(with: four[1].objectID).setValue(0.5, forKey: "score")
        try other.save()
      }
      context.mergeChanges(fromContextDidSave: try #require(saves.last))
      #expect(recorder.removeEvents() == ["will", "update b 0.1 0.1", "did"])
    }
  }

  @Test("FRC-15 objects of NSInvalidatedObjectsKey are reported as deletes")
  func invalidatedObjects() throws {
    try fixture.followed { controller, recorder, four in
      let posts = Posts(context, .NSManagedObjectContextObjectsDidChange)
      four[3].setValue(2, forKey: "wins")
      context.processPendingChanges()
      _ = recorder.removeEvents()
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [
          NSInvalidatedObjectsKey: [four[1].objectID, four[2].objectID, four[3].objectID]
        ],
        into: [context]
      )
      // What has unsaved changes keeps them, and is read again.
      #expect(
        recorder.removeEvents() == [
          "will", "delete c 1.0 -", "delete b 0.1 -", "update d 1.1 1.0", "did",
        ]
      )
      #expect(text(controller) == "Asia: a | Europe: d")
      #expect(four[3].value(forKey: "wins") as? Int == 2)
      let invalidated = posts.infos.last?[NSInvalidatedObjectsKey] as? Set<NSManagedObject>
      #expect(invalidated == [four[1], four[2]])
      #expect(posts.infos.last?[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [four[3]])
      try controller.performFetch()
      #expect(text(controller) == "Asia: a b | Europe: c d")
    }
  }

  @Test("FRC-15 a store that is removed is ignored until the next fetch")
  func removedStore() throws {
    try fixture.followed { controller, recorder, _ in
      try fixture.close()
      context.processPendingChanges()
      #expect(recorder.removeEvents().isEmpty && controller.fetchedObjects?.count == 4)
      try? controller.performFetch()
      #expect(controller.fetchedObjects?.isEmpty ?? true)
    }
  }

  @Test("FRC-15 NSInvalidatedAllObjects of a reset is ignored until the next fetch")
  func reset() throws {
    try fixture.followed { controller, recorder, _ in
      context.reset()
      fixture.add("x", "Asia", 1)
      context.processPendingChanges()
      #expect(recorder.removeEvents().isEmpty && controller.fetchedObjects?.count == 4)
      try controller.performFetch()
      #expect(controller.fetchedObjects?.count == 5)
    }
  }

  @Test("FRC-19 a changed request counts from the next fetch on")
  func changedRequest() throws {
    try fixture.followed { controller, recorder, four in
      controller.fetchRequest.predicate = NSPredicate(format: "wins > 4")
      four[1].setValue(4, forKey: "wins")
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "update b 0.1 0.1", "did"])
      try controller.performFetch()
      #expect(text(controller) == "Asia: a | Europe: c")
      #expect(recorder.removeEvents().isEmpty)
      four[1].setValue(5, forKey: "wins")
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "insert b - 0.1", "did"])
      controller.fetchRequest.sortDescriptors = [NSSortDescriptor(key: "zone", ascending: false)]
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["Europe", "Asia"])
    }
  }

  @Test("FRC-20 the delegate is not kept; a second fetch sends no callbacks, but a snapshot")
  func refetch() throws {
    try fixture.followed { controller, recorder, _ in
      try controller.performFetch()
      #expect(recorder.removeEvents().isEmpty)
      do {
        let snapshots = SnapshotRecorder()
        controller.delegate = snapshots
        try controller.performFetch()
        #expect(snapshots.snapshots.count == 1 && snapshots.others == 0)
      }
      #expect(controller.delegate == nil)
    }
  }

  @Test("FRC-21 a save that makes IDs permanent is no change")
  func permanentIDs() throws {
    try fixture.followed { _, recorder, _ in
      fixture.add("n", "Asia", 1)
      context.processPendingChanges()
      _ = recorder.removeEvents()
      try context.save()
      #expect(recorder.removeEvents().isEmpty)
    }
  }

  @Test("FRC-22 the request's results have to be managed objects")
  func resultType() {
    context.performAndWait {
      let request = fixture.request()
      request.resultType = .managedObjectIDResultType
      let controller = fixture.controller(request)
      #expect(throws: NSError.self) { try controller.performFetch() }
      #expect(controller.fetchedObjects == nil)
    }
  }
}
