// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// An attribute of an entity: a value of one type, which is stored unless the attribute is transient.
///
/// ```swift
/// let wins = NSAttributeDescription()
/// wins.name = "wins"
/// wins.type = .integer32
/// wins.defaultValue = 0
/// ```
/// Source: documented, “NSAttributeDescription”.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
  // Unchecked: like every property, the attribute is changed only before the model is first used.

  /// The type of the values; undefined by default.
  open var attributeType = NSAttributeType.undefinedAttributeType { willSet { willChange() } }
  /// The initial value of new objects; nil by default.
  ///
  /// If the default value is an instance of a class, all new objects share the instance.
  open var defaultValue: Any? { willSet { willChange() } }
  /// The name of the value transformer of a transformable attribute; nil for the default transformer.
  open var valueTransformerName: String? { willSet { willChange() } }
  /// Whether large values may be stored in files outside the database; false by default.
  ///
  /// The setting is part of the version hash.
  open var allowsExternalBinaryDataStorage = false { willSet { willChange() } }
  /// Whether the history preserves the value when an object is deleted; false by default.
  ///
  /// The setting is part of the version hash.
  open var preservesValueInHistoryOnDeletion = false { willSet { willChange() } }
  /// Whether the value is encrypted in CloudKit; kept in model files, but without effect in this library.
  open var allowsCloudEncryption = false { willSet { willChange() } }
  private var storedClassName: String?

  /// Whether generated accessors use a scalar type, such as `Int32`, instead of a class; false by default.
  package var usesScalar = false { willSet { willChange() } }
  /// The minimum of a number, of a date, or of the length of a string, from the model file; nil if there is
  /// no minimum.
  package var minimum: Value? { willSet { willChange() } }
  package var maximum: Value? { willSet { willChange() } }
  /// The regular expression that a whole string must match; nil if the strings are not restricted.
  package var pattern: String? { willSet { willChange() } }
  package var derivation: String? { willSet { willChange() } }
  package var derivationFilter: String? { willSet { willChange() } }
  /// The name of a composite attribute's type in the model file; nil if no model file declares the type.
  package var compositeName: String? { willSet { willChange() } }

  /// The type of the values as an `AttributeType`.
  ///
  /// An unknown raw value is read back as undefined.
  open var type: AttributeType {
    get { AttributeType(rawValue: attributeType.rawValue) }
    set { attributeType = NSAttributeType(rawValue: newValue.rawValue) ?? .undefinedAttributeType }
  }

  /// The name of the class of the attribute's values; by default, the standard class for the attribute type,
  /// such as `NSNumber`.
  ///
  /// Nil for a transformable, composite or undefined attribute whose class name was not set.
  /// Source: documented, “attributeValueClassName”.
  open var attributeValueClassName: String? {
    get { storedClassName ?? attributeType.core.traits.valueClassName }
    set {
      willChange()
      storedClassName = newValue
    }
  }

  package var explicitClassName: String? { storedClassName }

  package override func copySettings(from other: NSPropertyDescription) {
    super.copySettings(from: other)
    guard let other = other as? NSAttributeDescription else { return }
    attributeType = other.attributeType
    defaultValue = other.defaultValue
    valueTransformerName = other.valueTransformerName
    allowsExternalBinaryDataStorage = other.allowsExternalBinaryDataStorage
    preservesValueInHistoryOnDeletion = other.preservesValueInHistoryOnDeletion
    allowsCloudEncryption = other.allowsCloudEncryption
    storedClassName = other.storedClassName
    usesScalar = other.usesScalar
    minimum = other.minimum
    maximum = other.maximum
    pattern = other.pattern
    derivation = other.derivation
    derivationFilter = other.derivationFilter
    compositeName = other.compositeName
  }

  package override func hasSameContent(as other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSAttributeDescription, super.hasSameContent(as: other) else {
      return false
    }
    return attributeType == other.attributeType
      && sameObject(defaultValue, other.defaultValue)
      && valueTransformerName == other.valueTransformerName
      && allowsExternalBinaryDataStorage == other.allowsExternalBinaryDataStorage
      && preservesValueInHistoryOnDeletion == other.preservesValueInHistoryOnDeletion
      && attributeValueClassName == other.attributeValueClassName
      && sameValue(minimum, other.minimum) && sameValue(maximum, other.maximum)
      && pattern == other.pattern && derivation == other.derivation
      && derivationFilter == other.derivationFilter
      && compositeName == other.compositeName
  }

  open override var description: String {
    super.description + ", attributeType \(attributeType.rawValue), "
      + "attributeValueClassName \(attributeValueClassName ?? "(null)"), "
      + "defaultValue \(defaultValue.map { "\($0)" } ?? "(null)")"
  }
}

private func sameObject(_ left: Any?, _ right: Any?) -> Bool {
  switch (left, right) {
  case (nil, nil): true
  case (let left?, let right?):
    (left as? AnyHashable).flatMap { left in (right as? AnyHashable).map { left == $0 } }
      ?? ((left as AnyObject) === (right as AnyObject))
  default: false
  }
}

private func sameValue(_ left: Value?, _ right: Value?) -> Bool {
  switch (left, right) {
  case (nil, nil): true
  case (.int(let left)?, .int(let right)?): left == right
  case (.double(let left)?, .double(let right)?), (.date(let left)?, .date(let right)?):
    left == right
  case (.decimal(let left)?, .decimal(let right)?): left == right
  default: false
  }
}
