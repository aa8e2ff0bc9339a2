// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// Runs a scenario once for each of its calls of the system, of which one fails.
///
/// A step may then throw an error. The same step must succeed when it is repeated, and at the end the stores must
/// contain the same objects as without the failure. No file may stay open.
package struct FaultRun {
  /// The numbers of failed calls.
  package struct Tally {
    package var calls = 0
    /// The failures after which a step threw an error.
    package var thrown = 0
    package init() {}
  }

  private let folder: URL
  private let round: Round
  private let calls: FailingCalls

  /// Returns nil if the process was started without the library that replaces the calls.
  package init?(_ round: Round, folder: URL) {
    guard let calls = FailingCalls() else { return nil }
    self.calls = calls
    self.round = round
    self.folder = folder.resolvingSymlinksInPath()
  }

  private struct Outcome: Equatable {
    var stores: [String]
    var openFiles: Int
  }

  /// Lets every call fail whose number the steps of `stride` reach; returns what went wrong.
  ///
  /// - Throws: the errors of the scenario without a failure.
  package func run(stride: Int, _ tally: inout Tally) throws -> [String] {
    // The first run loads what a process loads once, such as code of the system's libraries.
    _ = try outcome(Int.max / 2, .fails)
    let (expected, whole) = try outcome(Int.max / 2, .fails)
    let count = Int.max / 2 - whole.left
    var dice = Dice(round.seed)
    var wrong: [String] = []
    for fate in FailingCalls.Fate.allCases {
      var number = dice.below(stride)
      while number < count {
        tally.calls += 1
        let place = "\(round.name), call \(number) of \(count) \(fate)"
        do {
          let (found, fault) = try outcome(number, fate)
          if fault.thrownIn != nil { tally.thrown += 1 }
          wrong += difference(found, expected).map {
            "\(place), \(fault.thrownIn ?? "no error"): \($0)"
          }
        } catch {
          wrong.append("\(place): the work does not go on: \(error)")
        }
        number += 1 + dice.below(stride * 2 - 1)
      }
    }
    return wrong
  }

  private func difference(_ found: Outcome, _ expected: Outcome) -> [String] {
    var wrong: [String] = []
    if found.openFiles > expected.openFiles {
      wrong.append("\(found.openFiles - expected.openFiles) files stay open")
    }
    let (mine, others) = (Set(found.stores), Set(expected.stores))
    if found.stores != expected.stores {
      let (more, less) = (mine.subtracting(others), others.subtracting(mine))
      wrong.append("has \(more.sorted().prefix(3)), lacks \(less.sorted().prefix(3))")
    }
    return wrong
  }

  private func outcome(_ number: Int, _ fate: FailingCalls.Fate) throws -> (Outcome, Fault) {
    let place = folder.appendingPathComponent("faults")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer {
      // The folder of the simulation is removed at the end in any case.
      try? FileManager.default.removeItem(at: place)
    }
    let before = Self.openFiles
    let fault = Fault(calls, number, fate, in: place)
    let stage = Stage(folder: place, promise: round.promise, dice: Dice(round.seed), fault: fault)
    try round.scenario.run(stage)
    var outcome = Outcome(stores: [], openFiles: 0)
    for store in stage.stores {
      outcome.stores += try LibraryCheck.objects(
        in: place.appendingPathComponent(store.database),
        keepsHistory: stage.keepsHistory
      )
    }
    outcome.openFiles = Self.openFiles - before
    return (outcome, fault)
  }

  private static var openFiles: Int {
    // The folder of descriptors can always be listed by its own process.
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
}
