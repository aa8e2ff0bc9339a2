// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension Function {
  /// Returns the result of `CAST(value, "class")`; null if `value` is null, even if the class is not
  /// supported.
  ///
  /// Numbers are converted to dates, and dates to numbers, as seconds since January 1, 2001. The result is
  /// null for a string that cannot be parsed as a number, UUID or URL.
  /// Source: documented (NSExpression, `castObject:toType:`) for strings, numbers and dates; this library's
  /// choice for other values.
  /// - Throws: `EvaluationError` if `type` is not a string, for an unsupported class, and for a value that
  ///   cannot be converted to the class.
  static func cast(_ value: Value, to type: Value) throws -> Value {
    guard case .text(let name) = type else {
      throw EvaluationError(
        .invalidArgument,
        "CAST needs the name of a class as its second argument, not \(type.kindName)"
      )
    }
    if value.isNull { return .null }
    if let result = cast(value, name) { return result }
    guard classNames.contains(name) else {
      throw EvaluationError(
        .invalidArgument,
        "Can't cast to the class \(name); the supported classes are "
          + classNames.joined(separator: ", ")
      )
    }
    throw EvaluationError(.invalidArgument, "Can't cast \(value.kindName) to \(name)")
  }

  private static let classNames = [
    "NSString", "NSNumber", "NSDecimalNumber", "NSDate", "NSUUID", "NSURL", "NSData", "NSArray",
    "NSSet", "NSOrderedSet",
  ]

  private static func cast(_ value: Value, _ name: String) -> Value? {
    switch name {
    case "NSString": .text(value.plainText)
    case "NSNumber": number(value)
    case "NSDecimalNumber": decimal(value)
    case "NSDate": date(value)
    case "NSUUID": uuid(value)
    case "NSURL": url(value)
    case "NSData": data(value)
    case "NSArray": collection(value, .array)
    case "NSSet": collection(value, .set)
    case "NSOrderedSet": collection(value, .orderedSet)
    default: nil
    }
  }

  private static func number(_ value: Value) -> Value? {
    switch value {
    case .date(let seconds): .double(seconds)
    case .text(let text): Double(text).map(Value.double) ?? .null
    default: value.number == nil ? nil : value
    }
  }

  private static func decimal(_ value: Value) -> Value? {
    switch value {
    case .decimal: value
    case .int(let number): .decimal(Decimal(number))
    case .text(let text): Decimal(string: text).map(Value.decimal) ?? .null
    case .date(let seconds): seconds.asDecimal.map(Value.decimal)
    default: value.number?.asDecimal.map(Value.decimal)
    }
  }

  private static func date(_ value: Value) -> Value? {
    if case .date = value { return value }
    return value.number.map(Value.date)
  }

  private static func uuid(_ value: Value) -> Value? {
    switch value {
    case .uuid: value
    case .text(let text): UUID(uuidString: text).map(Value.uuid) ?? .null
    default: nil
    }
  }

  private static func url(_ value: Value) -> Value? {
    switch value {
    case .url: value
    case .text(let text): URL(string: text).map(Value.url) ?? .null
    default: nil
    }
  }

  private static func data(_ value: Value) -> Value? {
    switch value {
    case .data: value
    case .text(let text): .data(Data(text.utf8))
    default: nil
    }
  }

  private static func collection(_ value: Value, _ kind: ValueCollection.Kind) -> Value? {
    guard case .collection(let collection) = value else { return nil }
    if collection.kind == kind { return value }
    let members =
      kind == .array ? collection.members : ValueCollection.distinct(collection.members)
    return .collection(ValueCollection(kind, members))
  }
}
