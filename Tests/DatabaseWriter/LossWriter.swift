// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// Adds to counters, moves amounts between accounts and appends to lists, while servers come and go.
struct LossWriter {
  let name: String
  let record: Record
  let context: NSManagedObjectContext

  static let counters = 4
  static let accounts = 8
  static let lists = 4
  static let amount: Int64 = 1_000

  /// Creates the objects that the writers change.
  static func prepare(_ context: NSManagedObjectContext) throws {
    func insert(_ entity: String, _ count: Int, _ values: [String: Any]) {
      for number in 0..<count {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue("\(number)", forKey: "name")
        for (key, value) in values { object.setValue(value, forKey: key) }
      }
    }
    insert("Counter", counters, ["value": 0])
    insert("Account", accounts, ["amount": amount])
    insert("List", lists, [:])
    try context.save()
  }

  /// Works until the file `stop` exists.
  func run(until stop: String) throws {
    var turn = 0
    while !FileManager.default.fileExists(atPath: stop) {
      turn += 1
      var values: [String: Any] = ["id": "\(name)-\(turn)", "begin": Record.now()]
      let outcome: Outcome
      do {
        try context.performAndWait {
          context.reset()
          try change(turn, &values)
        }
      } catch let error as NSError
        where [NSPersistentStoreTimeoutError, NSPersistentStoreOpenError].contains(error.code)
      {
        // No server was there to read from; nothing was to be saved.
        continue
      }
      outcome = try context.performAndWait { try save() }
      values["end"] = Record.now()
      values["outcome"] = outcome.rawValue
      try record.write(values)
    }
  }

  /// Saves; as long as no server answers, the context has its changes, and saves them again.
  private func save() throws -> Outcome {
    while true {
      let changes = context.insertedObjects.count + context.updatedObjects.count
      let outcome = try Outcome.saving(context)
      if outcome != .lost { return outcome }
      if changes == 0 || context.insertedObjects.count + context.updatedObjects.count != changes {
        throw WriterError(text: "the context has lost its changes")
      }
    }
  }

  private func change(_ turn: Int, _ values: inout [String: Any]) throws {
    switch turn % 3 {
    case 0:
      let number = "\(Int.random(in: 0..<Self.counters))"
      let counter = try context.objects("Counter", "name", [number])[0]
      counter.setValue((counter.value(forKey: "value") as? Int64 ?? 0) + 1, forKey: "value")
      values["counter"] = number
    case 1:
      let numbers = (0..<Self.accounts).shuffled().prefix(2).map { "\($0)" }
      let accounts = try context.objects("Account", "name", numbers)
      let amount = Int64.random(in: 1...50)
      for (account, amount) in zip(accounts, [-amount, amount]) {
        let old = account.value(forKey: "amount") as? Int64 ?? 0
        account.setValue(old + amount, forKey: "amount")
      }
      values["from"] = numbers[0]
      values["to"] = numbers[1]
      values["amount"] = amount
    default:
      let number = "\(Int.random(in: 0..<Self.lists))"
      let list = try context.objects("List", "name", [number])[0]
      let entry = NSEntityDescription.insertNewObject(forEntityName: "Entry", into: context)
      entry.setValue("\(name)-\(turn)", forKey: "text")
      list.mutableOrderedSetValue(forKey: "entries").add(entry)
      values["list"] = number
    }
  }

  /// Returns the content of the store.
  static func content(_ context: NSManagedObjectContext) throws -> [String: Any] {
    func values(_ entity: String, _ key: String) throws -> [String: Any] {
      let pairs = try context.all(entity, by: "name").map {
        ($0.value(forKey: "name") as? String ?? "", $0.value(forKey: key) ?? 0)
      }
      return Dictionary(pairs) { first, _ in first }
    }
    var lists: [String: [String]] = [:]
    for list in try context.all("List", by: "name") {
      lists[list.value(forKey: "name") as? String ?? ""] =
        (list.value(forKey: "entries") as? NSOrderedSet)?.compactMap {
          ($0 as? NSManagedObject)?.value(forKey: "text") as? String
        }
    }
    let entries = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Entry"))
    return [
      "counters": try values("Counter", "value"), "accounts": try values("Account", "amount"),
      "lists": lists, "entries": entries,
    ]
  }
}
