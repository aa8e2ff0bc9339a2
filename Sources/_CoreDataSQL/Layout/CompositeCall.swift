// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The SQL function of this library that returns the columns of a composite attribute as one record.
package enum CompositeCall {
  package static let name = "CDComposite"

  private static let letters: [(SlotKind, Character)] = [
    (.integer, "i"), (.boolean, "b"), (.double, "r"), (.date, "d"), (.decimal, "n"), (.text, "t"),
    (.url, "u"), (.uuid, "g"), (.data, "x"), (.opaque, "o"),
  ]

  /// Returns the function's first argument: a letter for each column.
  static func text(_ kinds: [SlotKind]) -> String {
    String(kinds.map { kind in letters.first { $0.0 == kind }?.1 ?? "x" })
  }

  /// Returns the kinds of the columns that the function's first argument describes; an unknown letter stands
  /// for data.
  package static func kinds(_ text: String) -> [SlotKind] {
    text.map { letter in letters.first { $0.1 == letter }?.0 ?? .data }
  }
}
