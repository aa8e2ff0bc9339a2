// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("A fetched results controller")
struct FetchedResultsControllerTests {
  @Test("has no content before the first fetch, and sections in order after it")
  func content() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller()
      #expect(controller.fetchedObjects == nil && controller.sections == nil)
      #expect(controller.sectionIndexTitles.isEmpty)
      try controller.performFetch()
      #expect(text(controller) == "Asia: a b | Europe: c d")
      #expect(controller.sections?.map(\.numberOfObjects) == [2, 2])
      #expect(controller.fetchedObjects?.map { name($0) } == ["a", "b", "c", "d"])
      #expect(controller.object(at: IndexPath(row: 1, section: 1)) === four[3])
      #expect(controller.indexPath(forObject: four[2]) == IndexPath(row: 0, section: 1))
      let stranger = fixture.add("x", nil, 0)
      #expect(controller.indexPath(forObject: stranger) == nil)
    }
  }

  @Test("without a section key path has one nameless section, even when empty")
  func oneSection() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let plain = fixture.controller(sections: nil)
      try plain.performFetch()
      #expect(plain.sections?.map(\.numberOfObjects) == [0])
      #expect(plain.sections?.first?.name == "")
      let sectioned = fixture.controller()
      try sectioned.performFetch()
      #expect(sectioned.sections?.isEmpty == true)
    }
  }

  @Test(
    "tells sections before objects, with old and new paths, and nothing of rows that only shift"
  )
  func delegateOrder() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let (controller, recorder) = try fixture.recorded()
      #expect(recorder.removeEvents().isEmpty)

      four[1].setValue(7, forKey: "wins")
      fixture.context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "move b 0.1 0.0", "did"])
      #expect(text(controller) == "Asia: b a | Europe: c d")

      four[1].setValue(8, forKey: "wins")
      fixture.context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "update b 0.0 0.0", "did"])

      four[0].setValue("Africa", forKey: "zone")
      fixture.add("e", "Asia", 99)
      fixture.context.delete(four[3])
      try fixture.context.save()
      #expect(
        recorder.removeEvents() == [
          "will", "insert section 0 Africa", "delete d 1.1 -", "insert e - 1.0", "move a 0.1 0.0",
          "did",
        ]
      )
      #expect(text(controller) == "Africa: a | Asia: e b | Europe: c")

      four[0].setValue("Asia", forKey: "zone")
      try fixture.context.save()
      #expect(
        recorder.removeEvents() == ["will", "delete section 0 Africa", "move a 0.0 0.2", "did"]
      )
      #expect(recorder.isSame)
    }
  }

  @Test("says nothing when nothing shown changed")
  func silence() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let request = fixture.request()
      request.predicate = NSPredicate(format: "wins > %d", 2)
      let controller = fixture.controller(request)
      let recorder = ResultsRecorder(controller)
      controller.delegate = recorder
      try controller.performFetch()
      four[3].setValue(2, forKey: "wins")
      _ = NSEntityDescription.insertNewObject(forEntityName: "Zone", into: fixture.context)
      try fixture.context.save()
      #expect(recorder.removeEvents().isEmpty)
      four[3].setValue(4, forKey: "wins")
      fixture.context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "insert d - 1.1", "did"])
      four[3].setValue(1, forKey: "wins")
      fixture.context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "delete d 1.1 -", "did"])
    }
  }

  @Test("shows sub-entities unless the request excludes them")
  func subentities() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let narrow = fixture.request()
      narrow.includesSubentities = false
      let controllers = [fixture.controller(), fixture.controller(narrow)]
      let recorders = controllers.map { ResultsRecorder($0) }
      for (controller, recorder) in zip(controllers, recorders) {
        controller.delegate = recorder
        try controller.performFetch()
      }
      fixture.add("z", "Asia", 1, entity: "Champion")
      try fixture.context.save()
      #expect(
        recorders.map { $0.removeEvents() }
          == [["will", "insert section 0 Asia", "insert z - 0.0", "did"], []]
      )
    }
  }

  @Test("reports what another context saved and this one merged")
  func merges() throws {
    let fixture = try ResultsFixture()
    let context = fixture.context
    context.automaticallyMergesChangesFromParent = true
    let controller = fixture.controller()
    let recorder = ResultsRecorder(controller)
    try context.performAndWait {
      _ = try fixture.addFour()
      controller.delegate = recorder
      try controller.performFetch()
    }
    let other = fixture.container.newBackgroundContext()
    try other.performAndWait {
      let found = try other.fetch(fixture.request())
      found[1].setValue(6, forKey: "wins")
      other.delete(found[2])
      try other.save()
    }
    context.performAndWait {
      #expect(recorder.removeEvents() == ["will", "delete c 1.0 -", "move b 0.1 0.0", "did"])
      #expect(text(controller) == "Asia: b a | Europe: d")
    }
  }

  @Test("shows the old content in will-change and the new one after it")
  func oldContent() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller()
      let recorder = ResultsRecorder(controller)
      var before = -1
      recorder.willChange = { before = $0.fetchedObjects?.count ?? -1 }
      controller.delegate = recorder
      try controller.performFetch()
      fixture.context.delete(four[0])
      fixture.context.processPendingChanges()
      #expect(before == 4)
      #expect(controller.fetchedObjects?.count == 3)
    }
  }

  @Test(
    "without a delegate keeps the content of the fetch; a delegate set later is told from then on"
  )
  func tracking() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      _ = try fixture.addFour()
      let controller = fixture.controller()
      try controller.performFetch()
      fixture.add("e", "Asia", 1)
      fixture.context.processPendingChanges()
      #expect(text(controller) == "Asia: a b | Europe: c d")
      let recorder = ResultsRecorder(controller)
      controller.delegate = recorder
      fixture.add("f", "Asia", 0)
      fixture.context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "insert f - 0.2", "did"])
    }
  }

  @Test("ignores a reset until the next fetch")
  func reset() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      _ = try fixture.addFour()
      let (controller, recorder) = try fixture.recorded()
      fixture.context.reset()
      #expect(recorder.removeEvents().isEmpty)
      #expect(controller.fetchedObjects?.count == 4)
      try controller.performFetch()
      #expect(text(controller) == "Asia: a b | Europe: c d")
      controller.object(at: IndexPath(row: 0, section: 0)).setValue(1, forKey: "wins")
      fixture.context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "move a 0.0 0.1", "did"])
    }
  }

  @Test("undoes in its content what a rollback undoes")
  func rollback() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let (controller, recorder) = try fixture.recorded()
      four[0].setValue(0, forKey: "wins")
      fixture.add("n", "Oceania", 3)
      fixture.context.delete(four[2])
      fixture.context.processPendingChanges()
      #expect(text(controller) == "Asia: b a | Europe: d | Oceania: n")
      _ = recorder.removeEvents()
      fixture.context.rollback()
      #expect(text(controller) == "Asia: a b | Europe: c d")
      #expect(recorder.removeEvents().first == "will")
    }
  }

  @Test("sorts and sections by key paths across to-ones")
  func keyPaths() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let zones = ["North", "South"].map { label in
        let zone = NSEntityDescription.insertNewObject(forEntityName: "Zone", into: fixture.context)
        zone.setValue(label, forKey: "label")
        return zone
      }
      let first = fixture.add("a", nil, 1)
      first.setValue(zones[1], forKey: "home")
      fixture.add("b", nil, 2).setValue(zones[0], forKey: "home")
      try fixture.context.save()
      let (controller, recorder) = try fixture.recorded(
        fixture.request([("home.label", true), ("name", true)]),
        sections: "home.label"
      )
      #expect(text(controller) == "North: b | South: a")
      first.setValue(zones[0], forKey: "home")
      fixture.context.processPendingChanges()
      #expect(
        recorder.removeEvents() == ["will", "delete section 1 South", "move a 1.0 0.0", "did"]
      )
    }
  }

  @Test("names sections by numbers and nil as text, and gives each a title")
  func sectionNames() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      _ = try fixture.addFour()
      fixture.add("n", nil, 12)
      try fixture.context.save()
      let numbers = fixture.controller(fixture.request([("wins", true)]), sections: "wins")
      try numbers.performFetch()
      #expect(numbers.sections?.map(\.name) == ["1", "3", "5", "9", "12"])
      let zones = fixture.controller()
      try zones.performFetch()
      #expect(zones.sections?.map(\.name) == ["", "Asia", "Europe"])
      #expect(zones.sections?.map(\.indexTitle) == [nil, "A", "E"])
      #expect(zones.sectionIndexTitles == ["A", "E"])
      #expect(zones.section(forSectionIndexTitle: "E", at: 1) == 2)
      #expect(zones.sectionIndexTitle(forSectionName: "ozean") == "O")
    }
  }

  @Test("asks the delegate for titles of the section index")
  func titles() throws {
    final class Titles: NSFetchedResultsControllerDelegate {
      func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
      ) -> String? { String(sectionName.suffix(1)) }
    }
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller()
      let titles = Titles()
      controller.delegate = titles
      try controller.performFetch()
      #expect(controller.sectionIndexTitles == ["a", "e"])
      // “This method does not enable change tracking.”
      fixture.context.delete(four[0])
      fixture.add("e", "Africa", 1)
      fixture.context.processPendingChanges()
      #expect(text(controller) == "Asia: a b | Europe: c d")
      try controller.performFetch()
      #expect(text(controller) == "Africa: e | Asia: b | Europe: c d")
    }
  }

  @Test("refuses objects that do not sort into their sections, and says which key path is to blame")
  func outOfOrder() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      _ = try fixture.addFour()
      let controller = fixture.controller(fixture.request([("name", false), ("wins", true)]))
      try controller.performFetch()
      fixture.add("aa", "Europe", 1)
      let error = #expect(throws: NSError.self) { try controller.performFetch() }
      #expect(error?.domain == NSCocoaErrorDomain && error?.code == 134060)
      #expect(error?.localizedDescription.contains("out of order section name 'Europe'") == true)
      #expect(error?.localizedFailureReason?.contains("sectionNameKeyPath 'zone'") == true)
      #expect(controller.fetchedObjects == nil)
    }
  }

  @Test("takes changes that its delegate makes in will-change into the round")
  func reentrance() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller()
      let recorder = ResultsRecorder(controller)
      controller.delegate = recorder
      try controller.performFetch()
      var isFirst = true
      recorder.willChange = { _ in
        guard isFirst else { return }
        isFirst = false
        four[1].setValue(100, forKey: "wins")
        fixture.context.processPendingChanges()
      }
      fixture.context.delete(four[3])
      fixture.context.processPendingChanges()
      #expect(
        recorder.removeEvents() == ["will", "delete d 1.1 -", "move b 0.1 0.0", "did"]
      )
    }
  }

  @Test("is let go of with its delegate still following nothing")
  func lifetime() throws {
    let fixture = try ResultsFixture()
    weak var gone: NSFetchedResultsController<NSManagedObject>?
    try fixture.context.performAndWait {
      let four = try fixture.addFour()
      do {
        let (controller, recorder) = try fixture.recorded()
        #expect(recorder.events.isEmpty)
        let section = controller.sections?.first
        #expect(section?.numberOfObjects == 2)
        gone = controller
      }
      #expect(gone == nil)
      four[0].setValue(50, forKey: "wins")
      fixture.context.processPendingChanges()
    }
  }
}
