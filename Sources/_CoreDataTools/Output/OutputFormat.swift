// SPDX-License-Identifier: Apache-2.0

/// The formats in which rows are written.
package enum OutputFormat: String, Sendable, CaseIterable {
  /// Aligned columns for reading in a terminal.
  case table
  /// One array of JSON objects.
  case json
  /// One JSON object per line.
  case ndjson
  /// CSV with a header line, and with quotation marks as in RFC 4180.
  case csv
}
