// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Converts attribute values between Apple's API (`Any`) and the core, by attribute type.
///
/// Numbers and Booleans are returned as `NSNumber`.
package enum AttributeValue {
  /// Returns the core's value for an attribute of `type`; nil if `any` cannot be converted to such a value.
  ///
  /// Nil and `NSNull` are converted to `.null`. The ranges of 16-bit and 32-bit integers are not checked.
  package static func value(_ any: Any?, as type: _CoreDataModel.AttributeType) -> Value? {
    guard let any, !(any is NSNull) else { return .null }
    switch type {
    case .integer16, .integer32, .integer64: return whole(any).map(Value.int)
    case .boolean: return (any as? Bool).map(Value.bool) ?? whole(any).map { .bool($0 != 0) }
    case .double, .float: return fraction(any).map(Value.double)
    case .decimal: return decimal(any).map(Value.decimal)
    case .string: return (any as? String).map(Value.text)
    case .date: return (any as? Date).map { .date($0.timeIntervalSinceReferenceDate) }
    case .binaryData: return (any as? Data).map(Value.data)
    case .uuid: return (any as? UUID).map(Value.uuid)
    case .uri: return (any as? URL).map(Value.url)
    case .undefined, .transformable, .objectID, .composite: return .opaque(any)
    }
  }

  /// Returns the value for Apple's API; nil for `.null` and for values that attributes cannot have.
  package static func any(_ value: Value) -> Any? {
    switch value {
    case .bool(let flag): NSNumber(value: flag)
    case .int(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .decimal(let number): NSDecimalNumber(decimal: number)
    case .text(let text): text
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let data): data
    case .uuid(let uuid): uuid
    case .url(let url): url
    case .opaque(let any): any
    case .null, .key, .object, .collection, .dictionary: nil
    }
  }

  private static func whole(_ any: Any) -> Int64? {
    if let number = any as? any BinaryInteger { return Int64(exactly: number) }
    if let flag = any as? Bool { return flag ? 1 : 0 }
    return (any as? NSNumber)?.int64Value
  }

  private static func fraction(_ any: Any) -> Double? {
    if let number = any as? Double { return number }
    if let number = any as? Float { return Double(number) }
    if let number = any as? any BinaryInteger { return Double(exactly: number) ?? Double(number) }
    if let number = any as? Decimal { return NSDecimalNumber(decimal: number).doubleValue }
    return (any as? NSNumber)?.doubleValue
  }

  private static func decimal(_ any: Any) -> Decimal? {
    if let number = any as? Decimal { return number }
    if let number = any as? NSDecimalNumber { return number.decimalValue }
    if let number = any as? any BinaryInteger { return Int64(exactly: number).map { Decimal($0) } }
    if let number = any as? Double { return Decimal(number) }
    return (any as? NSNumber)?.decimalValue
  }
}
