// SPDX-License-Identifier: Apache-2.0

/// The form of a statement's key parameters: one key, a range of keys, or a list of keys.
package enum KeyCount: Sendable {
  /// One key, bound as an integer.
  case one
  /// A range of keys, bound as two integers: the first and the last key.
  case range
  /// Any number of keys, bound as one value: in SQLite the text of a JSON array (`JSONList`), in PostgreSQL an
  /// array of bigint.
  case list
}
