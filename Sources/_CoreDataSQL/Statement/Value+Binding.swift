// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

extension Value {
  /// The binding of the value, with a decimal as the nearest double; nil if SQL cannot represent the value.
  package var plainBinding: Binding? {
    switch self {
    case .null: .null
    case .bool(let flag): .integer(flag ? 1 : 0)
    case .int(let number): .integer(number)
    case .double(let number), .date(let number): .double(number)
    case .decimal(let number): number.isNaN ? .text("NaN") : .double(number.nearestDouble)
    case .text(let text): .text(text)
    case .url(let url): .text(url.absoluteString)
    case .data(let data): .blob(data)
    case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
    default: nil
    }
  }

  /// The binding of the value; nil if a comparison with the value can differ between SQL and memory.
  ///
  /// For example, the binding is nil for a decimal with more digits than a double can represent.
  var exactBinding: Binding? {
    switch self {
    case .double(let number), .date(let number): number.isNaN ? nil : .double(number)
    case .decimal(let number) where !number.isNaN:
      Decimal(string: number.nearestDouble.description) == number
        ? .double(number.nearestDouble) : nil
    default: plainBinding
    }
  }

  var members: [Value]? {
    if case .collection(let collection) = self { collection.members } else { nil }
  }
}

extension Decimal {
  /// The nearest double; NaN for NaN.
  ///
  /// `NSDecimalNumber.doubleValue` can differ from the nearest double by some units in the last place.
  package var nearestDouble: Double { Double(description) ?? .nan }
}
