// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel

/// Which steps a staged migration takes, from checksums alone; the versions are "1" to "4".
@Suite struct StagedPlanTests {
  private static func lightweight(_ versions: Int...) -> VersionStage {
    VersionStage(.lightweight(versions.map(String.init)))
  }
  private static func custom(_ from: Int, _ to: Int) -> VersionStage {
    VersionStage(.custom(from: String(from), to: String(to)))
  }

  /// The steps as text: `1>2` for an inferred step, `1=2` for a custom stage.
  private func steps(_ store: Int, _ model: Int, _ stages: [VersionStage]) throws -> String {
    try StagedPlan(from: String(store), to: String(model), stages: stages).steps.map { step in
      switch step {
      case .inferred(let from, let to): "\(from)>\(to)"
      case .custom(let stage, let from, let to):
        stages[stage].kind == .custom(from: from, to: to) ? "\(from)=\(to)" : "wrong stage"
      }
    }.joined(separator: " ")
  }

  struct Row: CustomTestStringConvertible {
    let store: Int
    let model: Int
    let stages: [VersionStage]
    let steps: String
    var testDescription: String { "\(store) to \(model): \(steps)" }

    init(_ store: Int, _ model: Int, _ stages: [VersionStage], _ steps: String) {
      (self.store, self.model, self.stages, self.steps) = (store, model, stages, steps)
    }
  }

  /// Custom stages are met, and one inferred step leads over all lightweight versions between them.
  static let rows = [
    Row(1, 2, [], "1>2"),
    Row(1, 3, [lightweight(1, 2, 3)], "1>3"),
    Row(1, 3, [lightweight(1), lightweight(2), lightweight(3)], "1>3"),
    Row(1, 3, [custom(1, 2), lightweight(3)], "1=2 2>3"),
    Row(1, 3, [lightweight(1), custom(2, 3)], "1>2 2=3"),
    Row(1, 3, [custom(1, 2), custom(2, 3)], "1=2 2=3"),
    Row(1, 4, [custom(1, 2), lightweight(3, 4)], "1=2 2>4"),
    Row(1, 4, [lightweight(1, 2), lightweight(3, 4)], "1>4"),
    Row(1, 4, [lightweight(1), custom(2, 3), lightweight(4)], "1>2 2=3 3>4"),
    Row(1, 4, [lightweight(1, 4), custom(2, 3)], "1>2 2=3 3>4"),
    Row(1, 4, [custom(2, 3), lightweight(1, 4)], "1>4"),
    Row(2, 4, [custom(1, 2), custom(2, 3), custom(3, 4)], "2=3 3=4"),
    Row(3, 4, [custom(1, 2), custom(2, 3), lightweight(4)], "3>4"),
    Row(2, 2, [custom(1, 2)], ""),
    Row(5, 5, [custom(1, 2)], ""),
    // Stages after that of the model, and the rest of a custom stage that begins with the model's version.
    Row(1, 2, [lightweight(1), lightweight(2), custom(3, 4)], "1>2"),
    Row(1, 2, [lightweight(1), custom(2, 3), lightweight(4)], "1>2"),
    Row(1, 2, [custom(1, 2), custom(2, 3)], "1=2"),
  ]

  @Test("Steps meet the custom stages in order, with inferred steps between them", arguments: rows)
  func planned(_ row: Row) throws {
    #expect(try steps(row.store, row.model, row.stages) == row.steps)
  }

  @Test(
    "A model whose version comes before the store's is refused",
    arguments: [
      Row(1, 4, [lightweight(3, 4), custom(1, 2)], ""), Row(2, 1, [lightweight(1, 2)], ""),
      Row(3, 2, [custom(2, 3)], ""), Row(2, 1, [custom(1, 2), custom(2, 3)], ""),
    ]
  )
  func backward(_ row: Row) {
    let error = #expect(throws: StagingError.self) {
      try steps(row.store, row.model, row.stages)
    }
    #expect(error?.code == .backward)
    #expect(error?.description.contains("version \(row.store), which comes after") == true)
  }

  @Test("A version that is in no stage is refused, with the stages")
  func unknown() {
    let stages = [Self.lightweight(1), VersionStage(.custom(from: "2", to: "3"), label: "Split")]
    for (store, model, what) in [
      (9, 3, "The store was created with the version 9"),
      (1, 9, "The coordinator's model has the version 9"),
    ] {
      let error = #expect(throws: StagingError.self) { try steps(store, model, stages) }
      #expect(error?.code == .unknownVersion)
      #expect(error?.description.hasPrefix(what) == true)
      #expect(error?.description.contains("stage 1: 1; stage 2 “Split”: 2 → 3") == true)
    }
  }

  @Test(
    "A version that two stages start or end with is refused, whatever the store's version is",
    arguments: [
      [lightweight(1, 2), lightweight(2, 3)], [lightweight(1, 2), custom(2, 3)],
      [custom(1, 2), lightweight(2, 3)], [custom(1, 2), custom(1, 3)],
      [custom(1, 3), custom(2, 3)],
      [custom(1, 1)],
    ]
  )
  func duplicates(_ stages: [VersionStage]) {
    for store in [1, 3] {
      let error = #expect(throws: StagingError.self) { try steps(store, 3, stages) }
      #expect(error?.code == .duplicateVersion)
    }
  }

  @Test("A version may stand twice in one lightweight stage")
  func repeatedVersion() throws {
    #expect(try steps(1, 2, [Self.lightweight(1, 1, 2)]) == "1>2")
  }
}
