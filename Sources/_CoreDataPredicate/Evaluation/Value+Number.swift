// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension Value {
  /// The value as a real number; nil for a value that is not a number.
  package var number: Double? {
    switch self {
    case .bool(let flag): flag ? 1 : 0
    case .int(let number): Double(number)
    case .double(let number): number
    // The nearest number; `NSDecimalNumber.doubleValue` differs from it in the last digits.
    case .decimal(let number): Double(number.description) ?? .nan
    default: nil
    }
  }

  /// The value without its fraction; nil for a value that is not a number, and for one that is too large.
  package var truncated: Int64? {
    switch self {
    case .bool(let flag): flag ? 1 : 0
    case .int(let number): number
    default: number.flatMap { Int64(exactly: $0.rounded(.towardZero)) }
    }
  }
}

extension Double {
  /// The number as a decimal, nil where a decimal cannot hold it.
  package var asDecimal: Decimal? {
    isFinite && abs(self) < 1e120 ? Decimal(self) : nil
  }
}
