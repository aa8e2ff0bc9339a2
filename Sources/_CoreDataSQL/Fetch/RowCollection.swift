// SPDX-License-Identifier: Apache-2.0

/// Statements whose rows an aggregate receives while the engine walks over them, instead of a step each.
///
/// For rows that come in no order and without a limit: an aggregate over an ordered subquery would have
/// every row copied once more. Such a statement has the trait `SQL.Traits.collectsRows`.
package enum RowCollection {
  /// The engine's aggregate: receives the columns of a row, and returns NULL.
  package static let function = "CDRow"
  /// Rows with more columns than this are read step by step.
  ///
  /// Source: SQLite, “Implementation Limits” (127).
  static let widest = 100

  /// The call that receives the columns of each row.
  static func call(_ columns: SQL) -> SQL { "\(function: function)(\(columns))" }
}
