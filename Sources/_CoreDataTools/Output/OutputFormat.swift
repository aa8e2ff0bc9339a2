// SPDX-License-Identifier: Apache-2.0

/// The forms in which rows are written.
package enum OutputFormat: String, Sendable, CaseIterable {
  /// Columns for people.
  case table
  /// One array of objects.
  case json
  /// One object a line.
  case ndjson
  /// RFC 4180, with a line of names first.
  case csv
}
