// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// Runs writers and a reader in processes of their own, kills and stops writers, and checks the store.
struct BankRun {
  let writers: Int
  let seconds: Double
  private let bank: Bank
  private var dice: Dice

  init(writers: Int, seconds: Double, seed: UInt64, folder: URL) {
    self.writers = writers
    self.seconds = seconds
    bank = Bank(folder: folder)
    dice = Dice(seed)
  }

  /// The numbers of the writers that have ended, in order.
  private final class Ended: @unchecked Sendable {
    // Unchecked: the lock guards the numbers.
    private let lock = NSLock()
    private let signal = DispatchSemaphore(value: 0)
    private var numbers: [Int] = []

    func add(_ number: Int) {
      lock.withLock { numbers.append(number) }
      signal.signal()
    }

    /// Waits for the next one; returns nil at the deadline.
    func next(until deadline: DispatchTime) -> Int? {
      guard signal.wait(timeout: deadline) == .success else { return nil }
      return lock.withLock { numbers.removeFirst() }
    }
  }

  private let ended = Ended()

  private mutating func start(_ kind: String, _ name: String, writer: Int? = nil) throws -> Process
  {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [
      kind, name, "--folder", bank.folder.path, "--seed", "\(dice.next() % 1_000_000)",
    ]
    if let writer {
      let ended = ended
      process.terminationHandler = { _ in ended.add(writer) }
    }
    try process.run()
    return process
  }

  /// Returns the result as text, and whether nothing was wrong.
  mutating func run() throws -> (text: String, isRight: Bool) {
    try bank.create()
    let reader = try start("--reader", "reader")
    var running: [Process] = []
    for number in 0..<writers {
      running.append(try start("--writer", "\(number)-0", writer: number))
    }
    var (kills, pauses, paused) = (0, 0, Int?.none)
    let deadline = DispatchTime.now() + seconds
    while let number = ended.next(until: deadline) {
      if let paused { kill(running[paused].processIdentifier, SIGCONT) }
      kills += 1
      running[number] = try start("--writer", "\(number)-\(kills)", writer: number)
      // Another writer stops, perhaps in the middle of a save, until the next one is killed.
      paused = (number + 1) % writers
      if writers > 1, dice.chance(30), let paused {
        kill(running[paused].processIdentifier, SIGSTOP)
        pauses += 1
      }
    }
    if let paused { kill(running[paused].processIdentifier, SIGCONT) }
    try Data().write(to: bank.stop)
    var failed = 0
    for process in running + [reader] {
      process.waitUntilExit()
      let isKilled = process.terminationReason == .uncaughtSignal
      if isKilled, process.terminationStatus == SIGALRM { kills += 1 }
      if !isKilled && process.terminationStatus != 0
        || isKilled && process.terminationStatus != SIGALRM
      {
        failed += 1
      }
    }
    return try check(kills: kills, pauses: pauses, failed: failed)
  }

  private func check(kills: Int, pauses: Int, failed: Int) throws -> (String, Bool) {
    var (acknowledged, conflicts, moments): (Set<String>, Int, Int) = ([], 0, 0)
    var (longestWrite, longestRead) = (0, 0)
    var wrong = failed == 0 ? [] : ["\(failed) processes ended with an error"]
    for name in try FileManager.default.contentsOfDirectory(atPath: bank.folder.path)
    where name.hasPrefix("log-") {
      let text = try String(contentsOf: bank.folder.appendingPathComponent(name), encoding: .utf8)
      for line in text.split(separator: "\n") {
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        let value = parts.last ?? ""
        switch parts[0] {
        case "done": acknowledged.insert(value)
        case "conflict": conflicts += 1
        case "moments": moments += Int(value) ?? 0
        case "wrong": wrong.append("a reader saw: \(value)")
        case "longest":
          let isReader = name == "log-reader"
          if isReader { longestRead = max(longestRead, Int(value) ?? 0) }
          if !isReader { longestWrite = max(longestWrite, Int(value) ?? 0) }
        default: break
        }
      }
    }
    let shop = try bank.open()
    let found = try shop.context.performAndWait {
      wrong += try Bank.violations(shop)
      return Set(try shop.all("Tag").compactMap { $0.value(forKey: "label") as? String })
    }
    try shop.close()
    let lost = acknowledged.subtracting(found)
    if !lost.isEmpty {
      wrong.append("\(lost.count) saves that returned are lost: \(lost.sorted().prefix(5))")
    }
    let silent = found.subtracting(acknowledged).count
    if silent > kills {
      wrong.append("\(silent) transactions of \(kills) killed processes were not logged")
    }
    let text = """
      \(writers) writers, \(found.count) transactions, \(kills) killed and \(pauses) stopped, \(conflicts) conflicts
      \(moments) moments read; longest wait of a writer \(longestWrite) ms, of a reader \(longestRead) ms
      \(silent) transactions were committed but not logged before their process was killed
      """
    return (
      (wrong.prefix(10).map { "FAILED: \($0)" } + [text]).joined(separator: "\n"), wrong.isEmpty
    )
  }
}
