// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// One level of an order: a key path, a direction and a way to compare.
package struct SortKey: Hashable, Sendable {
  package enum Comparison: Hashable, Sendable {
    /// `compare:`: numbers and dates by size, texts by the bytes of their UTF-8 as SQLite's BINARY does.
    case standard
    /// `caseInsensitiveCompare:`
    case caseInsensitive
    /// `localizedCompare:`
    case localized
    /// `localizedCaseInsensitiveCompare:`
    case localizedCaseInsensitive
    /// `localizedStandardCompare:`
    case localizedStandard
    /// A comparator block, or a selector that the store cannot know.
    case opaque(OpaqueOrder)
  }
  package var keyPath: String
  package var ascending: Bool
  package var comparison: Comparison
  package init(_ keyPath: String, ascending: Bool = true, comparison: Comparison = .standard) {
    self.keyPath = keyPath
    self.ascending = ascending
    self.comparison = comparison
  }
}

/// An order that only its owner can tell; equal to itself alone.
package final class OpaqueOrder: Hashable, @unchecked Sendable {
  // Unchecked: the closure is the user's, and runs where objects are sorted.
  /// Negative, zero or positive, as in `ComparisonResult`.
  package let compare: (_ left: Value, _ right: Value) -> Int
  package init(_ compare: @escaping (_ left: Value, _ right: Value) -> Int) {
    self.compare = compare
  }
  package static func == (left: OpaqueOrder, right: OpaqueOrder) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
