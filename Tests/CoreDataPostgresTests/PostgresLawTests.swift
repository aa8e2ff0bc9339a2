// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import PredicateLaw
import Testing
import _CoreDataModel
import _CoreDataPostgres
import _CoreDataSQL
import _CoreDataStore

/// PostgreSQL must find exactly the rows for which evaluation in memory says true, in the same order.
///
/// `COREDATA_LAW_ROUNDS` sets the number of conditions, `COREDATA_LAW_SEED` the first seed.
@Suite("PostgreSQL and memory agree", .needsPostgres)
struct PostgresLawTests {
  private static let rounds = LawRounds(standard: 2_000)

  @Test("Random conditions on random models find the same rows", arguments: 0..<LawRounds.workers)
  func conditions(worker: Int) throws {
    do {
      let tally = try Self.rounds.run(worker: worker) { seed, conditions in
        try PostgresServer.withSchema { address in
          var run = try LawRun(seed: seed) { draft in
            let store = try PostgresStore(
              model: try ModelDefinition(draft),
              index: 0,
              options: PostgresStoreOptions(address: address)
            )
            let planner = FetchPlanner(layout: store.layout, storeIndex: store.index)
            return LawStore(store) { description in
              (try? planner.plan(description)).map {
                "\($0.statement.text) \($0.statement.bindings)"
              }
            }
          }
          try run.check(conditions)
          return run.tally
        }
      }
      #expect(Self.rounds.isWhole(tally, saidOfTen: 3), "\(tally)")
    } catch let failure as LawRun.Failure {
      Issue.record("\(failure)")
    }
  }
}
#endif
