// SPDX-License-Identifier: Apache-2.0

import CoreData
import PredicateLaw
import Testing
import _CoreDataModel

/// The law of `DifferentialTests`, for custom stores.
///
/// `COREDATA_LAW_ROUNDS` sets the number of conditions.
@Suite("Fetches of custom stores agree with the evaluation in memory")
struct CustomStoreLawTests {
  /// The number of conditions: that of `COREDATA_LAW_ROUNDS`, or a sample.
  private static func rounds(_ standard: Int) -> Int {
    ProcessInfo.processInfo.environment["COREDATA_LAW_ROUNDS"].flatMap(Int.init) ?? standard
  }

  private static func check(
    _ rounds: Int,
    _ make: (ModelDraft) throws -> LawStore
  ) throws {
    var tally = LawRun.Tally()
    for seed in 1...max(1, UInt64(rounds) / 100) {
      var run = try LawRun(seed: seed, make)
      do {
        try run.check(100)
      } catch let failure as LawRun.Failure {
        Issue.record("\(failure)")
        return
      }
      tally = tally + run.tally
    }
    #expect(tally.compared > rounds / 2 && tally.found > 0 && tally.ordered > 0, "\(tally)")
  }

  @Test("The example's stores in a folder and in a file", arguments: JSONStack.Kind.allCases)
  func example(_ kind: JSONStack.Kind) throws {
    try Self.check(Self.rounds(200)) { draft in
      let stack = try JSONStack(kind, draft)
      return LawStore(stack.store.rows, owner: stack, refuses: kind == .file)
    }
  }
}
