// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The program `SimulationProgram`: its arguments and its output.
package struct SimulationCommand {
  private var seed: UInt64 = 1
  private var seconds: Double?
  private var rounds: Int?
  private var step = 1
  private var states = 300
  private var sample = 200
  private var scenario: Scenario?
  private var promise: Promise?
  private var bugs: [PlantedBug] = []
  private var keepsGoing = false
  /// The average distance of calls that fail; nil for power failures.
  private var stride: Int?
  /// The number of writing processes; nil for power failures.
  private var writers: Int?
  /// The work of this process at a bank.
  private var work: (kind: String, name: String)?
  private var place: URL?
  private var endurance: EnduranceKind?
  private var turns: Int?
  private var life = 40
  private var mistake: PlantedMistake?
  private var rate: Double?
  private var share = 100.0
  private var leaks = false

  private static let usage = """
    usage: SimulationProgram [--seed N] [--seconds N | --rounds N] [--step N] [--states N] [--sample N]
      [--only SCENARIO] [--promise JOURNAL-SYNCHRONOUS] [--planted BUG|all] [--all-failures]
      [--faults STRIDE] [--writers N [--turns N] [--life TRANSACTIONS] [--mistake update|read|list]]
      [--endurance list|contexts [--turns N] [--rate TURNS-PER-SECOND] [--share PERCENT] [--leaks yes]]
    """

  package init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      if name == "--all-failures" {
        keepsGoing = true
        continue
      }
      guard let value = rest.popFirst() else { throw SimulationError(Self.usage) }
      switch name {
      case "--seed": seed = UInt64(value) ?? 1
      case "--seconds": seconds = Double(value)
      case "--rounds": rounds = Int(value)
      case "--step": step = Int(value) ?? 1
      case "--states": states = Int(value) ?? states
      case "--sample": sample = Int(value) ?? sample
      case "--only":
        scenario = try Self.named(
          value,
          Scenario(rawValue: value),
          Scenario.allCases.map(\.rawValue)
        )
      case "--promise":
        promise = try Self.named(value, Promise.named(value), Promise.all.map(\.name))
      case "--writers": writers = Int(value)
      case "--writer", "--reader": work = (name, value)
      case "--folder": place = URL(fileURLWithPath: value)
      case "--endurance":
        let all = EnduranceKind.allCases.map(\.rawValue)
        endurance = try Self.named(value, EnduranceKind(rawValue: value), all)
      case "--turns": turns = Int(value)
      case "--life": life = Int(value) ?? life
      case "--mistake":
        let all = PlantedMistake.allCases.map(\.rawValue)
        mistake = try Self.named(value, PlantedMistake(rawValue: value), all)
      case "--rate": rate = Double(value)
      case "--share": share = Double(value) ?? share
      case "--leaks": leaks = value == "yes"
      case "--faults": stride = Int(value)
      case "--planted":
        let all = PlantedBug.allCases
        let bug = PlantedBug(rawValue: value)
        bugs = value == "all" ? all : [try Self.named(value, bug, all.map(\.rawValue))]
      default: throw SimulationError(Self.usage)
      }
    }
  }

  private static func named<T>(_ name: String, _ value: T?, _ known: [String]) throws -> T {
    if let value { return value }
    throw SimulationError("“\(name)” is not known; known are \(known.joined(separator: ", "))")
  }

  /// Runs the rounds and prints the result; returns whether all states kept the promise, or whether each planted
  /// bug was found.
  package func run() throws -> Bool {
    if let work, let place {
      try runProcess(work.kind, work.name, place)
      return true
    }
    let folder = try Self.makeFolder()
    defer {
      // What stays is in a folder for temporary files.
      try? FileManager.default.removeItem(at: folder)
    }
    if !bugs.isEmpty { return try findBugs(folder) }
    if let writers {
      var run = BankRun(
        writers: writers,
        count: turns,
        seconds: seconds ?? (turns == nil ? 5 : 86_400),
        life: life,
        seed: seed,
        mistake: mistake,
        folder: folder
      )
      let result = try run.run()
      print(result.text)
      return result.isRight
    }
    if let endurance { return try endure(endurance, folder) }
    if let stride { return try failCalls(folder, stride) }
    let simulation = Simulation(folder: folder, statesOfRound: states, sample: sample)
    let begin = Date()
    var failures = 0
    var number: UInt64 = 0
    let count = rounds ?? (seconds == nil ? Scenario.allCases.count * Promise.all.count : Int.max)
    while number < count, seconds.map({ -begin.timeIntervalSinceNow < $0 }) ?? true {
      let round = Round(
        seed: seed + number * UInt64(step),
        scenario: scenario,
        promise: promise
      )
      if let failure = try Self.attempt(round, simulation) {
        failures += 1
        print(failure)
        if !keepsGoing { break }
      }
      number += 1
    }
    print(Self.summary(simulation.tally, -begin.timeIntervalSinceNow, failures))
    return failures == 0
  }

  private static func attempt(_ round: Round, _ simulation: Simulation) throws -> String? {
    do {
      return try simulation.run(round)?.text
    } catch let error as SimulationError {
      throw error
    } catch {
      return
        "FAILED: \(round.name): the scenario itself: \(error)\n  repeat with: \(round.arguments)"
    }
  }

  /// A folder in memory if there is one, because files are only there to be recorded.
  private static func makeFolder() throws -> URL {
    let memory = URL(fileURLWithPath: "/dev/shm")
    let isWritable = access(memory.path, W_OK) == 0
    let parent = isWritable ? memory : FileManager.default.temporaryDirectory
    let folder = parent.appendingPathComponent("coredata-simulation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  // MARK: Planted bugs

  private func findBugs(_ folder: URL) throws -> Bool {
    var areAllFound = true
    for bug in bugs {
      let simulation = Simulation(folder: folder, statesOfRound: states, sample: sample)
      var found: Failure?
      for number in 0..<UInt64(rounds ?? 30) where found == nil {
        found = try simulation.run(Round(seed: seed + number, bug: bug))
      }
      if let found {
        print(
          "FOUND \(bug.rawValue): seed \(found.round.seed), \(simulation.tally.total) states,",
          "\(found.lost.count) lost events: \(found.violations.first ?? "")"
        )
      } else {
        areAllFound = false
        print("NOT FOUND \(bug.rawValue) in \(simulation.tally.total) states")
      }
    }
    return areAllFound
  }

  // MARK: Failing calls

  private func failCalls(_ folder: URL, _ stride: Int) throws -> Bool {
    var tally = FaultRun.Tally()
    var wrong: [String] = []
    for number in 0..<UInt64(rounds ?? Scenario.allCases.count) {
      let round = Round(
        seed: seed + number * UInt64(step),
        scenario: scenario,
        promise: promise
      )
      guard let run = FaultRun(round, folder: folder) else {
        throw SimulationError("the process was started without the library that replaces calls")
      }
      wrong += try run.run(stride: stride, &tally)
    }
    for line in wrong.prefix(20) { print("FAILED: \(line)") }
    print(
      "\(tally.calls) failed calls, of which \(tally.thrown) were errors of a step; failures: \(wrong.count)"
    )
    return wrong.isEmpty
  }

  // MARK: Processes

  private func runProcess(_ kind: String, _ name: String, _ place: URL) throws {
    let process = try BankProcess(Bank(folder: place), name: name, seed: seed, mistake: mistake)
    if kind == "--writer" {
      let number = name.split(separator: "-").first.flatMap { Int($0) } ?? 0
      var writer = try BankWriter(process, writer: number, writers: writers ?? 1)
      return try writer.run(count: turns ?? Int.max, life: life)
    }
    var reader = try BankReader(process)
    if name == "list" { try reader.followList() } else { try reader.readMoments() }
  }

  // MARK: Long work

  private func endure(_ kind: EnduranceKind, _ folder: URL) throws -> Bool {
    let run = EnduranceRun(
      length: turns.map { .turns($0) } ?? .seconds(seconds ?? 60),
      rate: rate,
      share: share,
      leaks: leaks
    )
    let result = try run.run(try kind.make(folder, seed: seed))
    print(result.text)
    return result.isRight
  }

  // MARK: Output

  private static func summary(_ tally: Tally, _ seconds: Double, _ failures: Int) -> String {
    let kinds = CrashState.Kind.allCases.map { "\($0.rawValue) \(tally.states[$0] ?? 0)" }
    let scenarios = Scenario.allCases.map { "\($0.rawValue) \(tally.scenarios[$0.rawValue] ?? 0)" }
    let rate = Int(Double(tally.total) / max(seconds, 0.001))
    return """
      \(tally.total) states (\(tally.distinct) distinct) of \(tally.rounds) recordings with \(tally.events) events
      by kind: \(kinds.joined(separator: ", "))
      by scenario: \(scenarios.joined(separator: ", "))
      opened by the library: \(tally.opened); with files to which no row refers: \(tally.statesWithOrphans)
      \(Int(seconds)) s, \(rate) states/s; failures: \(failures)
      """
  }
}
