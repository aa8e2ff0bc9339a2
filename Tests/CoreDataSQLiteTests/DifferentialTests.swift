// SPDX-License-Identifier: Apache-2.0

import Foundation
import PredicateLaw
import Testing

/// SQL must find exactly the rows for which evaluation in memory says true, in the same order.
///
/// Where memory refuses a condition for one of the rows, the store may refuse it too or answer. A
/// to-many without a modifier compared with a single value is refused by the store alone.
/// `COREDATA_LAW_ROUNDS` sets the number of conditions, `COREDATA_LAW_SEED` the first seed.
@Suite("SQL and memory agree")
struct DifferentialTests {
  private static let perWorld = 250
  private static let workers = 4

  private static func setting(_ name: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? standard
  }

  @Test("Random conditions on random models find the same rows", arguments: 0..<workers)
  func conditions(worker: Int) throws {
    let rounds = Self.setting("COREDATA_LAW_ROUNDS", 12_000)
    let first = Self.setting("COREDATA_LAW_SEED", 1)
    let worlds = max(1, rounds / Self.perWorld / Self.workers)
    var tally = LawRun.Tally()
    for world in 0..<worlds {
      var run = try LawRun(seed: UInt64(first + world * Self.workers + worker)) { draft in
        let fixture = try StoreFixture(draft)
        return LawStore(fixture.store, owner: fixture, statement: fixture.lastStatement)
      }
      do {
        try run.check(Self.perWorld)
      } catch let failure as LawRun.Failure {
        Issue.record("\(failure)")
        return
      }
      tally = tally + run.tally
    }
    let total = worlds * Self.perWorld
    #expect(tally.compared + tally.refused == total)
    // Most conditions are compared, most of those are said in SQL, and rows are found.
    #expect(tally.compared * 10 > total * 8, "\(tally)")
    #expect(tally.said * 10 > tally.compared * 5, "\(tally)")
    #expect(tally.found > tally.compared, "\(tally)")
    #expect(tally.ordered > 0)
  }
}
