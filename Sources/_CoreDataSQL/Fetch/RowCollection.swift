// SPDX-License-Identifier: Apache-2.0

/// Statements whose rows an aggregate takes while the engine walks over them, instead of a step each.
///
/// For rows that come in no order and without a limit: an aggregate over an ordered subquery would have
/// every row copied once more.
package enum RowCollection {
  /// The engine's aggregate: takes the columns of a row, and gives NULL.
  package static let function = "CDRow"
  /// More columns than this are read step by step.
  ///
  /// Source: SQLite, “Implementation Limits” (127).
  static let widest = 100

  /// Whether a statement is such a one.
  package static func isIn(_ text: String) -> Bool { text.hasPrefix("SELECT \(function)(") }
}
