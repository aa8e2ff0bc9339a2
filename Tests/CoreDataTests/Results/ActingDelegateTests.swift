// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

/// Plays the calls in a table, and does what a test wants in one of them, once.
private final class ActingDelegate: TableDelegate {
  private var acts: [Call: () throws -> Void] = [:]

  func act(in call: Call, _ act: @escaping () throws -> Void) { acts[call] = act }

  override func played(
    _ call: Call,
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    _ object: NSManagedObject?,
    _ type: NSFetchedResultsChangeType?
  ) {
    guard let act = acts.removeValue(forKey: call) else { return }
    do { try act() } catch { Issue.record(error) }
  }
}

/// What delegates do while they are told.
@Suite("A delegate that acts in the midst of a round")
struct ActingDelegateTests {
  private let fixture: ResultsFixture
  private var context: NSManagedObjectContext { fixture.context }

  init() throws { fixture = try ResultsFixture() }

  /// Ten nations in a zone of their own, of 0, 10, … 90 wins, and their controller; on the context's queue.
  private func ten(
    sections: String? = nil,
    _ body: (
      NSFetchedResultsController<NSManagedObject>, ActingDelegate, [NSManagedObject]
    ) throws -> Void
  ) throws {
    try context.performAndWait {
      let ten = (0..<10).map { fixture.add("n\($0)", "Z\($0)", $0 * 10) }
      try context.save()
      let controller = fixture.controller(fixture.request([("wins", true)]), sections: sections)
      let delegate = ActingDelegate()
      controller.delegate = delegate
      try controller.performFetch()
      delegate.table.reloadData(controller)
      try body(controller, delegate, ten)
    }
  }

  private func wins(_ controller: NSFetchedResultsController<NSManagedObject>) -> [Int] {
    (controller.fetchedObjects ?? []).map { $0.value(forKey: "wins") as? Int ?? -1 }
  }

  @Test("by changing objects: other controllers of the context stay in order, and all tables fit")
  func changes() throws {
    for call in [ActingDelegate.Call.willChange, .object, .didChange] {
      for processes in [false, true] {
        let fresh = try ActingDelegateTests()
        try fresh.ten { first, delegate, ten in
          let request = fresh.fixture.request([("wins", true)])
          let second = fresh.fixture.controller(request, sections: nil)
          let table = TableMirror()
          second.delegate = table
          try second.performFetch()
          table.reloadData(second)
          delegate.act(in: call) {
            ten[9].setValue(25, forKey: "wins")
            if processes { fresh.context.processPendingChanges() }
          }
          ten[4].setValue(5, forKey: "wins")
          fresh.context.processPendingChanges()
          fresh.context.processPendingChanges()
          let expected = [0, 5, 10, 20, 25, 30, 50, 60, 70, 80]
          #expect(fresh.wins(first) == expected, "\(call), \(processes)")
          #expect(fresh.wins(second) == expected, "\(call), \(processes)")
          try delegate.table.check(first)
          try table.check(second)
        }
      }
    }
  }

  @Test("by saving: in a save, what it changed is saved too or left unsaved, never lost")
  func saves() throws {
    for call in [ActingDelegate.Call.willChange, .object, .didChange] {
      for isSaved in [false, true] {
        let fresh = try ActingDelegateTests()
        try fresh.ten { controller, delegate, ten in
          delegate.act(in: call) {
            ten[9].setValue(25, forKey: "wins")
            if isSaved { try fresh.context.save() }
          }
          ten[4].setValue(5, forKey: "wins")
          try fresh.context.save()
          if fresh.context.hasChanges { try fresh.context.save() }
          let expected = [0, 5, 10, 20, 25, 30, 50, 60, 70, 80]
          #expect(fresh.wins(controller) == expected, "\(call), \(isSaved)")
          try delegate.table.check(controller)
          let other = fresh.fixture.container.newBackgroundContext()
          let stored = try other.performAndWait {
            try other.fetch(fresh.fixture.request([("wins", true)]))
              .map { $0.value(forKey: "wins") as? Int ?? -1 }
          }
          #expect(stored == expected, "\(call), \(isSaved)")
        }
      }
    }
  }

  @Test("by fetching anew: the round ends, and the next one fits")
  func fetches() throws {
    for call in ActingDelegate.Call.allCases {
      let fresh = try ActingDelegateTests()
      try fresh.ten(sections: "zone") { controller, delegate, ten in
        delegate.act(in: call) {
          controller.fetchRequest.predicate = NSPredicate(format: "wins < 80")
          try controller.performFetch()
        }
        ten[4].setValue(5, forKey: "wins")
        fresh.context.delete(ten[6])
        fresh.context.processPendingChanges()
        #expect(fresh.wins(controller) == [0, 5, 10, 20, 30, 50, 70], "\(call)")
        // As at the end of an interrupted round.
        controller.delegate = nil
        let table = TableMirror()
        controller.delegate = table
        table.reloadData(controller)
        ten[9].setValue(25, forKey: "wins")
        fresh.context.processPendingChanges()
        #expect(fresh.wins(controller) == [0, 5, 10, 20, 25, 30, 50, 70], "\(call)")
        try table.check(controller)
      }
    }
  }

