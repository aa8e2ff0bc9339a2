// SPDX-License-Identifier: Apache-2.0

import _CoreDataPredicate
import _CoreDataSQL

/// A description of how a store would perform a fetch, made without performing the fetch.
package struct FetchExplanation: Sendable {
  /// The statement's text, and its values as literals in their order.
  package let sql: String
  package let values: [String]
  /// The engine's plan for the statement.
  package let plan: QueryPlan
  /// Whether rows are read unordered and then sorted in memory.
  ///
  /// Sorting all rows of a table in memory is faster than reading the rows through an index.
  package let sortsInMemory: Bool
  /// The part of the condition that SQL cannot express and that is evaluated on objects; nil if SQL can
  /// express the whole condition.
  package let rest: Condition?
  /// The sort keys by which objects are sorted in memory; empty if the store returns the rows in order.
  package let restOrder: [SortKey]
  /// The index that improves the plan most; nil if no candidate improves it.
  package let advice: IndexCandidate?
  /// The engine's plan with the index of `advice`; nil if there is no advice.
  package let advisedPlan: QueryPlan?
}

/// The engine's plan for a statement.
package struct QueryPlan: Sendable, Equatable {
  package struct Step: Sendable, Equatable {
    /// The number of steps that contain this step; 0 for an outermost step.
    package let depth: Int
    package let text: String
  }
  package let steps: [Step]

  /// Whether the engine visits every row of the fetched table without an index.
  package var scansTable: Bool {
    steps.contains { $0.text == "SCAN t0" || $0.text.hasPrefix("SCAN t0 ") && !usesIndex($0) }
  }
  /// Whether the engine reads an index of the fetched table from end to end.
  package var scansIndex: Bool { steps.contains { $0.text.hasPrefix("SCAN t0 ") && usesIndex($0) } }
  /// Whether the engine needs a temporary B-tree, for example to sort or group the rows.
  package var sorts: Bool { steps.contains { $0.text.hasPrefix("USE TEMP B-TREE FOR") } }

  private func usesIndex(_ step: Step) -> Bool { step.text.contains(" INDEX ") }

  /// An estimate of the work that an index could save.
  var cost: Int { (scansTable ? 4 : 0) + (scansIndex ? 1 : 0) + (sorts ? 2 : 0) }
}
