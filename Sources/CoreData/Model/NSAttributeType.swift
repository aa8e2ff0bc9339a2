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
    /// Integers from −32,768 to 32,767, as `Int16` or `NSNumber`.
    public static let integer16 = AttributeType(rawValue: 100)
    /// Integers from −2³¹ to 2³¹ − 1, as `Int32` or `NSNumber`.
    public static let integer32 = AttributeType(rawValue: 200)
    /// Integers from −2⁶³ to 2⁶³ − 1, as `Int64` or `NSNumber`.
    public static let integer64 = AttributeType(rawValue: 300)
    /// Decimal numbers with up to 38 significant digits; an SQLite store rounds them to the nearest `Double`.
    public static let decimal = AttributeType(rawValue: 400)
    /// 64-bit floating-point numbers, as `Double` or `NSNumber`.
    public static let double = AttributeType(rawValue: 500)
    /// 32-bit floating-point numbers, as `Float` or `NSNumber`.
    public static let float = AttributeType(rawValue: 600)
    /// `String` values of any length, stored as text.
    public static let string = AttributeType(rawValue: 700)
    /// True or false, as `Bool` or `NSNumber`, stored as 1 or 0.
    public static let boolean = AttributeType(rawValue: 800)
    /// `Date` values, stored as seconds since January 1, 2001, UTC.
    public static let date = AttributeType(rawValue: 900)
    /// `Data` values, stored in the row or, if the attribute allows it, in a file beside the database.
    public static let binaryData = AttributeType(rawValue: 1000)
    /// `UUID` values, stored as 16 bytes.
    public static let uuid = AttributeType(rawValue: 1100)
    /// `URL` values, stored as absolute text.
    public static let uri = AttributeType(rawValue: 1200)
    /// Objects that a value transformer converts to data.
    public static let transformable = AttributeType(rawValue: 1800)
    /// `NSManagedObjectID` values.
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
