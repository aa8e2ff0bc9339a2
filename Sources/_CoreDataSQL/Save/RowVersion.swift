// SPDX-License-Identifier: Apache-2.0

/// `Z_OPT`, the version that every save of a row raises, as objects and statements see it.
///
/// Objects keep 32 bits of it. A file may have NULL or any other number there, so statements compare and
/// raise those 32 bits, and such a row is saved and checked like others. Source: chosen.
package enum RowVersion {
  /// The version as an object has it.
  package static let stored = "(IFNULL(Z_OPT, 0) & 4294967295)"
  /// The assignment that raises it.
  static let raised = "Z_OPT = \(stored) + 1"
  /// The condition that it is still the bound one.
  static let isExpected = "\(stored) = ?"
}
