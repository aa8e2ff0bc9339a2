// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The SQL of SQLite, with the functions and collations that this library registers with its connections.
package struct SQLiteDialect: Dialect {
  package init() {}

  package var columns: RowColumns { RowColumns(key: "Z_PK", entity: "Z_ENT", version: "Z_OPT") }
  package var always: SQL { "1" }
  package var never: SQL { "0" }
  package var hasBounds: Bool { false }
  package var groupsStrictly: Bool { false }

  // MARK: Statements

  package func statement(_ piece: SQL) -> Statement { piece.statement }

  package func comparison(with keys: KeyCount) -> SQL {
    switch keys {
    case .one: "= ?"
    case .range: "BETWEEN ? AND ?"
    case .list: SQL("IN (SELECT value FROM json_each(?))").with(.hasSubselect)
    }
  }

  package func isOne(_ key: SQL, of numbers: [Int64]) -> SQL {
    if key.traits.contains(.isPrimaryKey), let condition = NumberBits.condition(key, numbers) {
      return condition
    }
    return "\(key) IN \(SQL.elements(ofJSON: JSONList.text(numbers)))"
  }

  package func window(limit: Int, offset: Int) -> SQL {
    let count = limit > 0 ? Int64(limit) : -1
    var clause: SQL = "LIMIT \(bind: .integer(count))"
    if offset > 0 { clause.append(" OFFSET \(bind: .integer(Int64(offset)))") }
    return clause
  }

  package func count(of select: SQL) -> SQL { "SELECT COUNT(*) FROM (\(select))" }

  package func column(_ piece: TypedPiece) -> SQL { piece.piece }

  package func record(_ columns: [SQL], _ kinds: [SlotKind]) -> SQL {
    let list = columns.joined(separator: ", ")
    return "\(function: CompositeCall.name)('\(name: CompositeCall.text(kinds))', \(list))"
  }

  package func obstacle(_ piece: SQL, height: Int, leaving depth: Int) -> String? {
    guard height > EngineLimits.height, piece.parserDepth > EngineLimits.parserDepth - depth else {
      return nil
    }
    return "a predicate that is nested too deeply for SQLite's parser"
  }

  package func order(
    _ piece: TypedPiece,
    _ comparison: SortKey.Comparison,
    ascending: Bool
  ) throws -> SQL {
    let collation = try Collation(comparison)
    let isText = piece.type == .text || piece.type == .any
    let name = isText ? collation.map { " COLLATE \($0.rawValue)" } ?? "" : ""
    return "\(piece.piece)\(name: name)\(name: ascending ? "" : " DESC")"
  }

  package func indexElement(_ text: String, isColumn: Bool, ascending: Bool) -> String {
    "\(text) COLLATE BINARY \(ascending ? "ASC" : "DESC")"
  }

  package func literal(_ value: Binding) -> String { value.literal }

  // MARK: Constants

  package func exact(_ value: Value) -> SQL? { value.exactBinding.map { SQL(bind: $0) } }

  package func selected(_ value: Value) -> SQL? { value.plainBinding.map { SQL(bind: $0) } }

  /// Returns the binding of a constant that is compared with a column; nil if the constant never equals a
  /// value of the column.
  private func binding(_ value: Value, for type: ValueType) throws(Unsayable) -> Binding? {
    switch (type, value) {
    case (.reference, .int(let number)), (.entity, .int(let number)): return .integer(number)
    case (.any, _): return value.plainBinding
    default: break
    }
    guard let other = ValueType(value), other == type || other.isNumber && type.isNumber else {
      return nil
    }
    guard let bound = value.exactBinding else {
      throw Unsayable("the constant \(CellText.line(value)), which SQL cannot hold exactly")
    }
    return bound
  }

  package func equal(_ piece: TypedPiece, _ value: Value) throws(Unsayable) -> SQL? {
    guard let bound = try binding(value, for: piece.type) else { return nil }
    return "\(piece.piece) = \(bind: bound)"
  }

  package func differs(_ piece: TypedPiece, _ value: Value) throws(Unsayable) -> SQL? {
    guard let bound = try binding(value, for: piece.type) else { return nil }
    return "\(piece.piece) IS NOT \(bind: bound)"
  }

  /// Returns the comparison with a value; a date can be compared with a number of seconds, as in Apple's
  /// store.
  package func ordered(
    _ piece: TypedPiece,
    _ relation: Relation,
    _ value: Value
  ) throws(Unsayable) -> SQL? {
    var bound: Binding?
    if piece.type == .date, let number = value.number { bound = .double(number) }
    if bound == nil { bound = try binding(value, for: piece.type) }
    return bound.map { "\(piece.piece) \(name: relation.spelling) \(bind: $0)" }
  }

  package func isOne(
    _ piece: TypedPiece,
    of values: [Value],
    _ options: TextOptions,
    isAlone: Bool
  ) throws(Unsayable) -> SQL? {
    var bound: [Binding] = []
    bound.reserveCapacity(values.count)
    for value in values {
      if let binding = try binding(value, for: piece.type) { bound.append(binding) }
    }
    if bound.isEmpty, !isAlone { return nil }
    if options.isEmpty || piece.type != .text { return "\(piece.piece) IN \(listed(bound))" }
    if bound.count > SQL.listLimit, let list = JSONList.text(bound) {
      let call = textCall(.equal, piece.piece, "value", options: options)
      let found: SQL = "EXISTS (SELECT 1 FROM json_each(\(bind: .text(list))) WHERE \(call))"
      return found.with(.hasSubselect)
    }
    let calls = bound.map { textCall(.equal, piece.piece, SQL(bind: $0), options: options) }
    return SQL.joined(calls, with: " OR ")
  }

  private func listed(_ values: [Binding]) -> SQL {
    if values.count > SQL.listLimit, let list = JSONList.text(values) {
      return SQL.elements(ofJSON: list)
    }
    return "(\(values.map { SQL(bind: $0) }.joined(separator: ", ")))"
  }

  // MARK: Two pieces

  package func same(_ one: TypedPiece, _ other: TypedPiece) -> SQL {
    if one.type.isComputed || other.type.isComputed {
      return "(\(one.piece) = \(other.piece) OR (\(one.absent) AND \(other.absent)))"
    }
    return "\(one.piece) IS \(other.piece)"
  }

  package func differ(_ one: TypedPiece, _ other: TypedPiece) -> SQL? {
    one.type.isComputed || other.type.isComputed ? nil : "\(one.piece) IS NOT \(other.piece)"
  }

  package func ordered(_ one: TypedPiece, _ relation: Relation, _ other: TypedPiece) -> SQL {
    "\(one.piece) \(name: relation.spelling) \(other.piece)"
  }
}
