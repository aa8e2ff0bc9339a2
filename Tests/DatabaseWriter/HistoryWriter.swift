// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// Reads and appends to lists, and records what it has seen, for a checker of histories.
///
/// A record has the requests, each with the lists that it saw, the elements that were appended, the lists that
/// the save checked, and the outcome.
struct HistoryWriter {
  /// A mistake that the checker must find.
  enum Mistake: String, CaseIterable {
    case none
    /// Saves overwrite what other saves have written meanwhile.
    case overwrite
    /// A save that stands is recorded as refused.
    case dirty
    /// Two saves are recorded as one.
    case halves
    /// Two requests are recorded as one.
    case moments
    /// Old values of the context are recorded as if they were read from the store.
    case stale
    /// The second read of a generation is made without the generation.
    case unpinned
  }
  let name: String
  let record: Record
  let context: NSManagedObjectContext
  let mistake: Mistake

  /// The number of lists to which writers append at the same time.
  static let width = 8
  /// The number of elements from which a writer goes on with a new list.
  static let length = 40

  static func prepare(_ context: NSManagedObjectContext, lists: Int) throws {
    let request = NSBatchInsertRequest(
      entityName: "Register",
      objects: (0..<lists).map { ["number": $0, "items": ""] }
    )
    _ = try context.execute(request)
  }

  /// Works for a number of seconds.
  func run(seconds: Double) throws {
    let end = Date(timeIntervalSinceNow: seconds)
    if mistake == .overwrite { context.mergePolicy = NSMergePolicy.overwrite }
    var places = Array(0..<Self.width)
    var turn = 0
    while Date() < end {
      turn += 1
      var values: [String: Any] = ["id": "\(name)-\(turn)", "begin": Record.now()]
      let chosen = places.shuffled().prefix(Int.random(in: 1...3)).map { $0 }
      let read = try context.performAndWait {
        if mistake != .stale || turn % 20 == 1 { context.reset() }
        return try self.turn(turn, chosen, &values)
      }
      values["end"] = Record.now()
      try record.write(values)
      for (index, place) in places.enumerated() where read.contains(place) {
        places[index] += Self.width
      }
    }
  }

  /// Returns the numbers of lists that are long enough.
  private func turn(
    _ turn: Int,
    _ chosen: [Int],
    _ values: inout [String: Any]
  ) throws -> [Int] {
    switch turn % 5 {
    case 0: try look(chosen, &values)
    case 1 where turn % 10 == 1: try lookTwice(chosen, &values)
    case 2 where turn % 10 == 2: try refuse(chosen, &values)
    default: try append(chosen, &values)
    }
    let requests = values["requests"] as? [[String: String]] ?? []
    return requests.joined().compactMap { number, items in
      items.split(separator: ",").count >= Self.length ? Int(number) : nil
    }
  }

  private func lists(_ numbers: [Int]) throws -> [NSManagedObject] {
    if mistake == .moments, numbers.count > 1 {
      return try numbers.flatMap { try context.objects("Register", "number", [$0]) }
    }
    return try context.objects("Register", "number", numbers)
  }

  private func seen(_ lists: [NSManagedObject]) -> [String: String] {
    let pairs = lists.map {
      ("\($0.value(forKey: "number") ?? "")", $0.value(forKey: "items") as? String ?? "")
    }
    return Dictionary(pairs) { first, _ in first }
  }

  private func add(_ elements: [String], to list: NSManagedObject) {
    let items = list.value(forKey: "items") as? String ?? ""
    list.setValue(items + elements.map { "\($0)," }.joined(), forKey: "items")
  }

  /// One request.
  private func look(_ chosen: [Int], _ values: inout [String: Any]) throws {
    values["requests"] = [seen(try lists(chosen))]
    values["outcome"] = Outcome.saved.rawValue
  }

  /// Two requests of one query generation, and a second look at the same objects.
  private func lookTwice(_ chosen: [Int], _ values: inout [String: Any]) throws {
    try context.setQueryGenerationFrom(.current)
    defer {
      // The context reads the newest rows again from here.
      try? context.setQueryGenerationFrom(nil)
      context.reset()
    }
    let first = try lists(chosen)
    let one = seen(first)
    if mistake == .unpinned { try context.setQueryGenerationFrom(nil) }
    // A reset would move the context to the newest generation.
    for list in first { context.refresh(list, mergeChanges: false) }
    let other = seen(try lists(chosen.reversed()))
    values["requests"] = [one, other]
    values["generation"] = true
    values["outcome"] = Outcome.saved.rawValue
  }

  /// A save that a constraint refuses, so that its elements must never be seen.
  private func refuse(_ chosen: [Int], _ values: inout [String: Any]) throws {
    let lists = try lists(chosen)
    values["requests"] = [seen(lists)]
    let element = "\(values["id"] ?? "")-x"
    add([element], to: lists[0])
    if mistake != .dirty {
      let copy = NSEntityDescription.insertNewObject(forEntityName: "Register", into: context)
      copy.setValue(chosen[0], forKey: "number")
      copy.setValue("", forKey: "items")
    }
    var outcome = try Outcome.saving(context)
    context.rollback()
    if mistake == .dirty { outcome = .refused }
    values["appended"] = ["\(chosen[0])": [element]]
    values["outcome"] = outcome.rawValue
  }

  /// Appends to the first list, sometimes also to the second; checks the others, or only reads them.
  private func append(_ chosen: [Int], _ values: inout [String: Any]) throws {
    let lists = try lists(chosen)
    values["requests"] = [seen(lists)]
    let changed = lists.count > 1 && Bool.random() ? 2 : 1
    let checks = Bool.random()
    var appended: [String: [String]] = [:]
    for (index, list) in lists.prefix(changed).enumerated() {
      let elements = (0..<Int.random(in: 1...2)).map { "\(values["id"] ?? "")-\(index)\($0)" }
      appended["\(chosen[index])"] = elements
      if mistake == .halves, elements.count > 1 {
        add([elements[0]], to: list)
        if try Outcome.saving(context) != .saved {
          context.rollback()
          values["outcome"] = Outcome.refused.rawValue
          return
        }
        add([elements[1]], to: list)
      } else {
        add(elements, to: list)
      }
    }
    if checks {
      for list in lists.dropFirst(changed) { context.detectConflicts(for: list) }
      values["checked"] = chosen.dropFirst(changed).map { "\($0)" }
    }
    values["appended"] = appended
    let outcome = try Outcome.saving(context)
    if outcome != .saved { context.rollback() }
    values["outcome"] = outcome.rawValue
  }

  /// Returns the lists that have elements.
  static func content(_ context: NSManagedObjectContext) throws -> [String: Any] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Register")
    request.predicate = NSPredicate(format: "items != ''")
    let pairs = try context.fetch(request).map {
      ("\($0.value(forKey: "number") ?? "")", $0.value(forKey: "items") as? String ?? "")
    }
    return ["registers": Dictionary(pairs) { first, _ in first }]
  }
}
