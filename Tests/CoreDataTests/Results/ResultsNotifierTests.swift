// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataGraph

/// Rounds over a list that was made by hand: no fetch, and no event of the context.
@Suite("The notifier of a results controller")
struct ResultsNotifierTests {
  private let fixture: ResultsFixture
  private let controller: NSFetchedResultsController<NSManagedObject>
  private var notifier: ResultsNotifier { controller.notifier }

  init() throws {
    fixture = try ResultsFixture()
    controller = fixture.controller(sections: nil)
  }

  private func show(_ rows: [NSManagedObject]) throws -> ResultsList {
    let wins = { (row: AnyObject) in (row as? NSManagedObject)?.value(forKey: "wins") as? Int ?? 0 }
    let list = try ResultsList(
      sorted: rows,
      rules: ResultsRules(matches: { wins($0) >= 0 }, compare: { wins($0) - wins($1) })
    )
    controller.content.removeAll()
    controller.content.replace(with: list)
    return list
  }

  /// Runs a round about changed objects, and returns whether the content went back.
  private func change(_ objects: NSManagedObject..., in list: ResultsList) -> Bool {
    var touched = TouchedObjects()
    touched.changed = objects
    return notifier.notify { list.apply(touched) }
  }

  private final class Listener: ResultsListener {
    var events: [String] = []
    func contentWillChange() { events.append("will") }
    func contentWasFetched(by controller: NSFetchedResultsController<NSFetchRequestResult>) {
      events.append("fetch")
    }
    func contentDidChange(
      _ changes: ResultChanges,
      of controller: NSFetchedResultsController<NSFetchRequestResult>
    ) { events += changes.rows.map { "\($0.kind)" } }
    func identifiersDidChange(of controller: NSFetchedResultsController<NSFetchRequestResult>) {
      events.append("ids")
    }
    func contentDidEnd() { events.append("end") }
  }

  /// A delegate without any method for changes.
  private final class Silent: NSFetchedResultsControllerDelegate {}

  @Test("It needs changes for a listener, and for a delegate until that is known to have no method")
  func need() throws {
    try fixture.context.performAndWait {
      #expect(!notifier.needsChanges)
      let listener = Listener()
      notifier.add(listener)
      #expect(notifier.needsChanges)
      notifier.remove(listener)
      #expect(!notifier.needsChanges)
      let nation = fixture.add("a", nil, 1)
      let list = try show([nation])
      let silent = Silent()
      notifier.delegate = silent
      #expect(notifier.needsChanges)
      #expect(change(nation, in: list))
      #expect(!notifier.needsChanges)
      notifier.delegate = ResultsRecorder(controller)
      #expect(!notifier.needsChanges, "the delegate is held weakly")
    }
  }

  @Test("The delegate is called before the listeners, with the content of its callback")
  func order() throws {
    try fixture.context.performAndWait {
      let nations = [fixture.add("a", nil, 1), fixture.add("b", nil, 2)]
      let list = try show(nations)
      let recorder = ResultsRecorder(controller)
      var during = 0
      recorder.willChange = { during = $0.fetchedObjects?.count ?? 0 }
      notifier.delegate = recorder
      let listener = Listener()
      notifier.add(listener)
      let third = fixture.add("c", nil, 3)
      #expect(!change(third, in: list))
      #expect(during == 2)
      #expect(recorder.removeEvents() == ["will", "insert c - 0.2", "did"])
      #expect(listener.events == ["insert"])
      #expect(controller.fetchedObjects?.count == 3)
    }
  }

  @Test("A delegate without methods keeps the content that it had")
  func silent() throws {
    try fixture.context.performAndWait {
      let nations = [fixture.add("a", nil, 1), fixture.add("b", nil, 2)]
      let list = try show(nations)
      let delegate = Silent()
      notifier.delegate = delegate
      let third = fixture.add("c", nil, 3)
      #expect(change(third, in: list))
      #expect(controller.fetchedObjects?.count == 2)
      #expect(controller.content.currentList !== list)
    }
  }

  @Test("A round that another delegate or fetch interrupts ends there")
  func interruption() throws {
    try fixture.context.performAndWait {
      let nation = fixture.add("a", nil, 1)
      var list = try show([nation])
      let (first, second) = (ResultsRecorder(controller), ResultsRecorder(controller))
      notifier.delegate = first
      first.willChange = { $0.delegate = second }
      let other = fixture.add("b", nil, 2)
      #expect(!change(other, in: list))
      #expect(first.removeEvents() == ["will"])
      #expect(second.removeEvents() == [])
      #expect(controller.fetchedObjects?.count == 2)
      list = try show([nation])
      second.willChange = { $0.content.removeAll() }
      #expect(!change(other, in: list))
      #expect(second.removeEvents() == ["will"])
      #expect(controller.fetchedObjects == nil)
    }
  }

  @Test("Listeners end with the controller")
  func end() throws {
    let listener = Listener()
    do {
      let controller = fixture.controller()
      controller.notifier.add(listener)
    }
    #expect(listener.events == ["end"])
  }
}
