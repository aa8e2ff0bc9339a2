// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

/// A word of a format with its place.
struct FormatToken {
  enum Kind: Equatable {
    /// A word as written, and in capitals for comparison with keywords.
    case word(String, upper: String)
    /// `#like`: always a key.
    case escaped(String)
    /// `@count`, the sign included.
    case collectionOperator(String)
    case variable(String)
    case integer(Int64)
    case real(Double)
    case text(String)
    case objectPlaceholder
    case keyPlaceholder
    case integerPlaceholder
    case realPlaceholder
    case symbol(String)
    case end
  }
  let kind: Kind
  /// In bytes of the format's UTF-8.
  let range: Range<Int>
}
