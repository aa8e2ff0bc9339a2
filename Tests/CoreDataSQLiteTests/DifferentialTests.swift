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
  private static let rounds = LawRounds(standard: 12_000)

  @Test("Random conditions on random models find the same rows", arguments: 0..<LawRounds.workers)
  func conditions(worker: Int) throws {
    do {
      let tally = try Self.rounds.run(worker: worker) { seed, conditions in
        var run = try LawRun(seed: seed) { draft in
          let fixture = try StoreFixture(draft)
          return LawStore(fixture.store, owner: fixture, statement: fixture.lastStatement)
        }
        try run.check(conditions)
        return run.tally
      }
      #expect(Self.rounds.isWhole(tally, saidOfTen: 5), "\(tally)")
    } catch let failure as LawRun.Failure {
      Issue.record("\(failure)")
    }
  }
}
