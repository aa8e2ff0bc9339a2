// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// The form of dictionary results: columns, groups, a HAVING condition, and an option for distinct results.
package struct DictionaryShape: Sendable {
  /// One column of the results.
  package struct Column: Sendable {
    /// The dictionary key for the column's values.
    package var name: String
    package var term: Term
    /// The type of the column's values; nil if the term determines it.
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
  /// The key paths that lead to a collection and are an argument of a function in `columns`.
  ///
  /// An aggregate over such a key path is computed for each object, not for a group of rows.
  package var toManys: Set<String> = []
  package init(columns: [Column]) { self.columns = columns }
}

extension DictionaryShape {
  /// Whether the results are neither grouped nor aggregated, so that each row has the values of one object.
  package var isPlain: Bool {
    groupBy.isEmpty && having == nil && !hasAggregates
  }

  /// Whether a column contains an aggregate over the rows of a group; without groups, all rows form one
  /// group.
  package var hasAggregates: Bool { columns.contains { holdsAggregate($0.term) } }

  /// Returns the function and the argument of an aggregate over the rows of a group; nil for any other term,
  /// even if it contains such an aggregate.
  package func aggregate(_ term: Term) -> (function: AggregateFunction, argument: Term)? {
    guard case .function(.aggregate(let function), let arguments) = term, arguments.count == 1
    else { return nil }
    if case .keyPath(let path) = arguments[0], toManys.contains(path) { return nil }
    return (function, arguments[0])
  }

  /// Returns whether the term is or contains an aggregate over the rows of a group.
  ///
  /// The conditions of ternary terms are not searched.
  package func holdsAggregate(_ term: Term) -> Bool {
    if aggregate(term) != nil { return true }
    switch term {
    case .function(_, let arguments): return arguments.contains(where: holdsAggregate)
    case .message(_, let receiver, let arguments):
      return holdsAggregate(receiver) || arguments.contains(where: holdsAggregate)
    case .ternary(_, let yes, let no): return holdsAggregate(yes) || holdsAggregate(no)
    default: return false
    }
  }

  /// Checks that the columns and the HAVING condition follow SQL's rules for grouping.
  ///
  /// - Throws: `.invalidRequest` if there is a HAVING condition without groups, or if a column of grouped
  ///   results contains anything other than aggregates, constants and the grouped terms.
  package func checkGrouping() throws {
    if groupBy.isEmpty {
      if having == nil { return }
      throw StoreError(
        .invalidRequest,
        "a fetch request with havingPredicate must also set propertiesToGroupBy"
      )
    }
    let grouped = Set(groupBy.map { $0.format })
    for column in columns where !isSingle(column.term, grouped) {
      throw StoreError(
        .invalidRequest,
        "SELECT clauses in queries with GROUP BY components can only contain properties named in the "
          + "GROUP BY or aggregate functions (\(column.name))"
      )
    }
  }

  private func isSingle(_ term: Term, _ grouped: Set<String>) -> Bool {
    if grouped.contains(term.format) || aggregate(term) != nil { return true }
    switch term {
    case .constant: return true
    case .function(_, let arguments): return arguments.allSatisfy { isSingle($0, grouped) }
    case .message(_, let receiver, let arguments):
      return isSingle(receiver, grouped) && arguments.allSatisfy { isSingle($0, grouped) }
    case .ternary(_, let yes, let no): return isSingle(yes, grouped) && isSingle(no, grouped)
    default: return false
    }
  }

  /// Returns the result rows in the order of `keys`, cut to `window`; duplicates are removed if `isDistinct`
  /// is true.
  ///
  /// The last value of each of `rows` must be the key of the row's object. The returned rows do not contain
  /// this value.
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
