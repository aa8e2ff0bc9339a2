// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The SQL of PostgreSQL 13 or later, without functions or collations of this library.
///
/// The text columns of a store have the collation `C`; a statement still names the collation wherever it
/// matters. A column of numbers contains no NaN. A number with which SQL calculates, and which is not a column
/// or constant, is `mixed` or `computed`, because the server raises an error where memory gives an infinite
/// number or changes from integers to floating-point numbers.
package struct PostgresDialect: Dialect {
  package init() {}

  package var columns: RowColumns { RowColumns(key: "z_pk", entity: "z_ent", version: "z_opt") }
  package var always: SQL { "TRUE" }
  package var never: SQL { "FALSE" }
  package var hasBounds: Bool { true }
  package var groupsStrictly: Bool { true }

  // MARK: Statements

  package func statement(_ piece: SQL) -> Statement {
    let shares = piece.traits.contains(.sharesValues)
    var numbers: [Binding: Int] = [:]
    var text = ""
    var bindings: [Binding] = []
    for segment in piece.segments {
      switch segment {
      case .text(let piece): text += piece
      case .qualifier(let table):
        text += table
        text += "."
      case .value(.null): text += "NULL"
      case .value(let value):
        if shares, let number = numbers[value] {
          text += Self.parameter(number, value)
          continue
        }
        bindings.append(value)
        numbers[value] = bindings.count
        text += Self.parameter(bindings.count, value)
      }
    }
    return Statement(text: text, bindings: bindings, traits: piece.traits)
  }

  private static func parameter(_ number: Int, _ value: Binding) -> String {
    let type =
      switch value {
      case .null, .text: "text"
      case .integer: "bigint"
      case .double: "double precision"
      case .blob: "bytea"
      case .converted(_, let type): type.name
      }
    return "$\(number)::\(type)"
  }

  package func comparison(with keys: KeyCount) -> SQL {
    switch keys {
    case .one: "= $1::bigint"
    case .range: "BETWEEN $1::bigint AND $2::bigint"
    case .list: "= ANY($1::bigint[])"
    }
  }

  package func isOne(_ key: SQL, of numbers: [Int64]) -> SQL {
    "\(key) = ANY(\(bind: Self.array(numbers.map { String($0) }, .integers)))"
  }

  package func window(limit: Int, offset: Int) -> SQL {
    var clauses: [SQL] = []
    if limit > 0 { clauses.append("LIMIT \(bind: .integer(Int64(limit)))") }
    if offset > 0 { clauses.append("OFFSET \(bind: .integer(Int64(offset)))") }
    return clauses.joined(separator: " ")
  }

  package func count(of select: SQL) -> SQL { "SELECT COUNT(*) FROM (\(select)) AS c" }

  /// Returns the piece; for a number that is an integer or a floating-point number, a record of both, of which
  /// the first that is not NULL is the number.
  package func column(_ piece: TypedPiece) -> SQL {
    guard case .mixed(let real, _) = piece.type else { return piece.piece }
    return "ROW(\(piece.piece), \(real))"
  }

  package func record(_ columns: [SQL], _ kinds: [SlotKind]) -> SQL {
    "ROW(\(columns.joined(separator: ", ")))"
  }

  /// The greatest number of nested conditions, far below the server's limit for the depth of its stack.
  private static let height = 200

  package func obstacle(_ piece: SQL, height: Int, leaving depth: Int) -> String? {
    if height > Self.height { return "a predicate that is nested too deeply for PostgreSQL" }
    let hasZero = piece.segments.contains { segment in
      if case .value(.text(let text)) = segment { text.utf8.contains(0) } else { false }
    }
    return hasZero ? "a text with a null character, which PostgreSQL cannot hold" : nil
  }

  package func order(
    _ piece: TypedPiece,
    _ comparison: SortKey.Comparison,
    ascending: Bool
  ) throws -> SQL {
    _ = try Collation(comparison)
    let direction = ascending ? "NULLS FIRST" : "DESC NULLS LAST"
    switch piece.type {
    case .text:
      if comparison != .standard {
        throw Unsayable(
          "sorting by the rules of a language, which PostgreSQL does not have exactly"
        )
      }
      return "\(piece.piece) COLLATE \"C\" \(name: direction)"
    case .url: return "\(piece.piece) COLLATE \"C\" \(name: direction)"
    case .any, .sealed, .mixed: throw Unsayable("sorting by \(piece.type.kindName)")
    default: return "\(piece.piece) \(name: direction)"
    }
  }

  package func indexElement(_ text: String, isColumn: Bool, ascending: Bool) -> String {
    let direction = ascending ? "ASC NULLS FIRST" : "DESC NULLS LAST"
    return isColumn ? "\(text) \(direction)" : "(\(text)) \(direction)"
  }

  package func literal(_ value: Binding) -> String {
    let (text, type): (String?, String) =
      switch value {
      case .null: (nil, "text")
      case .integer(let number): (String(number), "bigint")
      case .double(let number):
        (
          number.isInfinite ? number < 0 ? "-Infinity" : "Infinity" : "\(number)",
          "double precision"
        )
      case .text(let text): (text, "text")
      case .blob(let data):
        ("\\x" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(), "bytea")
      case .converted(let text, let type): (text, type.name)
      }
    guard let text else { return "NULL::\(type)" }
    return "'\(text.replacing("'", with: "''"))'::\(type)"
  }
}
#endif