  @Test("by letting the context forget everything: the content stays until the next fetch")
  func resets() async {
    await #expect(processExitsWith: .success) {
      for call in ActingDelegate.Call.allCases {
        let fresh = try ActingDelegateTests()
        try fresh.ten(sections: "zone") { controller, delegate, ten in
          delegate.act(in: call) { fresh.context.reset() }
          ten[4].setValue(5, forKey: "wins")
          fresh.context.delete(ten[6])
          fresh.context.processPendingChanges()
          fresh.fixture.add("x", "Z", 1)
          fresh.context.processPendingChanges()
          try controller.performFetch()
          precondition(fresh.wins(controller).count == 11, "\(call)")
        }
      }
    }
  }

  @Test("by letting its controller go: the round ends well")
  func letsGo() async {
    await #expect(processExitsWith: .success) {
      for call in ActingDelegate.Call.allCases {
        let fresh = try ActingDelegateTests()
        try fresh.context.performAndWait {
          _ = try fresh.fixture.addFour()
          var controller: NSFetchedResultsController<NSManagedObject>? = fresh.fixture.controller()
          let delegate = ActingDelegate()
          controller?.delegate = delegate
          try controller?.performFetch()
          delegate.act(in: call) { controller = nil }
          fresh.fixture.add("x", "Oceania", 1)
          fresh.context.processPendingChanges()
          precondition(controller == nil)
        }
      }
    }
  }

  @Test("by letting another controller go: that one is told nothing")
  func letsAnotherGo() async {
    await #expect(processExitsWith: .success) {
      for call in ActingDelegate.Call.allCases {
        let fresh = try ActingDelegateTests()
        try fresh.context.performAndWait {
          _ = try fresh.fixture.addFour()
          let first = fresh.fixture.controller()
          let delegate = ActingDelegate()
          first.delegate = delegate
          try first.performFetch()
          var second: NSFetchedResultsController<NSManagedObject>? = fresh.fixture.controller()
          let table = TableMirror()
          second?.delegate = table
          try second?.performFetch()
          delegate.act(in: call) { second = nil }
          fresh.fixture.add("x", "Oceania", 1)
          fresh.context.processPendingChanges()
          precondition(table.rounds.isEmpty && table.failures.isEmpty)
        }
      }
    }
  }

  @Test("by naming another delegate: that one hears from the next round on")
  func replaced() throws {
    for call in ActingDelegate.Call.allCases {
      let fresh = try ActingDelegateTests()
      try fresh.ten(sections: "zone") { controller, delegate, ten in
        let table = TableMirror()
        delegate.act(in: call) { controller.delegate = table }
        fresh.fixture.add("x", "A", 1)
        fresh.context.processPendingChanges()
        #expect(table.failures.isEmpty && table.rounds.isEmpty, "\(call)")
        #expect(controller.fetchedObjects?.count == 11)
        table.reloadData(controller)
        ten[9].setValue(25, forKey: "wins")
        fresh.context.processPendingChanges()
        try table.check(controller)
        #expect(table.rounds.count == 1)
      }
    }
  }

  @Test("by naming itself again: nothing is lost or told twice")
  func renamed() throws {
    for call in ActingDelegate.Call.allCases {
      let fresh = try ActingDelegateTests()
      try fresh.ten(sections: "zone") { controller, delegate, _ in
        delegate.act(in: call) { controller.delegate = delegate }
        fresh.fixture.add("x", "A", 1)
        fresh.context.processPendingChanges()
        try delegate.table.check(controller)
        #expect(delegate.table.rounds.count == 1)
      }
    }
  }

  @Test("A change that will-change makes is told once")
  func once() throws {
    try ten { controller, delegate, ten in
      // The first round finds out which methods the delegate has.
      ten[0].setValue(1, forKey: "wins")
      context.processPendingChanges()
      delegate.table.forgetRounds()
      delegate.act(in: .willChange) { ten[8].setValue(85, forKey: "wins") }
      ten[4].setValue(45, forKey: "wins")
      context.processPendingChanges()
      context.processPendingChanges()
      #expect(delegate.table.rounds.map(\.rows) == [[.update, .update]])
      try delegate.table.check(controller)
    }
  }
}
