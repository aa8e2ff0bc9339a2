// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import Foundation

extension SortKey {
  /// Negative, zero or positive for the values of the key path, the direction taken into account.
  ///
  /// Null comes first ascending, last descending; values of different kinds are ordered by kind.
  /// Source: documented (Sort Descriptor Programming Topics) and observed on SQLite.
  package func compare(_ left: Value, _ right: Value) -> Int {
    let order = comparison.order(left, right)
    return ascending ? order : -order
  }
}

extension SortKey.Comparison {
  /// Negative, zero or positive, ascending.
  package func order(_ left: Value, _ right: Value) -> Int {
    switch (self, left, right) {
    case (.opaque(let opaque), _, _): opaque.compare(left, right)
    case (_, .null, .null): 0
    case (_, .null, _): -1
    case (_, _, .null): 1
    case (_, .text(let a), .text(let b)): order(a, b)
    default: left.order(to: right) ?? left.rank - right.rank
    }
  }

  private func order(_ left: String, _ right: String) -> Int {
    switch self {
    case .standard, .opaque: return TextSearch.compare(left, right)
    case .caseInsensitive:
      let folding = TextFolding(.caseInsensitive)
      return folding.order(left, right)
    case .localized: return left.localizedCompare(right).rawValue
    case .localizedCaseInsensitive: return left.localizedCaseInsensitiveCompare(right).rawValue
    case .localizedStandard: return left.localizedStandardCompare(right).rawValue
    }
  }
}

extension TextFolding {
  /// Negative, zero or positive, by the folded bytes; nothing is allocated for ASCII.
  package func order(_ left: String, _ right: String) -> Int {
    var left = left
    var right = right
    return left.withUTF8 { a in
      right.withUTF8 { b in
        if ignoresCase, TextSearch.isASCII(a), TextSearch.isASCII(b) {
          return TextSearch.compareFoldedASCII(a, b)
        }
        return folded(a).withUnsafeBufferPointer { a in
          folded(b).withUnsafeBufferPointer { b in TextSearch.compare(a, b) }
        }
      }
    }
  }
}

extension TextSearch {
  static func compareFoldedASCII(
    _ left: UnsafeBufferPointer<UInt8>,
    _ right: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let shared = min(left.count, right.count)
    var at = 0
    while at < shared {
      let order = Int(TextFolding.lowercase(left[at])) - Int(TextFolding.lowercase(right[at]))
      if order != 0 { return order }
      at += 1
    }
    return left.count - right.count
  }
}

extension Value {
  /// The place of the kind among kinds that have no order between them.
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
