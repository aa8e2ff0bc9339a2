// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel

/// How work grows with the number of objects, by what is counted.
///
/// Counted are steps on keys and objects, statements, and objects walked over. No operation on n objects
/// may cost more than a multiple of n.
@Suite(.enabled(if: WorkCounter.isCounting))
struct GrowthLawTests {
  /// What an operation costs.
  private struct Work: CustomStringConvertible {
    var steps = 0
    var statements = 0
    var visits = 0
    var description: String { "\(steps) steps, \(statements) statements, \(visits) visits" }

    /// Whether this is no more than what twice the objects may cost.
    func isAtMostLinear(after half: Work) -> Bool {
      Self.fits(steps, half.steps, 100) && Self.fits(statements, half.statements, 4)
        && Self.fits(visits, half.visits, 10)
    }

    private static func fits(_ whole: Int, _ half: Int, _ constant: Int) -> Bool {
      Double(whole) <= 2.2 * Double(half) + Double(constant)
    }
  }

  private func work(_ operation: GrowthOperation, _ count: Int) throws -> Work {
    let stage = try GrowthStage(operation.model(), operation.storeType)
    let body = try operation.prepare(stage, count)
    let store = try stage.stack.store
    let registry = stage.context.registry
    let before = Work(statements: store.statements.counts.started, visits: registry.visits)
    let steps = try WorkCounter.count(body)
    return Work(
      steps: try #require(steps),
      statements: store.statements.counts.started - before.statements,
      visits: registry.visits - before.visits
    )
  }

  @Test("Twice the objects cost at most twice the work", arguments: GrowthOperation.all)
  func growth(_ operation: GrowthOperation) throws {
    var works: [Work] = []
    // Sets scatter their members anew each time, so the steps of look-ups differ a little; growth stays.
    for _ in 0..<4 {
      works = try [150, 300, 600].map { try work(operation, $0) }
      #expect(works[0].steps > 150, "nothing was counted")
      if zip(works.dropFirst(), works).allSatisfy({ $0.isAtMostLinear(after: $1) }) { return }
    }
    Issue.record("the work grows faster than the objects: \(works)")
  }
}
