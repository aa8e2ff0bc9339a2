// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The type of an attribute's values; raw values are Apple's and part of the version hash.
///
/// Source: documented, “NSAttributeType”.
public enum NSAttributeType: UInt, Sendable {
  /// No type; valid only for transient attributes.
  case undefinedAttributeType = 0
  case integer16AttributeType = 100
  case integer32AttributeType = 200
  case integer64AttributeType = 300
  case decimalAttributeType = 400
  case doubleAttributeType = 500
  case floatAttributeType = 600
  case stringAttributeType = 700
  case booleanAttributeType = 800
  case dateAttributeType = 900
  case binaryDataAttributeType = 1000
  case UUIDAttributeType = 1100
  case URIAttributeType = 1200
  case transformableAttributeType = 1800
  case objectIDAttributeType = 2000
  case compositeAttributeType = 2100
}

extension NSAttributeDescription {
  /// The type of an attribute's values; raw values equal those of `NSAttributeType`.
  ///
  /// Source: documented, “NSAttributeDescription.AttributeType”.
  public struct AttributeType: Hashable, RawRepresentable, Sendable {
    /// The raw value, which equals that of the `NSAttributeType` case.
    public let rawValue: UInt
    /// Creates a type with any raw value, known or not.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// No type; valid only for transient attributes.
    public static let undefined = AttributeType(rawValue: 0)
    /// 16-bit integers.
    public static let integer16 = AttributeType(rawValue: 100)
    /// 32-bit integers.
    public static let integer32 = AttributeType(rawValue: 200)
    /// 64-bit integers.
    public static let integer64 = AttributeType(rawValue: 300)
    /// Decimal numbers with up to 38 significant digits.
    public static let decimal = AttributeType(rawValue: 400)
    /// 64-bit floating-point numbers.
    public static let double = AttributeType(rawValue: 500)
    /// 32-bit floating-point numbers.
    public static let float = AttributeType(rawValue: 600)
    /// Strings.
    public static let string = AttributeType(rawValue: 700)
    /// Booleans.
    public static let boolean = AttributeType(rawValue: 800)
    /// Dates.
    public static let date = AttributeType(rawValue: 900)
    /// Binary data.
    public static let binaryData = AttributeType(rawValue: 1000)
    /// UUIDs.
    public static let uuid = AttributeType(rawValue: 1100)
    /// URIs.
    public static let uri = AttributeType(rawValue: 1200)
    /// Objects that a value transformer converts to data.
    public static let transformable = AttributeType(rawValue: 1800)
    /// IDs of managed objects.
    public static let objectID = AttributeType(rawValue: 2000)
    /// Dictionaries with the values of the component attributes, by attribute name.
    public static let composite = AttributeType(rawValue: 2100)
  }
}

extension NSAttributeType {
  /// The core's type with the same raw value.
  package var core: _CoreDataModel.AttributeType {
    _CoreDataModel.AttributeType(rawValue: rawValue) ?? .undefined
  }
  package init(_ type: _CoreDataModel.AttributeType) {
    // A `switch` instead of `init(rawValue:)`, so that a core type without a public case fails to compile.
    self =
      switch type {
      case .undefined: .undefinedAttributeType
      case .integer16: .integer16AttributeType
      case .integer32: .integer32AttributeType
      case .integer64: .integer64AttributeType
      case .decimal: .decimalAttributeType
      case .double: .doubleAttributeType
      case .float: .floatAttributeType
      case .string: .stringAttributeType
      case .boolean: .booleanAttributeType
      case .date: .dateAttributeType
      case .binaryData: .binaryDataAttributeType
      case .uuid: .UUIDAttributeType
      case .uri: .URIAttributeType
      case .transformable: .transformableAttributeType
      case .objectID: .objectIDAttributeType
      case .composite: .compositeAttributeType
      }
  }
}
