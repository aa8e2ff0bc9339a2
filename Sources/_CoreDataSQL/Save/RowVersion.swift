// SPDX-License-Identifier: Apache-2.0

/// `Z_OPT`, the version that every save of a row increments, in the form that objects and statements use.
///
/// Objects keep 32 bits of the version. A file can contain NULL or a number of more than 32 bits as a
/// version. The statements of a save read NULL as 0, and only the lowest 32 bits of a number, so such a row
/// is saved and checked like any other row.
/// Source: this library's choice.
package enum RowVersion {
  /// The SQL expression for a row's version as objects keep it: the lowest 32 bits, or 0 for NULL.
  package static let stored = "(IFNULL(Z_OPT, 0) & 4294967295)"
  static let raised = "Z_OPT = \(stored) + 1"
  static let isExpected = "\(stored) = ?"
}
