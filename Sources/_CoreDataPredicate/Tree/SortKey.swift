// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// One level of a sort order: a key path, a direction and a comparison.
package struct SortKey: Hashable, Sendable {
  package enum Comparison: Hashable, Sendable {
    /// `compare:`; compares numbers and dates by size, and strings by their UTF-8 bytes, as SQLite's BINARY
    /// collation does.
    case standard
    /// `caseInsensitiveCompare:`
    case caseInsensitive
    /// `localizedCompare:`
    case localized
    /// `localizedCaseInsensitiveCompare:`
    case localizedCaseInsensitive
    /// `localizedStandardCompare:`
    case localizedStandard
    /// A comparator block, which a store does not support.
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

/// An order that is defined by a closure; it equals only itself.
package final class OpaqueOrder: Hashable, @unchecked Sendable {
  // Unchecked: the program supplies the closure, which runs on the thread that sorts.
  /// Returns a negative number, zero or a positive number, like the raw value of a `ComparisonResult`.
  package let compare: (_ left: Value, _ right: Value) -> Int
  package init(_ compare: @escaping (_ left: Value, _ right: Value) -> Int) {
    self.compare = compare
  }
  package static func == (left: OpaqueOrder, right: OpaqueOrder) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
