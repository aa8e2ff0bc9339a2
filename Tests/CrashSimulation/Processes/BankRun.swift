// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// Runs writers and readers in processes of their own, kills and stops writers, and checks the store.
struct BankRun {
  let writers: Int
  /// The transactions of each writer; nil for as many as fit into the time.
  let count: Int?
  let seconds: Double
  /// The transactions of a process before it is killed, on average.
  let life: Int
  let mistake: PlantedMistake?
  private let bank: Bank
  private var dice: Dice
  private let ended = EndedWriters()

  init(
    writers: Int,
    count: Int?,
    seconds: Double,
    life: Int,
    seed: UInt64,
    mistake: PlantedMistake?,
    folder: URL
  ) {
    self.writers = writers
    self.count = count
    self.seconds = seconds
    self.life = life
    self.mistake = mistake
    bank = Bank(folder: folder)
    dice = Dice(seed)
  }

  /// What was done to the processes.
  private struct Disorder {
    var kills = 0
    var pauses = 0
    var failed = 0
    var seconds = 0.0
  }

  private mutating func start(
    _ kind: String,
    _ name: String,
    _ more: [String] = []
  ) throws
    -> Process
  {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments =
      [kind, name, "--folder", bank.folder.path, "--seed", "\(dice.next() % 1_000_000)"] + more
      + (mistake.map { ["--mistake", $0.rawValue] } ?? [])
    if let writer = Int(name.split(separator: "-").first ?? "") {
      let ended = ended
      process.terminationHandler = { _ in ended.add(writer) }
    }
    try process.run()
    return process
  }

  private mutating func startWriter(_ writer: Int, _ number: Int, _ rest: Int) throws -> Process {
    let death = 1 + dice.below(2 * life)
    return try start(
      "--writer",
      "\(writer)-\(number)",
      ["--turns", "\(rest)", "--life", "\(death)", "--writers", "\(writers)"]
    )
  }

  /// Returns the result as text, and whether nothing was wrong.
  mutating func run() throws -> (text: String, isRight: Bool) {
    let begin = ContinuousClock.now
    try bank.create(writers: writers)
    let readers = [try start("--reader", "moments"), try start("--reader", "list")]
    var disorder = try runWriters()
    try Data().write(to: bank.end)
    for process in readers {
      process.waitUntilExit()
      if process.terminationReason == .uncaughtSignal || process.terminationStatus != 0 {
        disorder.failed += 1
      }
    }
    disorder.seconds = (ContinuousClock.now - begin) / .seconds(1)
    return try check(disorder)
  }

  private mutating func runWriters() throws -> Disorder {
    var disorder = Disorder()
    var rest = Array(repeating: count ?? Int.max / 2, count: writers)
    var names = Array(repeating: 0, count: writers)
    var running: [Int: Process] = [:]
    for writer in 0..<writers { running[writer] = try startWriter(writer, 0, rest[writer]) }
    var paused: (process: Process, end: DispatchTime)?
    let deadline = DispatchTime.now() + seconds
    while !running.isEmpty {
      if DispatchTime.now() > deadline, access(bank.stop.path, F_OK) != 0 {
        try Data().write(to: bank.stop)
      }
      let wait = min(paused?.end ?? .distantFuture, DispatchTime.now() + 1)
      let ended = ended.next(until: wait)
      if let pause = paused, DispatchTime.now() >= pause.end || ended != nil {
        kill(pause.process.processIdentifier, SIGCONT)
        paused = nil
      }
      guard let writer = ended, let process = running.removeValue(forKey: writer) else { continue }
      process.waitUntilExit()
      if process.terminationReason != .uncaughtSignal {
        if process.terminationStatus != 0 { disorder.failed += 1 }
        continue
      }
      if process.terminationStatus != SIGALRM { disorder.failed += 1 }
      disorder.kills += 1
      rest[writer] -= try BankLogs.count(bank.log("\(writer)-\(names[writer])"))
      if rest[writer] <= 0 || access(bank.stop.path, F_OK) == 0 { continue }
      names[writer] += 1
      running[writer] = try startWriter(writer, names[writer], rest[writer])
      // Another writer stops for a while, perhaps in the middle of a save.
      if dice.chance(50), let other = running[(writer + 1) % writers], writers > 1 {
        kill(other.processIdentifier, SIGSTOP)
        paused = (other, DispatchTime.now() + .milliseconds(50 + dice.below(800)))
        disorder.pauses += 1
      }
    }
    try Data().write(to: bank.stop)
    return disorder
  }

  // MARK: Checking

  private func check(_ disorder: Disorder) throws -> (String, Bool) {
    let logs = try BankLogs(bank)
    var wrong = logs.wrong
    if disorder.failed > 0 { wrong.append("\(disorder.failed) processes ended with an error") }
    let shop = try bank.open()
    let (found, silent) = try shop.context.performAndWait {
      wrong += try Bank.violations(shop)
      let labels = try labels(shop)
      if Set(labels).count != labels.count { wrong.append("a transfer has two rows") }
      let lost = logs.transfers.subtracting(labels)
      if !lost.isEmpty {
        wrong.append("\(lost.count) saves that returned are lost: \(lost.sorted().prefix(5))")
      }
      var silent = labels.count - logs.transfers.count
      silent += try checkLists(shop, logs, &wrong) + checkIncrements(shop, logs, &wrong)
      return (logs.acknowledged + silent, silent)
    }
    try shop.close()
    if silent > disorder.kills {
      wrong.append("\(silent) transactions of \(disorder.kills) killed processes were not logged")
    }
    let longest = logs.longest.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value) ms" }
    let text = """
      \(writers) writers, \(found) transactions in \(Int(disorder.seconds)) s, \(disorder.kills) processes killed, \
      \(disorder.pauses) stopped, \(logs.jumps) jumps of a clock, \(logs.conflicts) conflicts
      \(logs.readers.joined(separator: "; "))
      longest wait: \(longest.joined(separator: ", "))
      \(silent) transactions were committed but not logged before their process was killed
      """
    return (
      (wrong.prefix(10).map { "FAILED: \($0)" } + [text]).joined(separator: "\n"), wrong.isEmpty
    )
  }

  private func labels(_ shop: Shop) throws -> [String] {
    let request = NSFetchRequest<NSDictionary>(entityName: "Tag")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["label"]
    return try shop.context.fetch(request).compactMap { $0["label"] as? String }
  }

  /// Returns the number of appends that were not logged.
  private func checkLists(_ shop: Shop, _ logs: BankLogs, _ wrong: inout [String]) throws -> Int {
    var silent = 0
    for list in 0..<Bank.lists {
      let numbers = logs.appended[list] ?? []
      let last = try shop.category("list \(list)").map(Bank.number) ?? -1
      if Set(numbers).count != numbers.count {
        wrong.append("two appended at one place of list \(list)")
      }
      if numbers.contains(where: { $0 >= last }) { wrong.append("list \(list) lost an append") }
      silent += last - Set(numbers).count
    }
    return silent
  }

  /// Returns the number of increments that were not logged.
  private func checkIncrements(
    _ shop: Shop,
    _ logs: BankLogs,
    _ wrong: inout [String]
  ) throws
    -> Int
  {
    var silent = 0
    for writer in 0..<writers {
      let number = try shop.category("own \(writer)").map(Bank.number) ?? -1
      let logged = logs.increments[writer] ?? 0
      if number < logged { wrong.append("writer \(writer) lost \(logged - number) increments") }
      silent += number - logged
    }
    return silent
  }
}
