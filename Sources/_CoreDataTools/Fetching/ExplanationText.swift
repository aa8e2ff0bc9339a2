// SPDX-License-Identifier: Apache-2.0

import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataSQLite

/// The textual form of the explanation of a fetch.
package struct ExplanationText {
  private let explanation: FetchExplanation

  package init(_ explanation: FetchExplanation) { self.explanation = explanation }

  /// The explanation as sections for the SQL statement, the plan and the index advice, with a line feed at
  /// the end.
  package var text: String {
    var lines = ["SQL", "  " + explanation.sql]
    for (index, value) in explanation.values.enumerated() {
      lines.append("  value \(index + 1): \(value)")
    }
    lines += ["Plan"] + plan(explanation.plan) + memory + ["Index"] + advice
    return lines.joined(separator: "\n") + "\n"
  }

  private func plan(_ plan: QueryPlan) -> [String] {
    plan.steps.map { String(repeating: "  ", count: $0.depth + 1) + $0.text }
  }

  private var memory: [String] {
    var lines: [String] = []
    if let rest = explanation.rest { lines.append("  then filtered in memory: \(rest.format)") }
    if !explanation.restOrder.isEmpty {
      lines.append("  then sorted in memory, in an order that SQL cannot express")
    } else if explanation.sortsInMemory {
      lines.append("  then sorted in memory, which is faster than using an index for all rows")
    }
    return lines
  }

  private var advice: [String] {
    if let advice = explanation.advice, let plan = explanation.advisedPlan {
      let elements = advice.elements.map { $0.property + ($0.isAscending ? "" : " descending") }
      return [
        "  a fetch index on \(advice.entity) (\(elements.joined(separator: ", "))) would help. "
          + "The plan with this index:"
      ] + self.plan(plan).map { "  " + $0 }
    }
    let current = explanation.plan
    if !current.scansTable, !current.scansIndex, !current.sorts { return ["  no index is missing"] }
    return ["  no index on the properties of this fetch would improve the plan"]
  }
}
