// SPDX-License-Identifier: Apache-2.0

import _CoreDataPredicate
import _CoreDataSQL

/// How a store would answer a fetch, told without answering it.
package struct FetchExplanation: Sendable {
  /// The statement's text, and its values as literals in their order.
  package let sql: String
  package let values: [String]
  /// The engine's plan.
  package let plan: QueryPlan
  /// Whether the rows come unordered and are sorted in memory, which for all rows of a table is faster
  /// than an index.
  package let sortsInMemory: Bool
  /// The part of the condition that SQL cannot say and that is evaluated on objects; nil for none.
  package let rest: Condition?
  /// The order that SQL cannot say; empty for none.
  package let restOrder: [SortKey]
  /// The index that improves the plan most; nil where none of those worth a try does.
  package let advice: IndexCandidate?
  /// The plan with that index.
  package let advisedPlan: QueryPlan?
}

/// What the engine says that it does for a statement.
package struct QueryPlan: Sendable, Equatable {
  package struct Step: Sendable, Equatable {
    /// How many steps it is inside of.
    package let depth: Int
    package let text: String
  }
  package let steps: [Step]

  /// Whether every row of the fetched table is visited, whatever the condition.
  package var scansTable: Bool {
    steps.contains { $0.text == "SCAN t0" || $0.text.hasPrefix("SCAN t0 ") && !usesIndex($0) }
  }
  /// Whether an index is walked from end to end.
  package var scansIndex: Bool { steps.contains { $0.text.hasPrefix("SCAN t0 ") && usesIndex($0) } }
  /// Whether rows are sorted by the engine.
  package var sorts: Bool { steps.contains { $0.text.hasPrefix("USE TEMP B-TREE FOR") } }

  private func usesIndex(_ step: Step) -> Bool { step.text.contains(" INDEX ") }

  /// Work that an index could save: smaller is better.
  var cost: Int { (scansTable ? 4 : 0) + (scansIndex ? 1 : 0) + (sorts ? 2 : 0) }
}
