// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Keeps the IDs a snapshot shows, as a diffable data source does.
final class SnapshotRecorder: NSFetchedResultsControllerDelegate {
  var snapshots: [NSDiffableDataSourceSnapshotReference] = []
  var others = 0

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) { snapshots.append(snapshot) }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) { others += 1 }

  func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    others += 1
  }

  func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    others += 1
  }
}

/// Applies differences to an array of IDs, and counts callbacks.
final class DifferenceRecorder: NSFetchedResultsControllerDelegate {
  var ids: [NSManagedObjectID] = []
  var differences: [CollectionDifference<NSManagedObjectID>] = []
  var callbacks: [String] = []

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    differences.append(diff)
    ids = ids.applying(diff) ?? []
  }

  func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    callbacks.append("will")
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) { callbacks.append("\(type)") }
}

@Suite("A delegate")
struct SnapshotTests {
  typealias Snapshot = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>

  @Test("FRC-16 with the snapshot method gets one after each fetch and round, and nothing else")
  func snapshots() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller()
      let recorder = SnapshotRecorder()
      controller.delegate = recorder
      try controller.performFetch()
      #expect(recorder.snapshots.count == 1)
      var snapshot = Snapshot(try #require(recorder.snapshots.last))
      #expect(snapshot.sectionIdentifiers == ["Asia", "Europe"])
      #expect(snapshot.itemIdentifiers == four.map(\.objectID))
      #expect(snapshot.itemIdentifiers(inSection: "Europe") == [four[2], four[3]].map(\.objectID))
      #expect(snapshot.reloadedItemIdentifiers.isEmpty)

      four[0].setValue(9, forKey: "wins")
      four[3].setValue(20, forKey: "wins")
      fixture.context.processPendingChanges()
      #expect(recorder.snapshots.count == 2 && recorder.others == 0)
      snapshot = Snapshot(try #require(recorder.snapshots.last))
      #expect(snapshot.itemIdentifiers == [0, 1, 3, 2].map { four[$0].objectID })
      #expect(snapshot.reloadedItemIdentifiers == [four[0].objectID])
      #expect(snapshot.reconfiguredItemIdentifiers == [four[3].objectID])
      #expect(text(controller) == "Asia: a b | Europe: d c")
      // The first snapshot is a value of its time.
      let first = Snapshot(recorder.snapshots[0])
      #expect(first.itemIdentifiers == four.map(\.objectID))
    }
  }

