// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The 17 runs on Apple's system in docs/reference/migration.md, each with Apple's result.
@Suite("Staged migration: published results") struct StagedOracleTests {
  struct Run: CustomTestStringConvertible, Sendable {
    let store: Int
    let model: Int
    let stages: [[Int]]
    let error: Int?
    var testDescription: String { "V\(store) to V\(model), \(stages)" }

    /// Stages: `[1, 2, 3]` is `L[1,2,3]`, and `[-1, -2]` is `C[1→2]`.
    init(_ store: Int, _ model: Int, _ stages: [[Int]], _ error: Int? = nil) {
      (self.store, self.model, self.stages, self.error) = (store, model, stages, error)
    }
  }

  private static let missing = NSMigrationMissingMappingModelError
  static let runs = [
    Run(1, 2, []), Run(2, 3, []), Run(3, 4, []), Run(1, 3, [], missing),
    Run(1, 3, [[1, 2, 3]], missing), Run(1, 3, [[1], [2], [3]], missing),
    Run(1, 3, [[-1, -2], [3]]), Run(1, 3, [[1], [-2, -3]]), Run(1, 3, [[-1, -2], [-2, -3]]),
    Run(1, 4, [], missing), Run(2, 4, []), Run(1, 4, [[-1, -2], [3, 4]]),
    Run(1, 4, [[3, 4], [-1, -2]], NSStagedMigrationBackwardMigrationError),
    Run(1, 4, [[1, 2], [3, 4]], missing), Run(1, 4, [[1], [-2, -3], [4]]),
    Run(1, 4, [[1, 4], [-2, -3]]), Run(1, 4, [[-2, -3], [1, 4]], missing),
  ]

  private static func stage(_ versions: [Int]) -> NSMigrationStage {
    versions[0] < 0
      ? StagedModels.custom(-versions[0], -versions[1])
      : NSLightweightMigrationStage(versions.map(StagedModels.checksum))
  }

  @Test("Stages lead from a store to a model as on Apple's system", arguments: runs)
  func run(_ run: Run) throws {
    let stages = run.stages.map(Self.stage)
    // “None” is a manager without stages, and no manager at all.
    for stages in run.stages.isEmpty ? [nil, []] : [stages] {
      let store = try StagedStore(run.store)
      if let code = run.error {
        let error = #expect(throws: NSError.self) { try store.migrate(to: run.model, stages) }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == code)
        let text =
          code == Self.missing
          ? "Persistent store migration failed, missing mapping model."
          : "A store file cannot be migrated backwards with staged migration."
        #expect(error?.localizedDescription == text)
        #expect(try store.version == run.store)
        continue
      }
      let nick = run.store == 1 ? "none" : nil
      let people = ["Ada", "Bob"].map { "\($0) \(nick ?? "nick of \($0)")" }
      #expect(try store.migrate(to: run.model, stages) == people)
      #expect(try store.version == run.model)
    }
  }
}
