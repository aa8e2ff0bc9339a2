// SPDX-License-Identifier: Apache-2.0

/// Statements that pass their rows to an aggregate while the engine scans them, instead of returning each row
/// with a step.
///
/// Used only for rows without an order and without a limit, because an aggregate over an ordered subquery
/// would cost an additional copy of every row. Such a statement has the trait `SQL.Traits.collectsRows`.
package enum RowCollection {
  /// The engine's aggregate, which receives the columns of a row and returns NULL.
  package static let function = "CDRow"
  /// Rows with more columns than this are read step by step; `Z_PK`, `Z_OPT` and `Z_ENT` are not counted.
  ///
  /// Source: SQLite, “Implementation Limits”: a function has at most 127 arguments.
  static let widest = 100

  static func call(_ columns: SQL) -> SQL { "\(function: function)(\(columns))" }
}
