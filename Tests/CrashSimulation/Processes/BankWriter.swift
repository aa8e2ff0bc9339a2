// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// The transactions of one process at a bank, which may be killed at any moment.
struct BankWriter {
  private let process: BankProcess
  private let shop: Shop
  /// The number of the writer, which all processes that continue its work have.
  private let writer: Int
  private let writers: Int
  private var number = 0

  init(_ process: BankProcess, writer: Int, writers: Int) throws {
    self.process = process
    self.writer = writer
    self.writers = writers
    shop = try process.bank.open()
    shop.context.transactionAuthor = process.name
  }

  /// Runs `count` transactions, or until it is told to stop; logs each one after its save.
  ///
  /// At a random moment within the transaction after `life` others a timer kills the process, without a handler that
  /// could tidy up.
  mutating func run(count: Int, life: Int) throws {
    for done in 0..<count {
      if process.isStopped { break }
      if done == life { Self.dieLater(microseconds: 1 + process.dice.below(20_000)) }
      process.perhapsJump()
      let kind = process.dice.below(4)
      try process.measure {
        switch kind {
        case 0: try append(process.dice.below(Bank.lists))
        case 1: try increment()
        default: try transfer()
        }
      }
    }
    try shop.close()
  }

  private static func dieLater(microseconds: Int) {
    signal(SIGALRM, SIG_DFL)
    var timer = itimerval()
    #if canImport(Glibc)
    timer.it_value.tv_usec = microseconds
    setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
    #else
    timer.it_value.tv_usec = Int32(microseconds)
    setitimer(ITIMER_REAL, &timer, nil)
    #endif
  }

  /// Repeats changes until no other process has saved meanwhile, and logs `line` then.
  private func save(
    _ policy: Any,
    logging line: () -> String,
    _ change: () throws -> Void
  ) throws {
    while true {
      let isSaved = try shop.context.performAndWait {
        shop.context.reset()
        shop.context.mergePolicy = policy
        try change()
        do {
          try shop.context.save()
          return true
        } catch let error as NSError where error.code == NSManagedObjectMergeError {
          return false
        }
      }
      if isSaved { return process.write(line()) }
      process.write("conflict")
    }
  }

  private func add(_ object: NSManagedObject?, _ amount: Int) {
    guard let object else { return }
    object.setValue(Bank.number(object) + amount, forKey: "number")
  }

  private mutating func transfer() throws {
    number += 1
    let label = "\(process.name).\(number)"
    let (from, amount) = (process.dice.below(Bank.accounts), 1 + process.dice.below(50))
    let to = (from + 1 + process.dice.below(Bank.accounts - 1)) % Bank.accounts
    let policy: Any =
      process.mistake == .update ? NSMergePolicy.mergeByPropertyObjectTrump : NSMergePolicy.error
    try save(policy, logging: { "done \(label)" }) {
      let accounts = try shop.named("account")
      add(accounts[from], -amount)
      add(accounts[to], amount)
      add(try shop.category("counter"), 1)
      let tag = shop.insert("Tag")
      tag.setValue(label, forKey: "label")
      tag.setValue(Set([accounts[from], accounts[to]]), forKey: "items")
    }
  }

  private func append(_ list: Int) throws {
    var last = 0
    try save(NSMergePolicy.error, logging: { "append \(list) \(last)" }) {
      guard let category = try shop.category("list \(list)") else { return }
      last = Bank.number(category)
      var items = Bank.items(category)
      if items.count >= Bank.longList {
        for item in items.prefix(Bank.longList / 2) { shop.context.delete(item) }
        items.removeFirst(Bank.longList / 2)
      }
      let item = shop.insert("Item")
      item.setValue("list \(list)", forKey: "name")
      item.setValue(last, forKey: "number")
      category.setValue(NSOrderedSet(array: items + [item]), forKey: "ranking")
      add(category, 1)
    }
  }

  /// Increments a number of its own, and writes the title of another writer's row.
  private mutating func increment() throws {
    let other = process.dice.below(writers)
    let policy: Any =
      process.dice.chance(50)
      ? NSMergePolicy.mergeByPropertyObjectTrump : NSMergePolicy.mergeByPropertyStoreTrump
    let title = "\(process.name) \(process.dice.below(1_000))"
    try save(policy, logging: { "own" }) {
      add(try shop.category("own \(writer)"), 1)
      if other != writer { try shop.category("own \(other)")?.setValue(title, forKey: "title") }
    }
  }
}
