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
  private static let perWorld = 250
  private static let workers = 4

  private static func setting(_ name: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? standard
  }

  @Test("Random conditions on random models find the same rows", arguments: 0..<workers)
  func conditions(worker: Int) throws {
    let rounds = Self.setting("COREDATA_LAW_ROUNDS", 2_000)
    let first = Self.setting("COREDATA_LAW_SEED", 1)
    let worlds = max(1, rounds / Self.perWorld / Self.workers)
    var tally = LawRun.Tally()
    for world in 0..<worlds {
      let seed = UInt64(first + world * Self.workers + worker)
      let made = try PostgresServer.withSchema { address -> LawRun.Tally? in
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
        do {
          try run.check(Self.perWorld)
          return run.tally
        } catch let failure as LawRun.Failure {
          Issue.record("\(failure)")
          return nil
        }
      }
      guard let made else { return }
      tally = tally + made
    }
    let total = worlds * Self.perWorld
    #expect(tally.compared + tally.refused == total)
    // Most conditions are compared, many of those are said in SQL, and rows are found.
    #expect(tally.compared * 10 > total * 8, "\(tally)")
    #expect(tally.said * 10 > tally.compared * 3, "\(tally)")
    #expect(tally.found > tally.compared, "\(tally)")
    #expect(tally.ordered > 0)
  }
}
#endif