  @Test("FRC-16 without a section key path gets one section with an identifier of no meaning")
  func plainSnapshot() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      _ = try fixture.addFour()
      let controller = fixture.controller(sections: nil)
      let recorder = SnapshotRecorder()
      controller.delegate = recorder
      try controller.performFetch()
      fixture.add("e", "Asia", 0)
      try fixture.context.save()
      let sections = recorder.snapshots.map { $0.sectionIdentifiers.compactMap { $0 as? String } }
      #expect(sections[0].count == 1 && sections[0][0] != "")
      #expect(Set(sections).count == 1)
    }
  }

  @Test("set after the fetch gets its form from the first round on")
  func lateDelegates() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let controllers = [fixture.controller(), fixture.controller(sections: nil)]
      let snapshots = SnapshotRecorder()
      let callbacks = ResultsRecorder(controllers[1])
      var before: [String] = []
      callbacks.willChange = { before = ($0.fetchedObjects ?? []).map { name($0) } }
      for controller in controllers { try controller.performFetch() }
      controllers[0].delegate = snapshots
      controllers[1].delegate = callbacks
      #expect(snapshots.snapshots.isEmpty)
      fixture.context.delete(four[0])
      fixture.context.processPendingChanges()
      #expect(snapshots.snapshots.count == 1 && snapshots.others == 0)
      #expect(callbacks.removeEvents() == ["will", "delete a 0.0 -", "did"])
      #expect(before == ["a", "b", "c", "d"])
      #expect(controllers[1].fetchedObjects?.map { name($0) } == ["b", "c", "d"])
    }
  }

  @Test("FRC-17 with the difference method gets that alone, from a list without sections")
  func differences() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let plain = fixture.controller(sections: nil)
      let sectioned = fixture.controller()
      let recorders = [DifferenceRecorder(), DifferenceRecorder()]
      plain.delegate = recorders[0]
      sectioned.delegate = recorders[1]
      for controller in [plain, sectioned] { try controller.performFetch() }
      recorders[0].ids = four.map(\.objectID)
      fixture.context.delete(four[1])
      four[0].setValue(6, forKey: "wins")
      four[3].setValue(20, forKey: "wins")
      fixture.add("n", "Africa", 3)
      fixture.context.processPendingChanges()
      let shown = { (plain.fetchedObjects ?? []).map(\.objectID) }
      #expect(recorders[0].ids == shown())
      #expect(recorders[0].callbacks.isEmpty && recorders[0].differences.count == 1)
      #expect(recorders[0].differences[0].removals.count == 3)
      #expect(recorders[0].differences[0].insertions.count == 3)
      #expect(recorders[1].differences.isEmpty)
      #expect(recorders[1].callbacks == ["will", "delete", "insert", "move", "update"])
      // The new row's ID becomes permanent (FRC-21).
      try fixture.context.save()
      #expect(recorders[0].differences.count == 2)
      #expect(recorders[0].ids == shown())
      #expect(!shown().contains { $0.isTemporaryID })
    }
  }

  @Test("FRC-21 gets a snapshot with permanent IDs after the save")
  func permanentIDs() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let controller = fixture.controller()
      let recorder = SnapshotRecorder()
      controller.delegate = recorder
      let callbacks = fixture.controller()
      let events = ResultsRecorder(callbacks)
      callbacks.delegate = events
      for controller in [controller, callbacks] { try controller.performFetch() }
      let new = fixture.add("a", "Asia", 1)
      fixture.context.processPendingChanges()
      #expect(events.removeEvents().count == 4)
      let temporary = Snapshot(try #require(recorder.snapshots.last))
      #expect(temporary.itemIdentifiers.map(\.isTemporaryID) == [true])
      try fixture.context.save()
      let permanent = Snapshot(try #require(recorder.snapshots.last))
      #expect(permanent.itemIdentifiers == [new.objectID] && !new.objectID.isTemporaryID)
      #expect(recorder.snapshots.count == 3)
      // Callbacks name objects: nothing changed (FRC-21).
      #expect(events.removeEvents().isEmpty)
    }
  }

  @Test(
    "FRC-3 without any of the methods does not make the controller follow",
    arguments: [
      "zone", nil,
    ]
  )
  func silentDelegate(sections: String?) throws {
    final class Silent: NSFetchedResultsControllerDelegate {}
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller(sections: sections)
      let silent = Silent()
      controller.delegate = silent
      try controller.performFetch()
      for round in 0..<3 {
        fixture.context.delete(four[round])
        fixture.add("x\(round)", "Zone \(round)", 1)
        try fixture.context.save()
        #expect(controller.fetchedObjects?.map { $0.objectID } == four.map(\.objectID))
      }
      let recorder = ResultsRecorder(controller)
      controller.delegate = recorder
      try controller.performFetch()
      fixture.context.delete(four[3])
      fixture.context.processPendingChanges()
      #expect(recorder.removeEvents().contains { $0.hasPrefix("delete d") })
    }
  }

  @Test("edits snapshots as a diffable data source's owner does")
  func editing() {
    var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
    snapshot.appendSections(["a", "c"])
    snapshot.insertSections(["b"], beforeSection: "c")
    snapshot.appendItems([1, 2], toSection: "a")
    snapshot.appendItems([5])
    snapshot.insertItems([3, 4], afterItem: 1)
    snapshot.moveItem(5, beforeItem: 1)
    snapshot.moveSection("c", afterSection: "a")
    snapshot.reloadItems([2])
    snapshot.reconfigureItems([3])
    #expect(snapshot.sectionIdentifiers == ["a", "c", "b"])
    #expect(snapshot.itemIdentifiers == [5, 1, 3, 4, 2])
    #expect(snapshot.indexOfItem(3) == 2 && snapshot.indexOfSection("b") == 2)
    #expect(snapshot.sectionIdentifier(containingItem: 4) == "a")
    #expect(snapshot.numberOfItems == 5 && snapshot.numberOfItems(inSection: "b") == 0)
    snapshot.deleteItems([2, 99])
    #expect(snapshot.reloadedItemIdentifiers == [] && snapshot.reconfiguredItemIdentifiers == [3])
    snapshot.deleteSections(["a"])
    #expect(snapshot.itemIdentifiers == [] && snapshot.sectionIdentifiers == ["c", "b"])

    let reference = NSDiffableDataSourceSnapshotReference()
    reference.appendSections(withIdentifiers: ["x"])
    reference.appendItems(withIdentifiers: [1, 2, 3], intoSectionWithIdentifier: "x")
    let copy = reference.copy() as? NSDiffableDataSourceSnapshotReference
    reference.moveItem(withIdentifier: 1, afterItemWithIdentifier: 3)
    #expect(reference.itemIdentifiers as? [Int] == [2, 3, 1])
    #expect(copy?.itemIdentifiers as? [Int] == [1, 2, 3])
    #expect(reference.index(ofItemIdentifier: 1) == 2)
    #expect(reference.index(ofItemIdentifier: 9) == NSNotFound)
    #expect(reference.sectionIdentifier(forSectionContainingItemIdentifier: 3) as? String == "x")
  }

  @Test("stops the program for identifiers that are given twice")
  func duplicates() async {
    await #expect(processExitsWith: .failure) {
      var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
      snapshot.appendSections(["a", "b"])
      snapshot.appendItems([1], toSection: "a")
      snapshot.appendItems([1], toSection: "b")
    }
    let moved = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
      snapshot.appendSections(["a", "b"])
      snapshot.moveSection("a", afterSection: "a")
    }
    let text = String(decoding: moved?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the section a cannot be moved before or after itself"))
  }
}
