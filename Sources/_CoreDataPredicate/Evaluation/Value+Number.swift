// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension Value {
  /// The value as a `Double`; nil for a value that is neither a number nor a Boolean.
  package var number: Double? {
    switch self {
    case .bool(let flag): flag ? 1 : 0
    case .int(let number): Double(number)
    case .double(let number): number
    // Parsing gives the nearest `Double`, unlike `NSDecimalNumber.doubleValue`.
    case .decimal(let number): Double(number.description) ?? .nan
    default: nil
    }
  }

  /// The number rounded toward zero; nil for NaN and for a number out of the range of `Int64`.
  ///
  /// Also nil for a value that is neither a number nor a Boolean.
  package var truncated: Int64? {
    switch self {
    case .bool(let flag): flag ? 1 : 0
    case .int(let number): number
    default: number.flatMap { Int64(exactly: $0.rounded(.towardZero)) }
    }
  }
}

extension Double {
  /// The number as a decimal; nil if the number is not finite, or if its magnitude is 10^120 or more.
  package var asDecimal: Decimal? {
    isFinite && abs(self) < 1e120 ? Decimal(self) : nil
  }
}
