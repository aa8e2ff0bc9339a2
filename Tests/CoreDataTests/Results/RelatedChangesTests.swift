// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("A results controller follows changes of related objects")
struct RelatedChangesTests {
  private func world(
    _ body: (ResultsFixture, _ north: NSManagedObject, _ south: NSManagedObject) throws -> Void
  ) throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let north = fixture.addZone("North")
      let south = fixture.addZone("South")
      fixture.add("a", nil, 1, home: north)
      fixture.add("b", nil, 2, home: north)
      fixture.add("c", nil, 3, home: south)
      try fixture.context.save()
      try body(fixture, north, south)
    }
  }

  @Test("that its section and sort key paths read; other changes of them are none")
  func sections() throws {
    try world { fixture, north, south in
      let (controller, recorder) = try fixture.recorded(
        fixture.request([("home.label", true), ("name", true)]),
        sections: "home.label"
      )
      #expect(text(controller) == "North: a b | South: c")
      north.setValue("mild", forKey: "note")
      fixture.context.processPendingChanges()
      #expect(recorder.removeEvents().isEmpty)
      north.setValue("Zenith", forKey: "label")
      fixture.context.processPendingChanges()
      #expect(text(controller) == "South: c | Zenith: a b")
      #expect(
        recorder.removeEvents() == [
          "will", "delete section 0 North", "insert section 1 Zenith", "move a 0.0 1.0",
          "move b 0.1 1.1", "did",
        ]
      )
      fixture.context.rollback()
      #expect(text(controller) == "North: a b | South: c")
      _ = recorder.removeEvents()
      // A new label that keeps every row where it is changes the sections alone.
      south.setValue("Tropic", forKey: "label")
      fixture.context.processPendingChanges()
      #expect(
        recorder.removeEvents() == [
          "will", "delete section 1 South", "insert section 1 Tropic", "move c 1.0 1.0", "did",
        ]
      )
    }
  }

  @Test("that it reads through SELF", arguments: ["self", "SELF"])
  func pathsThroughSelf(word: String) throws {
    try world { fixture, north, _ in
      let (controller, _) = try fixture.recorded(
        fixture.request([("\(word).home.label", true), ("name", true)]),
        sections: nil
      )
      #expect(controller.fetchedObjects?.map { name($0) } == ["a", "b", "c"])
      north.setValue("Zenith", forKey: "label")
      fixture.context.processPendingChanges()
      #expect(controller.fetchedObjects?.map { name($0) } == ["c", "a", "b"])
    }
  }

  @Test("that its predicate reads, to-many and subquery included")
  func predicates() throws {
    try world { fixture, north, south in
      let request = fixture.request([("name", true)])
      request.predicate = NSPredicate(format: "home.label BEGINSWITH 'N'")
      let nations = fixture.controller(request, sections: nil)
      let zoneRequest = NSFetchRequest<NSManagedObject>(entityName: "Zone")
      zoneRequest.sortDescriptors = [NSSortDescriptor(key: "label", ascending: true)]
      zoneRequest.predicate = NSPredicate(format: "SUBQUERY(nations, $n, $n.wins > 2).@count > 0")
      let zones = fixture.controller(zoneRequest, sections: nil)
      let recorders = [ResultsRecorder(nations), ResultsRecorder(zones)]
      nations.delegate = recorders[0]
      zones.delegate = recorders[1]
      for controller in [nations, zones] { try controller.performFetch() }
      #expect(zones.fetchedObjects?.count == 1)
      south.setValue("Noon", forKey: "label")
      fixture.context.processPendingChanges()
      #expect(recorders[0].removeEvents() == ["will", "insert c - 0.2", "did"])
      #expect(recorders[1].removeEvents().first == "will")
      let a = try #require(nations.fetchedObjects?.first)
      a.setValue(7, forKey: "wins")
      fixture.context.processPendingChanges()
      #expect(recorders[0].removeEvents() == ["will", "update a 0.0 0.0", "did"])
      #expect(zones.fetchedObjects?.count == 2)
    }
  }

  @Test("merged from another context, known here or not")
  func merged() throws {
    try world { fixture, _, _ in
      fixture.context.reset()
      let (controller, recorder) = try fixture.recorded(
        fixture.request([("home.label", true), ("name", true)]),
        sections: "home.label"
      )
      let other = fixture.container.newBackgroundContext()
      var saved: [AnyHashable: Any] = [:]
      try other.performAndWait {
        let zones = NSFetchRequest<NSManagedObject>(entityName: "Zone")
        zones.predicate = NSPredicate(format: "label == 'North'")
        let north = try #require(try other.fetch(zones).first)
        north.setValue("Zenith", forKey: "label")
        try other.save()
        saved = [NSUpdatedObjectsKey: [north.objectID]]
      }
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: saved,
        into: [fixture.context]
      )
      #expect(text(controller) == "South: c | Zenith: a b")
      #expect(recorder.removeEvents().count == 6)
    }
  }

  @Test("An object that goes over to another owner does not bring up the members of both")
  func movesAmongOwners() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let fixture = try ResultsFixture(file: folder.appendingPathComponent("nations.sqlite"))
    try fixture.context.performAndWait {
      let zones = ["North", "South"].map { fixture.addZone($0) }
      let nations = (0..<40).map { fixture.add("n\($0)", nil, $0, home: zones[$0 % 2]) }
      try fixture.context.save()
      for zone in zones { fixture.context.refresh(zone, mergeChanges: false) }
      let (controller, recorder) = try fixture.recorded(
        fixture.request([("home.label", true), ("wins", true)]),
        sections: "home.label"
      )
      for zone in zones { _ = zone.value(forKey: "label") }
      let store = try #require(fixture.container.persistentStoreCoordinator.persistentStores.first)
      let before = store.statements.counts.started
      nations[0].setValue(zones[1], forKey: "home")
      fixture.context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "move n0 0.0 1.0", "did"])
      // Asking for the zones' members would take a statement.
      #expect(store.statements.counts.started == before)
      zones[1].setValue("Arctic", forKey: "label")
      fixture.context.processPendingChanges()
      #expect(controller.sections?.map(\.name) == ["Arctic", "North"])
      #expect(recorder.removeEvents().count == 2 + 2 + 21)
    }
    try fixture.close()
  }

  @Test("An object of which the context knew nothing comes when another context makes it match")
  func unknownObjects() throws {
    try world { fixture, _, _ in
      let request = fixture.request([("name", true)])
      request.predicate = NSPredicate(format: "wins > 10")
      fixture.context.reset()
      let (controller, recorder) = try fixture.recorded(request, sections: nil)
      #expect(controller.fetchedObjects?.isEmpty == true)
      let other = fixture.container.newBackgroundContext()
      var saved: [AnyHashable: Any] = [:]
      try other.performAndWait {
        let found = try other.fetch(fixture.request([("name", true)]))
        found[1].setValue(11, forKey: "wins")
        try other.save()
        saved = [NSUpdatedObjectsKey: [found[1].objectID]]
      }
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: saved,
        into: [fixture.context]
      )
      #expect(recorder.removeEvents() == ["will", "insert b - 0.0", "did"])
    }
  }
}
