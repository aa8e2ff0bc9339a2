// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The rounds of a test of an engine with SQL, divided into worlds and among workers.
///
/// `COREDATA_LAW_ROUNDS` sets the number of conditions, `COREDATA_LAW_SEED` the first seed.
package struct LawRounds: Sendable {
  package static let workers = 4
  private static let perWorld = 250
  private let worlds: Int
  private let first: Int

  /// Creates the rounds; `standard` is the number of conditions of all workers without the variable.
  package init(standard: Int) {
    func setting(_ name: String, _ standard: Int) -> Int {
      ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? standard
    }
    worlds = max(1, setting("COREDATA_LAW_ROUNDS", standard) / Self.perWorld / Self.workers)
    first = setting("COREDATA_LAW_SEED", 1)
  }

  /// Calls `body` with the seed of each world of a worker and the number of its conditions, and returns what was
  /// compared.
  ///
  /// - Throws: errors of `body`.
  package func run(
    worker: Int,
    _ body: (_ seed: UInt64, _ conditions: Int) throws -> LawRun.Tally
  ) throws -> LawRun.Tally {
    var tally = LawRun.Tally()
    for world in 0..<worlds {
      tally = tally + (try body(UInt64(first + world * Self.workers + worker), Self.perWorld))
    }
    return tally
  }

  /// Returns whether a worker has compared what it should: most conditions, at least `saidOfTen` of ten of these
  /// said in SQL, and conditions that find rows and sort them.
  package func isWhole(_ tally: LawRun.Tally, saidOfTen: Int) -> Bool {
    let total = worlds * Self.perWorld
    return tally.compared + tally.refused == total && tally.compared * 10 > total * 8
      && tally.said * 10 > tally.compared * saidOfTen && tally.found > tally.compared
      && tally.ordered > 0
  }
}
