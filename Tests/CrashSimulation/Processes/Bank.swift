// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// A store that several processes write to, in which lost updates, partial reads and wrong lists can be seen.
///
/// - Items with the name `account` are accounts, whose `number` is the balance. A transfer keeps the sum. It also
///   increments the `number` of the category `counter`, and adds a tag with a label of its own.
/// - Categories `list 0` … are lists of items in `ranking`. An append adds an item with the category's `number`, and
///   increments that; a long list loses its first items. So the numbers of the items follow each other.
/// - Each writer has a category `own 0` …, whose `number` only this writer increments, while others write its title:
///   a merge policy must keep both.
struct Bank {
  static let accounts = 8
  static let sum = 8_000
  static let lists = 3
  static let longList = 40

  let folder: URL
  var store: URL { folder.appendingPathComponent("Bank.sqlite") }
  /// Exists when writers and readers must stop.
  var stop: URL { folder.appendingPathComponent("stop") }
  /// Exists when all writers have stopped.
  var end: URL { folder.appendingPathComponent("end") }

  func log(_ process: String) -> URL { folder.appendingPathComponent("log-\(process)") }

  func open() throws -> Shop {
    let shop = Shop(model: ShopModel.make())
    try shop.add(store, [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
    return shop
  }

  func create(writers: Int) throws {
    let shop = try open()
    try shop.context.performAndWait {
      for _ in 0..<Self.accounts {
        let account = shop.insert("Item")
        account.setValue("account", forKey: "name")
        account.setValue(Self.sum / Self.accounts, forKey: "number")
      }
      let codes =
        ["counter"] + (0..<Self.lists).map { "list \($0)" } + (0..<writers).map { "own \($0)" }
      for code in codes {
        let category = shop.insert("Category")
        category.setValue(code, forKey: "code")
        category.setValue(0, forKey: "number")
      }
      try shop.context.save()
    }
    try shop.close()
  }

  /// Returns what one state of the store shows to be wrong, whatever was acknowledged.
  static func violations(_ shop: Shop) throws -> [String] {
    var wrong: [String] = []
    let total = try shop.named("account").reduce(0) { $0 + number($1) }
    if total != sum { wrong.append("the sum of the accounts is \(total) instead of \(sum)") }
    let tags = try shop.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
    let counted = try shop.category("counter").map(number) ?? -1
    if counted != tags {
      wrong.append("\(counted) transfers were counted, and \(tags) have a row")
    }
    for list in 0..<lists {
      guard let category = try shop.category("list \(list)") else { continue }
      let numbers = items(category).map(number)
      let expected = Array(number(category) - numbers.count..<number(category))
      if numbers != expected { wrong.append("list \(list) has \(numbers), expected \(expected)") }
      let count = try shop.named("list \(list)").count
      if count != numbers.count {
        wrong.append("list \(list) has \(numbers.count) items, of which \(count) have a row")
      }
    }
    return wrong
  }

  static func number(_ object: NSManagedObject) -> Int {
    object.value(forKey: "number") as? Int ?? 0
  }

  static func items(_ category: NSManagedObject) -> [NSManagedObject] {
    let items = category.value(forKey: "ranking") as? NSOrderedSet
    return items?.array.compactMap { $0 as? NSManagedObject } ?? []
  }
}

extension Shop {
  /// The items with a name, in the order of their creation.
  func named(_ name: String) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.predicate = NSPredicate(format: "name == %@", name)
    return try context.fetch(request).sorted {
      $0.objectID.uriRepresentation().lastPathComponent
        < $1.objectID.uriRepresentation().lastPathComponent
    }
  }

  func category(_ code: String) throws -> NSManagedObject? {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Category")
    request.predicate = NSPredicate(format: "code == %@", code)
    return try context.fetch(request).first
  }
}

/// A fault in the programs at a bank, which the checks must find.
enum PlantedMistake: String, CaseIterable {
  /// Transfers overwrite what others have saved.
  case update
  /// The reader does not read all of its objects at one moment.
  case read
  /// The list misses some of the transactions.
  case list
}
