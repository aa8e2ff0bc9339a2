// SPDX-License-Identifier: Apache-2.0

/// The format in which rows are written.
package enum OutputFormat: String, Sendable, CaseIterable {
  /// Aligned columns, for reading in a terminal.
  case table
  /// A JSON array with an object for each row.
  case json
  /// NDJSON: a line with a JSON object for each row.
  case ndjson
  /// CSV with a header line, quoted as in RFC 4180.
  case csv
}
