// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

/// A test for each sentence of the documentation of `NSFetchedResultsControllerDelegate`, in the page's
/// order; the names say what the sentences say.
@Suite("The page of NSFetchedResultsControllerDelegate")
struct DelegatePageTests {
  private let fixture: ResultsFixture
  private var context: NSManagedObjectContext { fixture.context }

  init() throws { fixture = try ResultsFixture() }

  // MARK: Overview

  @Test("Overview: the delegate is told of what an add, remove, move or update changed")
  func overview() throws {
    try fixture.followed { _, recorder, four in
      fixture.add("e", "Asia", 4)
      context.delete(four[3])
      four[1].setValue(9, forKey: "wins")
      four[2].setValue(0.5, forKey: "score")
      context.processPendingChanges()
      #expect(
        recorder.removeEvents() == [
          "will", "delete d 1.1 -", "insert e - 0.2", "move b 0.1 0.0", "update c 1.0 1.0", "did",
        ]
      )
      #expect(recorder.isSame)
    }
  }

  @Test("Overview: did-change alone, sent once all changes are processed, can reload a table")
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
      for index in 0..<30 { fixture.add("x\(index)", "Asia", index) }
      try context.save()
      #expect(delegate.rows == [3, 33])
    }
  }

  @Test("Overview: changes of sections come before changes of the objects themselves")
  func sectionsFirst() throws {
    try fixture.followed { _, recorder, four in
      fixture.add("o", "Oceania", 1)
      context.delete(four[2])
      context.delete(four[3])
      context.processPendingChanges()
      let events = recorder.removeEvents()
      let sections = events.indices.filter { events[$0].contains("section") }
      #expect(sections == [1, 2] && events.count == 7)
    }
  }

  @Test("Typical use: will-change and did-change bracket a table's updates, which fit")
  func typicalUse() throws {
    try context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller()
      let table = TableMirror()
      controller.delegate = table
      try controller.performFetch()
      table.reloadData(controller)
      four[0].setValue("Europe", forKey: "zone")
      context.delete(four[1])
      fixture.add("n", "Africa", 3)
      try context.save()
      try table.check(controller)
      #expect(table.rounds.count == 1 && table.rounds[0].deletedSections == [0])
    }
  }

  @Test("User-driven updates: a changed index attribute is told to the delegate as a move")
  func sideEffect() throws {
    try context.performAndWait {
      for (index, name) in ["a", "b", "c"].enumerated() { fixture.add(name, nil, index) }
      try context.save()
      let (controller, recorder) = try fixture.recorded(
        fixture.request([("wins", true)]),
        sections: nil
      )
      for (index, row) in [1, 2, 0].enumerated() {
        controller.object(at: IndexPath(row: row, section: 0)).setValue(index, forKey: "wins")
      }
      context.processPendingChanges()
      // One row moved; the others changed and kept their order.
      #expect(
        recorder.removeEvents() == [
          "will", "move a 0.0 0.2", "update b 0.1 0.0", "update c 0.2 0.1", "did",
        ]
      )
    }
  }

  @Test("User-driven updates: with a flag set the table keeps the rows that the user has put there")
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

  // MARK: controllerWillChangeContent, controllerDidChangeContent

  @Test("Will-change comes before, did-change after all other calls of an event, as of a merge")
  func bracket() throws {
    try fixture.followed { controller, recorder, four in
      let other = fixture.container.newBackgroundContext()
      let saves = Posts(other, .NSManagedObjectContextDidSave)
      try other.performAndWait {
        other.delete(other.object(with: four[0].objectID))
        let new = NSEntityDescription.insertNewObject(forEntityName: "Nation", into: other)
        new.setValue("Oceania", forKey: "zone")
        new.setValue("n", forKey: "name")
        try other.save()
      }
      var before = 0
      recorder.willChange = { before = $0.fetchedObjects?.count ?? 0 }
      context.mergeChanges(fromContextDidSave: try #require(saves.last))
      #expect(
        recorder.removeEvents() == [
          "will", "insert section 2 Oceania", "delete a 0.0 -", "insert n - 2.0", "did",
        ]
      )
      #expect(before == 4 && controller.fetchedObjects?.count == 4)
      #expect(text(controller) == "Asia: b | Europe: c d | Oceania: n")
    }
  }

  // MARK: didChange anObject

  @Test("Did-change-object: the object, no old path for an insertion, no new one for a deletion")
  func parameters() throws {
    final class Parameters: NSFetchedResultsControllerDelegate {
      var objects: [NSManagedObject?] = []
      var paths: [[IndexPath?]] = []
      func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
      ) {
        objects.append(anObject as? NSManagedObject)
        paths.append([indexPath, newIndexPath])
      }
    }
    try context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller()
      let delegate = Parameters()
      controller.delegate = delegate
      try controller.performFetch()
      context.delete(four[0])
      let new = fixture.add("n", "Europe", 5)
      four[3].setValue(10, forKey: "wins")
      context.processPendingChanges()
      #expect(delegate.objects == [four[0], new, four[3]])
      #expect(
        delegate.paths == [
          [IndexPath(row: 0, section: 0), nil], [nil, IndexPath(row: 2, section: 1)],
          // The destination of a move counts the content after it.
          [IndexPath(row: 1, section: 1), IndexPath(row: 0, section: 1)],
        ]
      )
    }
  }

  @Test("Did-change-object: of an addition or removal that object alone, not those behind it")
  func consequences() throws {
    try fixture.followed { _, recorder, four in
      fixture.add("z", "Asia", 100)
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "insert z - 0.0", "did"])
      context.delete(four[2])
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "delete c 1.0 -", "did"])
    }
  }

  @Test("Did-change-object: a changed sort key is a move, which implies the update")
  func impliedUpdate() throws {
    try fixture.followed { _, recorder, four in
      four[1].setValue(9, forKey: "wins")
      four[1].setValue(0.5, forKey: "score")
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "move b 0.1 0.0", "did"])
    }
  }

  @Test("Did-change-object: a change of what is no sort key is an update")
  func update() throws {
    try fixture.followed { _, recorder, four in
      four[3].setValue(0.5, forKey: "score")
      context.processPendingChanges()
      #expect(recorder.removeEvents() == ["will", "update d 1.1 1.1", "did"])
    }
  }

  @Test("Did-change-object: a batch added in the background is many calls in one event")
  func manyCalls() throws {
    try fixture.followed { _, recorder, _ in
      let other = fixture.container.newBackgroundContext()
      let saves = Posts(other, .NSManagedObjectContextDidSave)
      try other.performAndWait {
        for index in 0..<40 {
          let new = NSEntityDescription.insertNewObject(forEntityName: "Nation", into: other)
          new.setValue("n\(index)", forKey: "name")
          new.setValue("Z\(index % 8)", forKey: "zone")
        }
        try other.save()
      }
      context.mergeChanges(fromContextDidSave: try #require(saves.last))
      let events = recorder.removeEvents()
      #expect(events.first == "will" && events.last == "did" && events.count == 50)
      #expect(events[1...8].allSatisfy { $0.hasPrefix("insert section") })
      #expect(events[9...48].allSatisfy { $0.hasPrefix("insert n") })
    }
  }

  // MARK: didChange sectionInfo

  @Test("Did-change-section: the section, its old or new index, and insert or delete alone")
  func sections() throws {
    final class Sections: NSFetchedResultsControllerDelegate {
      var calls: [String] = []
      func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
      ) {
        calls.append("\(type) \(sectionIndex) \(sectionInfo.name) \(sectionInfo.numberOfObjects)")
      }
    }
    try context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller()
      let delegate = Sections()
      controller.delegate = delegate
      try controller.performFetch()
      for nation in four[..<2] { nation.setValue("Zealandia", forKey: "zone") }
      fixture.add("x", "Africa", 1)
      context.processPendingChanges()
      #expect(delegate.calls == ["delete 0 Asia 0", "insert 0 Africa 1", "insert 2 Zealandia 2"])
    }
  }

  // MARK: sectionIndexTitleForSectionName

  @Test("Titles: the method does not enable tracking; without it, the capitalised first letter")
  func titles() throws {
    final class Titles: NSFetchedResultsControllerDelegate {
      func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
      ) -> String? { sectionName.lowercased() }
    }
    try context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller()
      try controller.performFetch()
      #expect(controller.sectionIndexTitles == ["A", "E"])
      #expect(controller.sectionIndexTitle(forSectionName: "ozean") == "O")
      let titles = Titles()
      controller.delegate = titles
      #expect(controller.sectionIndexTitles == ["asia", "europe"])
      context.delete(four[0])
      fixture.add("e", "Africa", 1)
      context.processPendingChanges()
      #expect(text(controller) == "Asia: a b | Europe: c d")
      try controller.performFetch()
      #expect(text(controller) == "Africa: e | Asia: b | Europe: c d")
      // A delegate without the method leaves the default.
      let recorder = ResultsRecorder(controller)
      controller.delegate = recorder
      #expect(controller.sectionIndexTitles == ["A", "A", "E"])
    }
  }

  // MARK: NSFetchedResultsChangeType

  @Test("Change types: insert 1, delete 2, move 3, update 4")
  func changeTypes() {
    let types: [NSFetchedResultsChangeType] = [.insert, .delete, .move, .update]
    #expect(types.map(\.rawValue) == [1, 2, 3, 4])
  }
}
