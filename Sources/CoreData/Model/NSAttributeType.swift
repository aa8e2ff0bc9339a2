// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

/// The type of an attribute's values; raw values are Apple's and enter the version hash.
///
/// Source: documented, “NSAttributeType”.
public enum NSAttributeType: UInt, Sendable {
  /// Legal only for transient attributes.
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
  /// The type of an attribute's values, in its newer spelling; equal raw values.
  ///
  /// Source: documented, “NSAttributeDescription.AttributeType”.
  public struct AttributeType: Hashable, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Legal only for transient attributes.
    public static let undefined = AttributeType(rawValue: 0)
    public static let integer16 = AttributeType(rawValue: 100)
    public static let integer32 = AttributeType(rawValue: 200)
    public static let integer64 = AttributeType(rawValue: 300)
    public static let decimal = AttributeType(rawValue: 400)
    public static let double = AttributeType(rawValue: 500)
    public static let float = AttributeType(rawValue: 600)
    public static let string = AttributeType(rawValue: 700)
    public static let boolean = AttributeType(rawValue: 800)
    public static let date = AttributeType(rawValue: 900)
    public static let binaryData = AttributeType(rawValue: 1000)
    public static let uuid = AttributeType(rawValue: 1100)
    public static let uri = AttributeType(rawValue: 1200)
    public static let transformable = AttributeType(rawValue: 1800)
    public static let objectID = AttributeType(rawValue: 2000)
    public static let composite = AttributeType(rawValue: 2100)
  }
}

extension NSAttributeType {
  /// The core's name of the type.
  package var core: CoreDataModel.AttributeType {
    CoreDataModel.AttributeType(rawValue: rawValue) ?? .undefined
  }
  package init(_ type: CoreDataModel.AttributeType) {
    self = NSAttributeType(rawValue: type.rawValue) ?? .undefinedAttributeType
  }
}
