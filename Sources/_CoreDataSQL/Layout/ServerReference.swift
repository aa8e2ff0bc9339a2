// SPDX-License-Identifier: Apache-2.0

/// A foreign key: a column that refers to the primary key of a table.
package struct ServerReference: Sendable, Hashable {
  package let table: String
  package let column: String
  package let destination: String
  /// Whether the column belongs to the table of a many-to-many relationship, whose rows are deleted with the
  /// rows to which they refer.
  package let isJoin: Bool
}
