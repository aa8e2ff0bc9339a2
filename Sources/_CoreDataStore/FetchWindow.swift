// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// The limit and offset that a fetch applies to its ordered results.
package struct FetchWindow: Sendable, Hashable {
  /// The maximum number of elements; 0 for no limit.
  package let limit: Int
  package let offset: Int

  /// An upper bound for limits and offsets, greater than the number of rows of any store.
  ///
  /// Larger limits and offsets are reduced to this number, so that the sum of both cannot overflow.
  package static let most = 1 << 48

  package init(_ description: FetchDescription) {
    limit = max(0, description.limit)
    offset = max(0, description.offset)
  }

  package var isWhole: Bool { limit == 0 && offset == 0 }
  /// The number of leading elements that are needed to fill the window; `Int.max` without a limit.
  package var needed: Int { limit > 0 ? offset + limit : .max }

  /// Returns how many of `count` elements are in the window.
  package func size(of count: Int) -> Int {
    let rest = max(0, count - offset)
    return limit > 0 ? min(limit, rest) : rest
  }

  package func cut<Element>(_ elements: [Element]) -> [Element] {
    if isWhole { return elements }
    let rest = elements.dropFirst(offset)
    return Array(limit > 0 ? rest.prefix(limit) : rest)
  }

  /// Returns the fetch without an offset; its limit, if any, is increased by the offset and by `changed`.
  ///
  /// The widened fetch returns enough rows to fill the window of `description`, even if the caller then
  /// removes up to `changed` of them or inserts up to `changed` others.
  package static func widened(_ description: FetchDescription, by changed: Int) -> FetchDescription
  {
    var wide = description
    wide.offset = 0
    if description.limit > 0 { wide.limit = description.limit + description.offset + changed }
    return wide
  }
}

extension Condition {
  /// Returns a condition that is true for the objects with these keys.
  package static func isMember(_ keys: [ObjectKey]) -> Condition {
    let list = Value.collection(ValueCollection(.set, keys.map(Value.key)))
    return .comparison(Comparison(.evaluatedObject, .in, .constant(Constant(list))))
  }
}
