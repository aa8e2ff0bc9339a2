// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
/// Identifiers as statements contain them.
package enum PostgresName {
  /// Returns a text as a literal.
  static func literal(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  /// Returns an identifier in quotes.
  package static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
#endif
