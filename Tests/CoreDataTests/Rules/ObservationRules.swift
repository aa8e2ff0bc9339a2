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

  @Test("MO-27 setting a to-many is reported once, with all members, and once for each inverse")
  func membersAtOnce() throws {
    let web = try WebStack()
    let parent = try web.node("parent")
    let nodes = try (0..<4).map { try web.node("\($0)") }
    var reports: [String] = []
    func names(_ set: NSSet??) -> String {
      ((set ?? nil)?.allObjects as? [Node] ?? []).compactMap(\.name).sorted().joined()
    }
    let observations =
      [
        parent.observe(\.children, options: [.old, .new]) { _, change in
          reports.append("\(names(change.oldValue)) → \(names(change.newValue))")
        }
      ]
      + nodes.map { node in
        node.observe(\.parent) { node, _ in reports.append(node.name ?? "") }
      }
    parent.children = NSSet(array: Array(nodes[...2]))
    #expect(reports.sorted() == [" → 012", "0", "1", "2"])
    reports = []
    parent.setValue(NSSet(array: Array(nodes[2...])), forKey: "children")
    #expect(reports.sorted() == ["0", "012 → 23", "1", "3"])
    reports = []
    parent.children = nil
    #expect(reports.sorted() == ["2", "23 → ", "3"])
    #expect(observations.count == 5)
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
    follow {
      _ = $0.primitiveValue(forKey: "name")
      _ = $0.primitiveValue(forKey: "books")
    }
    tag.name = "d"
    book.setValue(nil, forKey: "tags")
    #expect(calls.count == 4, "a primitive value is read without being observed")
    follow {
      $0.willAccessValue(forKey: "name")
      _ = $0.primitiveValue(forKey: "name")
      $0.didAccessValue(forKey: "name")
    }
    tag.name = "e"
    #expect(calls.count == 5)
  }

  @Test("MO-27 an observer that was added is told what it asked for, until it is removed")
  func addedObserver() throws {
    let web = try WebStack()
    let node = try web.node("a")
    let observer = RecordingObserver()
    var marks: [Int8] = [1, 2]
    marks.withUnsafeMutableBytes { bytes in
      let (first, second) = (bytes.baseAddress, bytes.baseAddress?.advanced(by: 1))
      node.addObserver(observer, forKeyPath: "name", options: [.old, .new], context: first)
      node.addObserver(observer, forKeyPath: "rank", options: [.prior, .initial], context: second)
      node.name = "b"
      node.name = nil
      #expect(
        observer.reports == [
          "rank kind=1", "name kind=1 new=b old=a", "name kind=1 new=<null> old=b",
        ]
      )
      #expect(observer.contexts == [second, first, first])
      #expect(observer.objects.allSatisfy { $0 === node })
      observer.reports = []
      node.rank = 8
      #expect(observer.reports == ["rank kind=1 notificationIsPrior=1", "rank kind=1"])
      node.removeObserver(observer, forKeyPath: "rank")
      node.addObserver(observer, forKeyPath: "name", context: second)
      node.removeObserver(observer, forKeyPath: "name", context: first)
      observer.reports = []
      node.rank = 9
      node.name = "c"
      #expect(observer.reports == ["name kind=1"] && observer.contexts.last == second)
      node.removeObserver(observer, forKeyPath: "name", context: second)
      node.name = "d"
      #expect(observer.reports.count == 1)
    }
    #expect(NSKeyValueChangeKey.indexesKey.rawValue == "indexes")
  }

  @Test("MO-27 an observer is not retained, and one that was not added cannot be removed")
  func observerLifetime() async throws {
    let web = try WebStack()
    let node = try web.node("a")
    weak var former: RecordingObserver?
    do {
      let observer = RecordingObserver()
      former = observer
      node.addObserver(observer, forKeyPath: "name", options: .new, context: nil)
    }
    #expect(former == nil)
    node.name = "b"
    await #expect(processExitsWith: .failure) {
      let web = try WebStack()
      let node = try web.node("a")
      node.removeObserver(RecordingObserver(), forKeyPath: "name")
    }
    await #expect(processExitsWith: .failure) {
      let web = try WebStack()
      let node = try web.node("a")
      node.addObserver(RecordingObserver(), forKeyPath: "nothing", context: nil)
    }
  }

  @Test("MO-27 observers of a computed property hear of the properties that it depends on")
  func dependentKeys() throws {
    let model = Library.model()
    model.entitiesByName["Book"]?.managedObjectClassName = NSStringFromClass(LabelledBook.self)
    ManagedObjectClasses.register(LabelledBook.self)
    let stack = try LibraryStack(NSSQLiteStoreType, model: model)
    let book = stack.make("Book", ["title": "a", "pages": 1])
    try stack.context.save()
    var labels: [String] = []
    let observation = book.observe(key: "shelf", options: [.old, .new]) { _, change in
      let values = [change.oldValue, change.newValue].map { ($0 ?? nil) as? String ?? "-" }
      labels.append(values.joined(separator: " → "))
    }
    book.setValue("b", forKey: "title")
    book.setValue(2, forKey: "pages")
    book.setValue(3.5, forKey: "price")
    #expect(labels == ["A:1/ → B:1/", "B:1/ → B:2/"])
    labels = []
    stack.context.rollback()
    #expect(labels.count == 1, "one report for one replacement of all values")
    observation.invalidate()
    book.setValue("c", forKey: "title")
    #expect(labels.count == 1)
  }

  @Test("MO-27 changes of single members of an ordered to-many can be announced by index")
  func indexedChanges() throws {
    let web = try WebStack()
    let node = try web.node("a")
    var reports = 0
    let observation = node.observe(\.items) { _, _ in reports += 1 }
    let thing = web.thing("x")
    try web.save()
    node.willChange(.insertion, valuesAt: IndexSet(integer: 0), forKey: "items")
    node.setPrimitiveValue(NSOrderedSet(object: thing), forKey: "items")
    node.didChange(.insertion, valuesAt: IndexSet(integer: 0), forKey: "items")
    #expect(reports == 1 && thing.value(forKey: "owner") as? Node === node)
    #expect(node.hasChanges && node.changedValues().keys.contains("items"))
    observation.invalidate()
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

/// Notes the reports that it receives.
private final class RecordingObserver: NSObject, KeyValueObserver {
  var reports: [String] = []
  var contexts: [UnsafeMutableRawPointer?] = []
  var objects: [NSManagedObject?] = []

  func observeValue(
    forKeyPath keyPath: String?,
    of object: Any?,
    change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    let values = (change ?? [:]).map { "\($0.key.rawValue)=\($0.value)" }.sorted()
    reports.append(([keyPath ?? ""] + values).joined(separator: " "))
    contexts.append(context)
    objects.append(object as? NSManagedObject)
  }
}

/// A book with a computed property that depends on another one.
final class LabelledBook: NSManagedObject {
  override class var computedProperties: [String: Computed] {
    [
      "label": { ($0.value(forKey: "title") as? String)?.uppercased() ?? "" },
      "shelf": { "\($0.value(forKey: "label") ?? ""):\($0.value(forKey: "pages") ?? "")/" },
    ]
  }
  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    switch key {
    case "label": ["title"]
    case "shelf": ["label", "pages"]
    default: super.keyPathsForValuesAffectingValue(forKey: key)
    }
  }
}
