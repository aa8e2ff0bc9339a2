// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Foundation

/// The processes at a bank that read.
struct BankReader {
  private let process: BankProcess
  private let shop: Shop
  private var token: NSPersistentHistoryToken?

  init(_ process: BankProcess) throws {
    self.process = process
    shop = try process.bank.open()
  }

  /// Reads one moment of the store after the other, and logs what does not fit together.
  func readMoments() throws {
    var moments = 0
    while !process.isStopped {
      process.perhapsJump()
      try process.measure {
        try shop.context.performAndWait {
          shop.context.reset()
          if process.mistake != .read { try shop.context.setQueryGenerationFrom(.current) }
          for violation in try Bank.violations(shop) { process.write("wrong \(violation)") }
        }
      }
      moments += 1
    }
    process.write("moments \(moments)")
    try shop.close()
  }

  /// Shows all items in a list that follows the transactions of others by the history; deletes what it has read.
  ///
  /// The delegate's table must always show the controller's rows. After the last transaction these must be the rows of
  /// the store, in their order and with their values.
  mutating func followList() throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.sortDescriptors = ["name", "number"].map { NSSortDescriptor(key: $0, ascending: true) }
    let controller = NSFetchedResultsController(
      fetchRequest: request,
      managedObjectContext: shop.context,
      sectionNameKeyPath: "name",
      cacheName: nil
    )
    let table = TableMirror()
    try shop.context.performAndWait {
      controller.delegate = table
      token = shop.coordinator.currentPersistentHistoryToken(fromStores: nil)
      try controller.performFetch()
      table.reloadData(controller)
    }
    var (transactions, rounds) = (0, 0)
    while true {
      process.perhapsJump()
      let isLast = access(process.bank.end.path, F_OK) == 0
      try shop.context.performAndWait {
        var count = 0
        try process.measure { count = try merge() }
        transactions += count
        do { try table.check(controller) } catch { process.write("wrong the table: \(error)") }
        rounds += table.rounds.count
        table.forgetRounds()
        if count > 0, dice.chance(5) { try deleteHistory() }
      }
      if isLast { break }
    }
    process.write("list \(transactions) transactions in \(rounds) rounds")
    for violation in try differences(controller) { process.write("wrong \(violation)") }
    try shop.close()
  }

  private var dice: Dice {
    get { process.dice }
    nonmutating set { process.dice = newValue }
  }

  /// Merges the transactions since the last call, and returns their number.
  private mutating func merge() throws -> Int {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
    let result = try shop.context.execute(request) as? NSPersistentHistoryResult
    let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
    for transaction in transactions {
      if process.mistake == .list, transaction.transactionNumber % 10 == 3 { continue }
      shop.context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
    }
    token = transactions.last?.token ?? token
    return transactions.count
  }

  private func deleteHistory() throws {
    guard let token else { return }
    let request = NSPersistentHistoryChangeRequest.deleteHistory(before: token)
    _ = try shop.context.execute(request)
  }

  private func differences(
    _ controller: NSFetchedResultsController<NSManagedObject>
  ) throws -> [String] {
    func line(_ object: NSManagedObject) -> String {
      let name = object.value(forKey: "name") as? String ?? ""
      return
        "\(object.objectID.uriRepresentation().lastPathComponent) \(name) \(Bank.number(object))"
    }
    let shown = shop.context.performAndWait { (controller.fetchedObjects ?? []).map(line) }
    let fresh = try process.bank.open()
    let stored = try fresh.context.performAndWait {
      try fresh.context.fetch(controller.fetchRequest).map(line)
    }
    try fresh.close()
    if shown == stored { return [] }
    let (more, less) = (Set(shown).subtracting(stored), Set(stored).subtracting(shown))
    return [
      "the list shows \(more.sorted().prefix(5)) and lacks \(less.sorted().prefix(5)), or is not in order"
    ]
  }
}
