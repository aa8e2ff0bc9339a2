// SPDX-License-Identifier: Apache-2.0

import CoreData
import Observation
import Synchronization
import Testing

@Suite("A results controller's sequences")
struct ResultSequenceTests {
  @Test("changes: every round as a value, in order, until the controller goes")
  func changes() async throws {
    let fixture = try ResultsFixture()
    let stream = try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller()
      let stream = controller.changes
      try controller.performFetch()
      four[1].setValue(7, forKey: "wins")
      fixture.context.processPendingChanges()
      four[0].setValue("Africa", forKey: "zone")
      try fixture.context.save()
      return stream
    }
    var rounds: [FetchedResultsChanges] = []
    for await round in stream { rounds.append(round) }
    #expect(rounds.map(\.isFetch) == [true, false, false])
    #expect(rounds[1].rows.map(\.type) == [.move])
    #expect(rounds[1].rows[0].indexPath == IndexPath(row: 1, section: 0))
    #expect(rounds[1].rows[0].newIndexPath == IndexPath(row: 0, section: 0))
    #expect(rounds[2].insertedSections.map(\.name) == ["Africa"])
  }

  @Test("snapshots: the latest content, with every reload that a slow reader missed")
  func snapshots() async throws {
    let fixture = try ResultsFixture()
    let (snapshots, ids) = try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller()
      try controller.performFetch()
      let snapshots = controller.snapshots
      four[0].setValue(6, forKey: "wins")
      fixture.context.processPendingChanges()
      four[2].setValue(8, forKey: "wins")
      four[1].setValue(10, forKey: "wins")
      try fixture.context.save()
      return (snapshots, four.map(\.objectID))
    }
    var seen: [FetchedResultsSnapshots.Element] = []
    for await snapshot in snapshots { seen.append(snapshot) }
    #expect(seen.count == 1)
    #expect(seen[0].itemIdentifiers == [1, 0, 2, 3].map { ids[$0] })
    #expect(Set(seen[0].reloadedItemIdentifiers) == [ids[0], ids[2]])
    #expect(seen[0].reconfiguredItemIdentifiers == [ids[1]])
  }

  @Test("Observation: who read the content hears before it changes, once")
  func observed() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let results = ObservedResults(fixture.controller())
      let heard = Mutex(0)
      func read() -> [String] {
        withObservationTracking {
          results.objects.map { name($0) }
        } onChange: {
          heard.withLock { $0 += 1 }
        }
      }
      #expect(read() == [])
      try results.controller.performFetch()
      #expect(heard.withLock { $0 } == 1)
      #expect(read() == ["a", "b", "c", "d"])
      fixture.context.delete(four[0])
      fixture.context.processPendingChanges()
      four[2].setValue("note", forKey: "name")
      fixture.context.processPendingChanges()
      #expect(heard.withLock { $0 } == 2)
      #expect(read() == ["b", "note", "d"])
      #expect(results.sections.map(\.numberOfObjects) == [1, 2])
      #expect(name(results[IndexPath(row: 0, section: 0)]) == "b")
    }
  }
}
