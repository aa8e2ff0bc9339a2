// SPDX-License-Identifier: Apache-2.0

import _CoreDataPredicate

/// A call of `CDText(subject, other, code)`, the SQL function that compares two texts.
///
/// The function returns 1 or 0; it returns NULL if a text is NULL or a pattern is invalid.
package struct TextCall: Sendable {
  package static let name = "CDText"
  /// The SQLite result code for a comparison that throws an error; SQLite itself does not use this code.
  package static let failure: Int32 = 1 | 77 << 8
  package let relation: Relation
  package let options: TextOptions

  package var code: Int64 { Int64(relation.rawValue << 8 | options.rawValue) }

  package init(_ relation: Relation, _ options: TextOptions) {
    self.relation = relation
    self.options = options
  }

  package init?(code: Int64) {
    guard code >= 0, let relation = Relation(rawValue: UInt(code) >> 8) else { return nil }
    self.relation = relation
    options = TextOptions(rawValue: UInt(code) & 0xFF)
  }
}
