// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataGraph

/// Following a context with a list that was made by hand.
@Suite("The follower of a results controller")
struct ResultsFollowerTests {
  private let fixture: ResultsFixture
  private let controller: NSFetchedResultsController<NSManagedObject>
  private var context: NSManagedObjectContext { fixture.context }
  private var follower: ResultsFollower { controller.follower }

  init() throws {
    fixture = try ResultsFixture()
    controller = fixture.controller(sections: nil)
  }

  private func show(_ rows: [NSManagedObject]) throws {
    let wins = { (row: AnyObject) in (row as? NSManagedObject)?.value(forKey: "wins") as? Int ?? 0 }
    let list = try ResultsList(
      sorted: rows,
      rules: ResultsRules(
        matches: { ($0 as? NSManagedObject)?.entity.name == "Nation" },
        compare: { wins($0) - wins($1) }
      )
    )
    follower.reset()
    controller.content.removeAll()
    controller.content.replace(with: list)
    follower.updateObservation()
  }

  private var names: [String] { (controller.fetchedObjects ?? []).map { name($0) } }

  @Test("It follows while there is content and a delegate")
  func states() throws {
    try context.performAndWait {
      follower.updateObservation()
      #expect(follower.state == .idle)
      let nation = fixture.add("a", nil, 1)
      context.processPendingChanges()
      try show([nation])
      guard case .paused = follower.state else {
        Issue.record("\(follower.state)")
        return
      }
      let recorder = ResultsRecorder(controller)
      controller.delegate = recorder
      #expect(follower.state == .following)
      controller.delegate = nil
      #expect(!follower.state.isFollowing)
      controller.delegate = recorder
      #expect(follower.state == .following, "no event was missed")
    }
  }

  @Test("After missed events the next round looks at rows that did not change in it")
  func catchUp() throws {
    try context.performAndWait {
      let nations = [fixture.add("a", nil, 1), fixture.add("b", nil, 2), fixture.add("c", nil, 3)]
      context.processPendingChanges()
      try show(nations)
      nations[0].setValue(9, forKey: "wins")
      context.processPendingChanges()
      let recorder = ResultsRecorder(controller)
      controller.delegate = recorder
      #expect(follower.state == .catchingUp)
      #expect(names == ["a", "b", "c"])
      nations[1].setValue("d", forKey: "name")
      context.processPendingChanges()
      #expect(names == ["d", "c", "a"])
      #expect(follower.state == .following)
    }
  }

  @Test("A delegate that follows one without methods gets what changed under that one")
  func afterSilentDelegate() throws {
    final class Silent: NSFetchedResultsControllerDelegate {}
    try context.performAndWait {
      let nations = [fixture.add("a", nil, 1), fixture.add("b", nil, 2), fixture.add("c", nil, 3)]
      context.processPendingChanges()
      try show(nations)
      let silent = Silent()
      controller.delegate = silent
      nations[0].setValue(9, forKey: "wins")
      context.processPendingChanges()
      #expect(names == ["a", "b", "c"])
      let recorder = ResultsRecorder(controller)
      controller.delegate = recorder
      nations[1].setValue("d", forKey: "name")
      context.processPendingChanges()
      #expect(names == ["d", "c", "a"])
    }
  }

  @Test("After a reset the content stays, and nothing follows until the next fetch")
  func reset() throws {
    try context.performAndWait {
      let nations = [fixture.add("a", nil, 1)]
      try context.save()
      try show(nations)
      let recorder = ResultsRecorder(controller)
      controller.delegate = recorder
      context.reset()
      #expect(follower.state == .invalidated)
      #expect(controller.fetchedObjects?.count == 1)
      controller.delegate = nil
      controller.delegate = recorder
      #expect(follower.state == .invalidated)
      try controller.performFetch()
      #expect(follower.state == .following)
    }
  }

  @Test("Changes within a callback make one more round, after the present one")
  func nestedChange() throws {
    try context.performAndWait {
      let nations = [fixture.add("a", nil, 1), fixture.add("b", nil, 2)]
      context.processPendingChanges()
      try show(nations)
      final class Acting: NSFetchedResultsControllerDelegate {
        var body: () -> Void = {}
        var rounds = 0
        func controllerDidChangeContent(
          _ controller: NSFetchedResultsController<NSFetchRequestResult>
        ) {
          rounds += 1
          if rounds == 1 { body() }
        }
      }
      let acting = Acting()
      acting.body = {
        nations[1].setValue(0, forKey: "wins")
        context.processPendingChanges()
      }
      controller.delegate = acting
      nations[0].setValue("c", forKey: "name")
      context.processPendingChanges()
      #expect(acting.rounds == 2)
      #expect(names == ["b", "c"])
    }
  }
}
