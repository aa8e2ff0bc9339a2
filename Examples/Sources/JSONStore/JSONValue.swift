// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The value of an attribute in a JSON file.
///
/// Numbers and flags are JSON's own; dates are seconds since 2001; decimals, UUIDs and URLs are texts, and data is
/// Base64.
enum JSONValue: Codable, Sendable {
  case flag(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // The errors are dropped: a value of another kind is tried next.
    if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .flag(let flag): try container.encode(flag)
    case .integer(let integer): try container.encode(integer)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }

  // MARK: Attributes

  /// Creates the form in a file of an attribute's value.
  ///
  /// - Throws: `CocoaError.coderInvalidValue` for a type that JSON files of this example cannot hold.
  init(_ value: Any, of attribute: NSAttributeDescription) throws {
    switch (attribute.attributeType, value) {
    case (.booleanAttributeType, let flag as Bool): self = .flag(flag)
    case (.stringAttributeType, let text as String): self = .text(text)
    case (.UUIDAttributeType, let uuid as UUID): self = .text(uuid.uuidString)
    case (.URIAttributeType, let url as URL): self = .text(url.absoluteString)
    case (.dateAttributeType, let date as Date):
      self = Self.finite(date.timeIntervalSinceReferenceDate)
    case (.binaryDataAttributeType, let data as Data): self = .text(data.base64EncodedString())
    case (.decimalAttributeType, let number as Decimal): self = .text("\(number)")
    case (.decimalAttributeType, let number as NSDecimalNumber): self = .text("\(number)")
    case (.integer16AttributeType, _), (.integer32AttributeType, _), (.integer64AttributeType, _):
      guard let number = Self.number(value) else {
        throw JSONStoreError.unsupported(attribute, value)
      }
      self = .integer(number.int64Value)
    case (.doubleAttributeType, _), (.floatAttributeType, _):
      guard let number = Self.number(value) else {
        throw JSONStoreError.unsupported(attribute, value)
      }
      self = Self.finite(number.doubleValue)
    default:
      throw JSONStoreError.unsupported(attribute, value)
    }
  }

  /// Returns a number of Swift or Foundation; nil for any other value.
  static func number(_ value: Any) -> NSNumber? {
    switch value {
    case let number as NSNumber: number
    case let number as any BinaryInteger: NSNumber(value: Int64(truncatingIfNeeded: number))
    case let number as Double: NSNumber(value: number)
    case let number as Float: NSNumber(value: number)
    default: nil
    }
  }

  /// JSON has no infinities, no NaN and no negative zero.
  private static func finite(_ number: Double) -> JSONValue {
    number.isFinite && !(number == 0 && number.sign == .minus)
      ? .number(number) : .text("\(number)")
  }

  /// Returns the attribute's value; nil if the attribute cannot have this value.
  func value(of attribute: NSAttributeDescription) -> Any? {
    switch (attribute.attributeType, self) {
    case (.booleanAttributeType, .flag(let flag)): NSNumber(value: flag)
    case (.stringAttributeType, .text(let text)): text
    case (.UUIDAttributeType, .text(let text)): UUID(uuidString: text)
    case (.URIAttributeType, .text(let text)): URL(string: text)
    case (.binaryDataAttributeType, .text(let text)): Data(base64Encoded: text)
    case (.dateAttributeType, _):
      double.map { Date(timeIntervalSinceReferenceDate: $0) }
    case (.decimalAttributeType, .text(let text)): Self.decimal(text)
    case (.integer16AttributeType, .integer(let number)):
      Int16(exactly: number).map { NSNumber(value: $0) }
    case (.integer32AttributeType, .integer(let number)):
      Int32(exactly: number).map { NSNumber(value: $0) }
    case (.integer64AttributeType, .integer(let number)): NSNumber(value: number)
    case (.doubleAttributeType, _): double.map { NSNumber(value: $0) }
    case (.floatAttributeType, _): double.map { NSNumber(value: Float($0)) }
    default: nil
    }
  }

  private var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    case .text(let text): Double(text)
    case .flag: nil
    }
  }

  private static func decimal(_ text: String) -> NSDecimalNumber? {
    if text == "NaN" { return NSDecimalNumber.notANumber }
    // Foundation reads only the beginning of a text that is not a number.
    guard Double(text) != nil, let number = Decimal(string: text) else { return nil }
    return NSDecimalNumber(decimal: number)
  }
}
