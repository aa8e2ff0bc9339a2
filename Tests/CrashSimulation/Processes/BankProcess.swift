// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// The work of one process at a bank: a writer, which may be killed at any moment, or a reader.
final class BankProcess {
  let bank: Bank
  let name: String
  private let log: FileHandle
  private var dice: Dice
  private var longest = 0.0

  init(_ bank: Bank, name: String, seed: UInt64) throws {
    self.bank = bank
    self.name = name
    dice = Dice(seed)
    let url = bank.log(name)
    try Data().write(to: url)
    log = try FileHandle(forWritingTo: url)
  }

  private var isStopped: Bool { access(bank.stop.path, F_OK) == 0 }

  private func write(_ line: String) { log.write(Data("\(line)\n".utf8)) }

  private func measure(_ body: () throws -> Void) rethrows {
    let begin = Date()
    try body()
    let seconds = -begin.timeIntervalSinceNow
    if seconds > longest {
      longest = seconds
      write("longest \(Int(seconds * 1000))")
    }
  }

  /// Transfers money until it is told to stop; logs each transaction after its save.
  ///
  /// A timer kills the process at a random moment, without a handler that could tidy up.
  func runWriter() throws {
    Self.dieLater(microseconds: 150_000 + dice.below(800_000))
    let shop = try bank.open()
    var number = 0
    while !isStopped {
      number += 1
      let label = "\(name).\(number)"
      let (from, amount) = (dice.below(Bank.accounts), 1 + dice.below(50))
      let to = (from + 1 + dice.below(Bank.accounts - 1)) % Bank.accounts
      try measure {
        while try !transfer(shop, label, from: from, to: to, amount: amount) { write("conflict") }
      }
      write("done \(label)")
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

  /// Returns false if another process has saved meanwhile.
  private func transfer(
    _ shop: Shop,
    _ label: String,
    from: Int,
    to: Int,
    amount: Int
  ) throws -> Bool {
    try shop.context.performAndWait {
      shop.context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
      let accounts = try shop.context.fetch(request).sorted {
        $0.objectID.uriRepresentation().absoluteString
          < $1.objectID.uriRepresentation().absoluteString
      }
      func add(_ object: NSManagedObject, _ amount: Int) {
        object.setValue((object.value(forKey: "number") as? Int ?? 0) + amount, forKey: "number")
      }
      add(accounts[from], -amount)
      add(accounts[to], amount)
      try shop.all("Category").first.map { add($0, 1) }
      let tag = shop.insert("Tag")
      tag.setValue(label, forKey: "label")
      tag.setValue(Set([accounts[from], accounts[to]]), forKey: "items")
      do {
        try shop.context.save()
        return true
      } catch let error as NSError where error.code == NSManagedObjectMergeError {
        return false
      }
    }
  }

  /// Reads one moment of the store after the other, and logs what does not fit together.
  func runReader() throws {
    let shop = try bank.open()
    var moments = 0
    while !isStopped {
      try measure {
        try shop.context.performAndWait {
          shop.context.reset()
          try shop.context.setQueryGenerationFrom(.current)
          for violation in try Bank.violations(shop) { write("wrong \(violation)") }
        }
      }
      moments += 1
    }
    write("moments \(moments)")
    try shop.close()
  }
}
