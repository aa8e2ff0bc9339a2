// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

@Suite("Rules of fetched results controllers (behaviour.md §15)")
struct ResultsControllerRules {
  private let fixture: ResultsFixture
  private var context: NSManagedObjectContext { fixture.context }

  init() throws { fixture = try ResultsFixture() }

  /// A fetched controller over four nations, with a recorder.
  private func started(
    _ request: NSFetchRequest<NSManagedObject>? = nil,
    sections: String? = "zone",
    _ body: (
      NSFetchedResultsController<NSManagedObject>, ResultsRecorder, [NSManagedObject]
    ) throws -> Void
  ) throws {
    try context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller(request, sections: sections)
      let recorder = ResultsRecorder(controller)
      controller.delegate = recorder
      try controller.performFetch()
      try body(controller, recorder, four)
    }
  }

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

  @Test("FRC-2 without a delegate nothing is tracked; with one it is")
  func modes() throws {
    try context.performAndWait {
      _ = try fixture.addFour()
      let controller = fixture.controller()
      try controller.performFetch()
      fixture.add("x", "Asia", 100)
      context.processPendingChanges()
      #expect(controller.fetchedObjects?.count == 4)
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
      #expect(controllers.map { $0.sections?.count } == [0, 1])
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
    try started { controller, _, four in
      #expect(controller.indexPath(forObject: four[3]) == IndexPath(row: 1, section: 1))
      let other = fixture.container.newBackgroundContext()
      let twin = other.performAndWait { other.object(with: four[3].objectID) }
      #expect(controller.indexPath(forObject: twin) == nil)
    }
  }

  @Test("FRC-8 changes count once they are processed, and a limit counts at the fetch alone")
  func processing() throws {
    let request = fixture.request()
    request.fetchLimit = 4
    try started(request) { controller, recorder, four in
      four[0].setValue(0, forKey: "wins")
      #expect(recorder.take().isEmpty)
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "move a 0.0 0.1", "did"])
      fixture.add("e", "Asia", 50)
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "insert e - 0.0", "did"])
      #expect(controller.fetchedObjects?.count == 5)
    }
  }

  @Test("FRC-9 will, sections, objects, did; and nothing where nothing shown changed")
  func order() throws {
    try started { _, recorder, four in
      four[2].setValue("Africa", forKey: "zone")
      context.delete(four[3])
      fixture.add("o", "Oceania", 1)
      context.processPendingChanges()
      #expect(
        recorder.take() == [
          "will", "delete section 1 Europe", "insert section 0 Africa", "insert section 2 Oceania",
          "delete d 1.1 -", "insert o - 2.0", "move c 1.0 0.0", "did",
        ]
      )
      _ = fixture.addZone("unseen")
      context.processPendingChanges()
      #expect(recorder.take().isEmpty)
    }
  }

  @Test("FRC-10 old paths count the content before all changes, new ones the content after")
  func paths() throws {
    try started { _, recorder, four in
      context.delete(four[0])
      four[1].setValue(4, forKey: "wins")
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "delete a 0.0 -", "update b 0.1 0.0", "did"])
    }
  }

  @Test("FRC-11 a changed sort key that keeps the place is an update, another one a move")
  func moves() throws {
    try started { _, recorder, four in
      four[0].setValue(6, forKey: "wins")
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "update a 0.0 0.0", "did"])
      four[0].setValue(2, forKey: "wins")
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "move a 0.0 0.1", "did"])
      four[0].setValue(1.5, forKey: "score")
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "update a 0.1 0.1", "did"])
      four[0].setValue("Europe", forKey: "zone")
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "move a 0.1 1.1", "did"])
    }
  }

  @Test("FRC-12 a renamed section goes and comes")
  func renaming() throws {
    try started { _, recorder, four in
      for nation in four[..<2] { nation.setValue("Asien", forKey: "zone") }
      context.processPendingChanges()
      #expect(
        recorder.take() == [
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
    try started(request) { _, recorder, four in
      four[0].setValue(1, forKey: "wins")
      four[3].setValue(3, forKey: "wins")
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "delete a 0.0 -", "insert d - 1.1", "did"])
    }
  }

  @Test("FRC-14 a refreshed object is an update; one inserted and changed in one event one insert")
  func refreshing() throws {
    try started { _, recorder, four in
      context.refresh(four[1], mergeChanges: true)
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "update b 0.1 0.1", "did"])
      context.refresh(four[1], mergeChanges: false)
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "update b 0.1 0.1", "did"])
      let new = fixture.add("n", "Asia", 1)
      new.setValue(100, forKey: "wins")
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "insert n - 0.0", "did"])
      let passing = fixture.add("p", "Asia", 1)
      context.delete(passing)
      context.processPendingChanges()
      #expect(recorder.take().isEmpty)
    }
  }

  @Test("FRC-15 a reset is ignored until the next fetch")
  func reset() throws {
    try started { controller, recorder, _ in
      context.reset()
      fixture.add("x", "Asia", 1)
      context.processPendingChanges()
      #expect(recorder.take().isEmpty && controller.fetchedObjects?.count == 4)
      try controller.performFetch()
      #expect(controller.fetchedObjects?.count == 5)
    }
  }

  @Test("FRC-19 a changed request counts from the next fetch on")
  func changedRequest() throws {
    try started { controller, recorder, four in
      controller.fetchRequest.predicate = NSPredicate(format: "wins > 4")
      four[1].setValue(4, forKey: "wins")
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "update b 0.1 0.1", "did"])
      try controller.performFetch()
      #expect(text(controller) == "Asia: a | Europe: c")
      #expect(recorder.take().isEmpty)
      four[1].setValue(5, forKey: "wins")
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "insert b - 0.1", "did"])
      controller.fetchRequest.sortDescriptors = [NSSortDescriptor(key: "zone", ascending: false)]
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["Europe", "Asia"])
    }
  }

  @Test("FRC-20 a second fetch sends no callbacks")
  func refetch() throws {
    try started { controller, recorder, _ in
      try controller.performFetch()
      #expect(recorder.take().isEmpty)
    }
  }

  @Test("FRC-21 a save that makes IDs permanent is no change")
  func permanentIDs() throws {
    try started { _, recorder, _ in
      fixture.add("n", "Asia", 1)
      context.processPendingChanges()
      _ = recorder.take()
      try context.save()
      #expect(recorder.take().isEmpty)
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

  // MARK: The delegate's page

  @Test("A move implies the update: no update is sent with it")
  func impliedUpdate() throws {
    try started { _, recorder, four in
      four[1].setValue(9, forKey: "wins")
      four[1].setValue(0.5, forKey: "score")
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "move b 0.1 0.0", "did"])
    }
  }

  @Test("Rows behind an inserted or deleted one are not reported")
  func consequences() throws {
    try started { _, recorder, four in
      fixture.add("z", "Asia", 100)
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "insert z - 0.0", "did"])
      context.delete(four[2])
      context.processPendingChanges()
      #expect(recorder.take() == ["will", "delete c 1.0 -", "did"])
    }
  }

  @Test("Only did-change: a table that reloads needs no other method")
  func reloading() throws {
    final class Reloading: NSFetchedResultsControllerDelegate {
      var rows: [Int] = []
      func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>
      ) { rows.append(controller.fetchedObjects?.count ?? -1) }
    }
    try context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller()
      let delegate = Reloading()
      controller.delegate = delegate
      try controller.performFetch()
      context.delete(four[0])
      try context.save()
      fixture.add("x", "Asia", 1)
      try context.save()
      #expect(delegate.rows == [3, 4])
    }
  }

  @Test("User-driven moves: with a flag set the table keeps the rows that the user has put there")
  func userDriven() throws {
    final class Reordering: NSFetchedResultsControllerDelegate {
      var changeIsUserDriven = false
      var rows: [String] = []
      var calls = 0
      func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
      ) {
        calls += 1
        if changeIsUserDriven { return }
        if let indexPath, type == .move || type == .delete { rows.remove(at: indexPath.row) }
        if let newIndexPath, type == .move || type == .insert {
          rows.insert(name(anObject), at: newIndexPath.row)
        }
      }
    }
    try context.performAndWait {
      for (index, name) in ["a", "b", "c"].enumerated() { fixture.add(name, nil, index) }
      try context.save()
      let controller = fixture.controller(fixture.request([("wins", true)]), sections: nil)
      let delegate = Reordering()
      controller.delegate = delegate
      try controller.performFetch()
      delegate.rows = ["a", "b", "c"]
      // The user drags the first row to the end: the table is right before the model is.
      delegate.rows = ["b", "c", "a"]
      delegate.changeIsUserDriven = true
      controller.object(at: IndexPath(row: 0, section: 0)).setValue(3, forKey: "wins")
      context.processPendingChanges()
      delegate.changeIsUserDriven = false
      #expect(delegate.calls == 1)
      #expect(controller.fetchedObjects?.map { name($0) } == delegate.rows)
      controller.object(at: IndexPath(row: 0, section: 0)).setValue(4, forKey: "wins")
      context.processPendingChanges()
      #expect(delegate.rows == ["c", "a", "b"])
    }
  }
}
