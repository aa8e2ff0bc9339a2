// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension Value {
  /// The value as a real number, nil for what is no number.
  package var number: Double? {
    switch self {
    case .bool(let flag): flag ? 1 : 0
    case .int(let number): Double(number)
    case .double(let number): number
    // The nearest one, from which `NSDecimalNumber.doubleValue` is off by some last places.
    case .decimal(let number): Double(number.description) ?? .nan
    default: nil
    }
  }

  /// The value without its fraction, nil for what is no number or too large.
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
