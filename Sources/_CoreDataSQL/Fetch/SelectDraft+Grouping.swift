// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Dictionary fetches for engines whose groups may select only what they group by, and aggregates.
extension SelectDraft {
  private var isGrouped: Bool {
    !grouping.isEmpty || having != nil || compiler.rowAggregates > 0
  }

  /// Whether equal expressions of the statement must have equal texts.
  var sharesValues: Bool { compiler.dialect.groupsStrictly && !grouping.isEmpty }

  /// Throws an error for a column that is neither grouped nor aggregated, and returns the entity numbers by
  /// which the statement must also group.
  func checkedGrouping(_ shape: DictionaryShape) throws -> [SQL] {
    guard isGrouped, let dictionary else { return [] }
    let entities = dictionary.entityPieces
      .filter { pair in grouping.contains { $0.says(pair.reference) } }.map(\.entity)
    let known = grouping + entities
    for column in dictionary.plain where !known.contains(where: { $0.says(column.piece) }) {
      throw compiler.unsupported(
        "the column “\(column.name)”, by which the rows are not grouped"
      )
    }
    let outside = compiler.bareColumns.contains { piece in
      !known.contains { $0.says(piece) }
    }
    if outside {
      throw compiler.unsupported("a value beside an aggregate, by which the rows are not grouped")
    }
    let parts = known + [having].compactMap { $0 }
    if parts.contains(where: { $0.traits.contains(.hasSubselect) }) {
      throw compiler.unsupported("groups by to-many relationships")
    }
    return entities
  }

  /// Whether the statement sorts distinct rows.
  var ordersDistinctRows: Bool {
    compiler.dialect.groupsStrictly && isDistinct && !description.order.isEmpty
  }

  /// Returns a sort key of a dictionary fetch, which must be a column if the rows are distinct, and grouped or
  /// aggregated if they are grouped.
  func strictOrder(_ key: SortKey) throws -> SQL {
    let aggregates = compiler.rowAggregates
    guard isDistinct || isGrouped,
      case .column(let piece, let type) = try compiler.operand(.keyPath(key.keyPath), in: scope)
    else { return try compiler.order(key, in: scope) }
    guard isDistinct else {
      let isKnown = grouping.contains { $0.says(piece) }
      let isAggregate =
        compiler.rowAggregates > aggregates || compiler.isAggregate(named: key.keyPath)
      if isKnown || isAggregate { return try compiler.order(key, in: scope) }
      throw compiler.unsupported(
        "sorting by \(key.keyPath), by which the rows are not grouped"
      )
    }
    guard let index = dictionary?.pieces.firstIndex(where: { $0.says(piece) }) else {
      throw compiler.unsupported(
        "sorting distinct rows by \(key.keyPath), which is not a column of the rows"
      )
    }
    return try compiler.order(TypedPiece("d.\(name: "c\(index)")", type), key)
  }

  /// Returns the statement that sorts the distinct rows of `select`.
  func rowsOfDistinct(_ select: SQL, _ order: [SQL], _ limit: SQL?) -> SQL {
    let names = (0..<(dictionary?.pieces.count ?? 0)).map { "c\($0)" }.joined(separator: ", ")
    var sql: SQL = "SELECT * FROM (\(select)) AS d(\(name: names))"
    if !order.isEmpty { sql.append(" ORDER BY \(order.joined(separator: ", "))") }
    if let limit { sql.append(" \(limit)") }
    return sharesValues ? sql.with(.sharesValues) : sql
  }
}

extension SQL {
  /// Returns whether two pieces have the same text and the same values.
  func says(_ other: SQL) -> Bool {
    let (one, two) = (statement, other.statement)
    return one.text == two.text && one.bindings == two.bindings
  }
}
