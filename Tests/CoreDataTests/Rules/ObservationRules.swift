// SPDX-License-Identifier: Apache-2.0

import CoreData
import Observation
import Testing

/// Observation of properties: MO-25 and MO-27.
@Suite struct ObservationRules {
  @Test("MO-27 setters are reported with old and new values, equal ones too")
  func setters() throws {
    let web = try WebStack()
    let node = try web.node("a")
    var reports: [String] = []
    let observation = node.observe(\.rank, options: [.old, .new, .initial, .prior]) {
      node,
      change in
      let values =
        "\(change.oldValue.map(String.init) ?? "-") \(change.newValue.map(String.init) ?? "-")"
      reports.append("\(values) \(change.isPrior ? "prior " : "")\(node.rank)")
    }
    node.rank = 8
    node.setValue(9, forKey: "rank")
    node["rank"] = 9
    node.name = "other"
    #expect(
      reports == [
        "- 7 7", "7 - prior 7", "7 8 8", "8 - prior 8", "8 9 9", "9 - prior 9", "9 9 9",
      ]
    )
    observation.invalidate()
    node.rank = 10
    #expect(reports.count == 7)
  }

  @Test("MO-27 hand-written accessors, inverses, sets and nil are reported")
  func otherWays() throws {
    let web = try WebStack()
    let (parent, second, child) = (
      try web.node("parent"), try web.node("second"), try web.node("child")
    )
    var reports: [String] = []
    let observations = [
      child.observe(\.parent, options: [.old, .new]) { _, change in
        reports.append("\(change.oldValue??.name ?? "nil") → \(change.newValue??.name ?? "nil")")
      },
      parent.observe(\.children, options: [.new]) { _, change in
        reports.append("children \(change.newValue??.count ?? -1)")
      },
      child.observe(\.name) { _, change in
        reports.append("name \(change.oldValue == nil && change.newValue == nil)")
      },
    ]
    child.parent = parent
    parent.removeFromChildren(child)
    parent.mutableSetValue(forKey: "children").add(child)
    child.parent = second
    child.willChangeValue(forKey: "name")
    child.setPrimitiveValue("x", forKey: "name")
    child.didChangeValue(forKey: "name")
    child.setPrimitiveValue("y", forKey: "name")
    #expect(
      reports == [
        "nil → parent", "children 1", "children 0", "parent → nil", "children 1", "nil → parent",
        "parent → second", "children 0", "name true",
      ]
    )
    #expect(observations.count == 3)
  }

  @Test("MO-27 refresh, merge, rollback and faulting are reported where the value differs")
  func replacing() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let node = try web.node("a")
    try web.save()
    var reports: [String] = []
    let observations = [
      node.observe(\.rank, options: [.old, .new]) { node, change in
        reports.append("rank \(change.oldValue ?? -1) → \(change.newValue ?? -1)")
      },
      node.observe(\.name) { _, _ in reports.append("name") },
    ]
    let other = try web.reread("a")
    other.rank = 20
    try other.managedObjectContext?.save()
    web.context.refresh(node, mergeChanges: true)
    #expect(reports == ["rank 7 → 20"])
    node.name = "b"
    reports = []
    web.context.rollback()
    #expect(reports == ["name"])
    reports = []
    web.context.refresh(node, mergeChanges: false)
    #expect(reports.sorted() == ["name", "rank 20 → 20"], "a fault is not compared")
    reports = []
    web.context.automaticallyMergesChangesFromParent = true
    #expect(node.rank == 20)
    other.rank = 30
    try other.managedObjectContext?.save()
    // The merge is on the context's queue already.
    web.context.performAndWait {}
    #expect(reports == ["rank 20 → 30"])
    #expect(observations.count == 2)
  }

  @Test("MO-27 an observation ends when nobody holds it; the object is as fast as before")
  func ending() throws {
    let web = try WebStack()
    let node = try web.node("a")
    var count = 0
    do {
      let observation = node.observe(key: "rank") { _, _ in count += 1 }
      node.rank = 1
      withExtendedLifetime(observation) {}
    }
    node.rank = 2
    node.rank = 3
    #expect(count == 1 && !node.isWatched)
  }

  @Test("MO-27 an ended observation lets go of what its handler captured")
  func captures() throws {
    let web = try WebStack()
    let node = try web.node("a")
    var kept: Calls? = Calls()
    weak var witness: Calls?
    witness = kept
    let observation = node.observe(\.rank) { [kept] _, _ in kept?.count += 1 }
    kept = nil
    node.rank = 1
    #expect(witness?.count == 1)
    observation.invalidate()
    #expect(witness == nil)
  }

  @Test("MO-27 what an observer sets is reported too")
  func nested() throws {
    let web = try WebStack()
    let node = try web.node("a")
    var reports: [String] = []
    let observation = node.observe(\.rank, options: [.old, .new]) { node, change in
      reports.append("\(change.oldValue ?? -1) → \(change.newValue ?? -1)")
      if node.rank < 10 { node.rank += 1 }
    }
    node.rank = 9
    #expect(reports == ["7 → 9", "9 → 10"])
    observation.invalidate()
  }

  @Test("MO-25 a class that is Observable tells Swift's Observation of reads and writes")
  func observable() throws {
    let model = Library.model()
    model.entitiesByName["Tag"]?.managedObjectClassName = "LiveTag"
    ManagedObjectClasses.register(LiveTag.self)
    let stack = try LibraryStack(NSSQLiteStoreType, model: model)
    let tag = try #require(stack.make("Tag", ["name": "a"]) as? LiveTag)
    try stack.context.save()
    let calls = Calls()
    func follow(_ read: (LiveTag) -> Void) {
      withObservationTracking {
        read(tag)
      } onChange: {
        calls.count += 1
      }
    }
    follow { _ = $0.name }
    tag.setValue(Set<NSManagedObject>(), forKey: "books")
    #expect(calls.count == 0, "another property")
    tag.name = "b"
    tag.name = "c"
    #expect(calls.count == 1, "once for each tracking")
    follow { _ = $0.value(forKey: "name") }
    stack.context.rollback()
    #expect(calls.count == 2 && tag.name == "a")
    follow { _ = $0.value(forKey: "books") }
    let book = stack.make("Book")
    book.setValue(Set([tag]), forKey: "tags")
    #expect(calls.count == 3, "the inverse changed")
    follow { _ = $0.name }
    stack.context.refresh(tag, mergeChanges: false)
    #expect(calls.count == 4)
    let copy = try #require(stack.reread("Tag", in: stack.context).first as? LiveTag)
    #expect(copy === tag && copy.name == "a")
  }
}

private final class Calls: @unchecked Sendable {
  // Unchecked: used on one thread.
  var count = 0
}

/// A class as generated, which the program declares observable.
private final class LiveTag: NSManagedObject, Observable {
  override class var _entityName: String? { "Tag" }
  override class var _slotNames: [String] { ["name", "books"] }
  var name: String? {
    get { _read(0, "name") }
    set { _write(newValue, 0, "name") }
  }
}
