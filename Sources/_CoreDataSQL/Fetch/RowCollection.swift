// SPDX-License-Identifier: Apache-2.0

/// Statements that pass their rows to an aggregate while the engine scans the table, instead of returning one
/// row per `sqlite3_step`.
///
/// Only statements without an order, limit or offset have this form, because an aggregate over an ordered
/// subquery would cost an additional copy of every row. The form is marked by `SQL.Traits.collectsRows`.
package enum RowCollection {
  /// The name of this library's SQL aggregate, which receives the columns of each row and returns NULL.
  package static let function = "CDRow"
  /// The maximum number of columns besides `Z_PK`, `Z_OPT` and `Z_ENT`; wider rows are returned one per step.
  ///
  /// Source: SQLite, “Implementation Limits”: a function has at most 127 arguments.
  static let widest = 100

  static func call(_ columns: SQL) -> SQL { "\(function: function)(\(columns))" }
}
