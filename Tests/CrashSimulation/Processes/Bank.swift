// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// A store that several processes write to, in which lost updates and partial reads can be seen.
///
/// Items are accounts, whose `number` is the balance: transfers keep the sum. A category counts the transactions in
/// its `number`, and each transaction adds a tag with a label of its own, which is linked to the two accounts.
struct Bank {
  static let accounts = 8
  static let sum = 8_000

  let folder: URL
  var store: URL { folder.appendingPathComponent("Bank.sqlite") }
  var stop: URL { folder.appendingPathComponent("stop") }

  func log(_ process: String) -> URL { folder.appendingPathComponent("log-\(process)") }

  func open() throws -> Shop {
    let shop = Shop(model: ShopModel.make())
    try shop.add(store, [:])
    return shop
  }

  func create() throws {
    let shop = try open()
    try shop.context.performAndWait {
      for _ in 0..<Self.accounts {
        shop.insert("Item").setValue(Self.sum / Self.accounts, forKey: "number")
      }
      let counter = shop.insert("Category")
      counter.setValue("counter", forKey: "code")
      counter.setValue(0, forKey: "number")
      try shop.context.save()
    }
    try shop.close()
  }

  /// Returns what one state of the store shows to be wrong, whatever was acknowledged.
  static func violations(_ shop: Shop) throws -> [String] {
    var wrong: [String] = []
    let accounts = try shop.all("Item")
    let total = accounts.reduce(0) { $0 + ($1.value(forKey: "number") as? Int ?? 0) }
    if total != sum { wrong.append("the sum of the accounts is \(total) instead of \(sum)") }
    let labels = try shop.all("Tag").compactMap { $0.value(forKey: "label") as? String }
    let counted = try shop.all("Category").first?.value(forKey: "number") as? Int ?? -1
    if counted != labels.count {
      wrong.append("\(counted) transactions were counted, and \(labels.count) have a row")
    }
    if Set(labels).count != labels.count { wrong.append("a transaction has two rows") }
    return wrong
  }
}
