// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One recording and its crash states, which a seed determines.
package struct Round: Sendable {
  package let seed: UInt64
  package let scenario: Scenario
  package let promise: Promise
  package var bug: PlantedBug?

  /// Creates the round of a seed; `scenario` and `promise` replace those that follow from the seed.
  package init(seed: UInt64, scenario: Scenario? = nil, promise: Promise? = nil) {
    let count = UInt64(Scenario.allCases.count)
    let chosen = scenario ?? Scenario.allCases[Int(seed % count)]
    self.seed = seed
    self.scenario = chosen
    let number = Int(seed / count % UInt64(Promise.all.count))
    self.promise = chosen.ownPromise ?? promise ?? Promise.all[number]
  }

  package init(seed: UInt64, bug: PlantedBug) {
    self.init(seed: seed, scenario: bug.place.scenario, promise: bug.place.promise)
    self.bug = bug
  }

  package var name: String { "seed \(seed), \(scenario.rawValue), \(promise.name)" }

  /// The arguments of the program that repeat this round.
  package var arguments: String {
    "--seed \(seed) --only \(scenario.rawValue) --promise \(promise.name) --rounds 1"
      + (bug.map { " --planted \($0.rawValue)" } ?? "")
  }
}

/// A state that breaks the promise.
package struct Failure {
  package let round: Round
  package let kind: CrashState.Kind?
  package let point: Int
  /// The number of states that were made before this one was found.
  package let states: Int
  package let violations: [String]
  /// The events that are missing or torn in the smallest state found.
  package let lost: [String]
  /// The events before the power failed, the last one last.
  package let last: [String]

  package var text: String {
    var lines = [
      "FAILED: \(round.name), \(kind?.rawValue ?? "no failure of power"), after \(point) events"
    ]
    lines += violations.prefix(5).map { "  \($0)" }
    if !last.isEmpty { lines.append("  the last events:") }
    lines += last.map { "    \($0)" }
    if !lost.isEmpty { lines.append("  not on the disk:") }
    lines += lost.prefix(12).map { "    \($0)" }
    if lost.count > 12 { lines.append("    and \(lost.count - 12) more") }
    lines.append("  repeat with: \(round.arguments)")
    return lines.joined(separator: "\n")
  }
}

/// What was judged.
package struct Tally {
  package var states: [CrashState.Kind: Int] = [:]
  package var scenarios: [String: Int] = [:]
  package var distinct = 0
  package var rounds = 0
  package var events = 0
  /// The states that the library opened.
  package var opened = 0
  package var statesWithOrphans = 0

  package init() {}
  package var total: Int { states.values.reduce(0, +) }
}
