// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate

/// The columns of dictionary results.
package struct DictionaryShape: Sendable {
  package struct Column: Sendable {
    /// The key in the resulting dictionaries.
    package var name: String
    package var term: Term
    /// Nil where the type follows from the term.
    package var type: AttributeType?
    package init(name: String, term: Term, type: AttributeType? = nil) {
      self.name = name
      self.term = term
      self.type = type
    }
  }
  package var columns: [Column]
  package var groupBy: [Term] = []
  package var having: Condition?
  package var isDistinct = false
  package init(columns: [Column]) { self.columns = columns }
}

extension DictionaryShape {
  /// Functions that make one value of all rows of a group.
  package static let aggregates: Set<String> = [
    "sum:", "count:", "average:", "min:", "max:", "median:", "mode:", "stddev:",
  ]

  /// Whether each row of the result is one object's.
  package var isPlain: Bool {
    groupBy.isEmpty && having == nil && !columns.contains { Self.isAggregate($0.term) }
  }

  package static func isAggregate(_ term: Term) -> Bool {
    guard case .function(let selector, let arguments, nil) = term else { return false }
    return arguments.count == 1 && aggregates.contains(selector)
  }

  /// Refuses groups that name no single value for a column.
  ///
  /// - Throws: `.invalidRequest` for a HAVING without groups, and for a column that is neither an
  ///   aggregate, nor a constant, nor one of the groups.
  package func checkGrouping() throws {
    if groupBy.isEmpty {
      if having == nil { return }
      throw StoreError(.invalidRequest, "havingPredicate needs propertiesToGroupBy")
    }
    let grouped = Set(groupBy.map { $0.format })
    for column in columns where !Self.isSingle(column.term, grouped) {
      throw StoreError(
        .invalidRequest,
        "SELECT clauses in queries with GROUP BY components can only contain properties named in the "
          + "GROUP BY or aggregate functions (\(column.name))"
      )
    }
  }

  private static func isSingle(_ term: Term, _ grouped: Set<String>) -> Bool {
    if grouped.contains(term.format) || isAggregate(term) { return true }
    switch term {
    case .constant: return true
    case .function(_, let arguments, let operand):
      return (arguments + (operand.map { [$0] } ?? [])).allSatisfy { isSingle($0, grouped) }
    case .ternary(_, let yes, let no): return isSingle(yes, grouped) && isSingle(no, grouped)
    default: return false
    }
  }

  /// Rows that were found by key in the order of `keys`, once where the shape wants them distinct, cut
  /// to `window`; the last column of each row is its key, and is dropped.
  package func arranged(
    _ rows: [[Value]],
    by keys: [ObjectKey],
    cutTo window: FetchWindow
  ) -> [[Value]] {
    var byKey: [ObjectKey: [Value]] = [:]
    for row in rows {
      if case .key(let key)? = row.last { byKey[key] = row.dropLast() }
    }
    var arranged = keys.compactMap { byKey[$0] }
    if isDistinct {
      var seen: Set<[Constant]> = []
      arranged = arranged.filter { seen.insert($0.map(Constant.init)).inserted }
    }
    return window.cut(arranged)
  }
}
