// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension SortKey {
  /// Compares two values of the key path, taking the direction into account; returns a negative number, zero
  /// or a positive number.
  ///
  /// Unless the comparison is opaque, null is first in ascending and last in descending order, and values of
  /// different kinds are ordered by kind. Source: documented (Sort Descriptor Programming Topics) and
  /// observed on SQLite.
  package func compare(_ left: Value, _ right: Value) -> Int {
    let order = comparison.order(left, right)
    // `signum()` first, because negating `Int.min` would overflow.
    return ascending ? order : -order.signum()
  }
}

extension SortKey.Comparison {
  /// Compares two values in ascending order; returns a negative number, zero or a positive number.
  package func order(_ left: Value, _ right: Value) -> Int {
    switch (self, left, right) {
    case (.opaque(let opaque), _, _): opaque.compare(left, right)
    case (_, .null, .null): 0
    case (_, .null, _): -1
    case (_, _, .null): 1
    case (_, .text(let a), .text(let b)): order(a, b)
    default: left.order(to: right) ?? Self.rankOrder(left, right)
    }
  }

  /// Compares two values that `Value.order(to:)` cannot compare, by the rank of their kinds.
  ///
  /// Values of one kind are equal, except that NaN comes before all other numbers.
  private static func rankOrder(_ left: Value, _ right: Value) -> Int {
    let rank = left.rank - right.rank
    if rank != 0 { return rank }
    let (isNaN, isOtherNaN) = (left.number?.isNaN == true, right.number?.isNaN == true)
    return isNaN == isOtherNaN ? 0 : isNaN ? -1 : 1
  }

  private func order(_ left: String, _ right: String) -> Int {
    var left = left
    var right = right
    return left.withUTF8 { a in right.withUTF8 { b in order(a, b) } }
  }

  /// Compares two UTF-8 texts in ascending order; returns a negative number, zero or a positive number.
  ///
  /// An opaque comparison needs values, so `.opaque` compares the bytes instead.
  package func order(
    _ left: UnsafeBufferPointer<UInt8>,
    _ right: UnsafeBufferPointer<UInt8>
  ) -> Int {
    switch self {
    case .standard, .opaque: return TextSearch.compare(left, right)
    case .caseInsensitive: return TextFolding(.caseInsensitive).order(left, right)
    case .localized, .localizedCaseInsensitive, .localizedStandard:
      if let rule, let order = LetterOrder.current?.order(left, right, rule) { return order }
      return foundationOrder(
        String(decoding: left, as: UTF8.self),
        String(decoding: right, as: UTF8.self)
      )
    }
  }

  /// Compares two texts with Foundation, which is slow; returns -1, 0 or 1.
  package func foundationOrder(_ left: String, _ right: String) -> Int {
    switch self {
    case .localizedCaseInsensitive: left.localizedCaseInsensitiveCompare(right).rawValue
    case .localizedStandard: left.localizedStandardCompare(right).rawValue
    default: left.localizedCompare(right).rawValue
    }
  }

  var rule: LetterOrder.Rule? {
    switch self {
    case .localized: .all
    case .localizedCaseInsensitive: .caseInsensitive
    case .localizedStandard: .numeric
    case .standard, .caseInsensitive, .opaque: nil
    }
  }
}

extension Value {
  fileprivate var rank: Int {
    switch self {
    case .null: 0
    case .bool, .int, .double, .decimal: 1
    case .date: 2
    case .text: 3
    case .data: 4
    case .uuid: 5
    case .url: 6
    case .key, .object: 7
    case .collection: 8
    case .dictionary: 9
    case .opaque: 10
    }
  }
}
