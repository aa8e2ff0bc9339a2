// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The stored data of a transformable attribute, for code that copies the data without decoding it.
package struct ArchivedContent: Sendable {
  package let data: Data
  package init(_ data: Data) { self.data = data }
}

/// Converts the objects of transformable attributes to stored data, and back.
///
/// Uses the attribute's value transformer if the model names one, otherwise a secure keyed archive, which is
/// Apple's default. While a named transformer is not registered, objects cannot be converted to data, and
/// stored data can be decoded only if it is an archive of ordinary classes. The store keeps data that cannot
/// be decoded.
enum Transformable {
  /// Returns an error text that names the missing transformer and says how to register it.
  ///
  /// Returns nil if the attribute's transformer is registered, if the model names no transformer for the
  /// attribute, or if the property is not stored.
  static func missing(_ property: PropertyDefinition) -> String? {
    guard property.isTransformedByName, let attribute = property.attribute,
      transformer(of: attribute) == nil
    else { return nil }
    return
      "no value transformer named '\(attribute.valueTransformerName ?? "")' is registered, and no class has "
      + "this name. Call ValueTransformer.setValueTransformer(_:forName:) before the value is saved."
  }

  /// Returns an error text that says why an object cannot be converted to data, and how to correct this.
  ///
  /// If the attribute's transformer is not registered, use `missing(_:)` instead.
  static func reasonForNoData(of object: Any, _ attribute: AttributeDefinition) -> String {
    if transformer(of: attribute) != nil {
      return
        "the value transformer '\(attribute.valueTransformerName ?? "")' returns no data for an object "
        + "of the class \(type(of: object)). Correct the transformer, or set a value that it supports."
    }
    guard let reason = SecureArchive.reason(againstArchiving: object) else {
      return "it could not be archived when it was set, but it can be archived now. Set it again."
    }
    return reason
      + ". Use a top-level class that conforms to NSSecureCoding, or register a value transformer and set "
      + "its name in the model."
  }

  /// Converts an object to the data to store.
  ///
  /// Returns nil if the object cannot be archived, or if the attribute's transformer is not registered or
  /// returns no data. For a composite attribute, returns nil if the object is not a dictionary of valid
  /// values for the elements.
  static func data(from object: Any, _ property: PropertyDefinition) -> Data? {
    guard let attribute = property.attribute else { return nil }
    if let content = object as? ArchivedContent { return content.data }
    if attribute.type == .composite { return CompositeValue.record(of: object, attribute.elements) }
    return data(from: object, attribute)
  }

  /// Converts an object to the data to store; returns nil if the object cannot be archived, or if the
  /// attribute's transformer is not registered or returns no data.
  static func data(from object: Any, _ attribute: AttributeDefinition) -> Data? {
    if let transformer = transformer(of: attribute) {
      // In `NSSecureUnarchiveFromDataTransformer`, `transformedValue(_:)` converts data to an object. In any
      // other transformer, `transformedValue(_:)` converts an object to data.
      let isArchiver = transformer is NSSecureUnarchiveFromDataTransformer
      return
        (isArchiver
        ? transformer.reverseTransformedValue(object)
        : transformer.transformedValue(object)) as? Data
    }
    if attribute.ownTransformerName != nil { return nil }
    return SecureArchive.data(from: object)
  }

  /// Converts stored data to an object.
  ///
  /// Returns nil if the attribute's transformer returns nil or, without a registered transformer, if the data
  /// is not an archive of ordinary classes (`SecureArchive.ordinary`). For a composite attribute, returns nil
  /// if every element is nil.
  static func object(from data: Data, _ property: PropertyDefinition) -> Any? {
    guard let attribute = property.attribute else { return nil }
    if attribute.type == .composite { return CompositeValue.object(of: data, attribute.elements) }
    return object(from: data, attribute)
  }

  /// Converts stored data to an object; returns nil if the transformer returns nil or, without a registered
  /// transformer, if the data is not an archive of ordinary classes (`SecureArchive.ordinary`).
  static func object(from data: Data, _ attribute: AttributeDefinition) -> Any? {
    if let transformer = transformer(of: attribute) {
      let isArchiver = transformer is NSSecureUnarchiveFromDataTransformer
      return isArchiver
        ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
    }
    return SecureArchive.object(from: data)
  }

  /// Returns whether the stored data `data`, or an element of a composite in this data, cannot be decoded.
  ///
  /// `object` is the result of decoding `data`.
  static func isIncomplete(_ object: Any?, _ data: Data, _ property: PropertyDefinition) -> Bool {
    guard let attribute = property.attribute else { return false }
    if attribute.type != .composite { return object == nil }
    return zip(attribute.elements, CompositeRecord.values(data)).contains { element, value in
      guard element.attribute.type == .transformable, case .data(let data) = value else {
        return false
      }
      return self.object(from: data, element.attribute) == nil
    }
  }

  private static func transformer(of attribute: AttributeDefinition) -> ValueTransformer? {
    guard let name = attribute.valueTransformerName else { return nil }
    let key = NSValueTransformerName(rawValue: name)
    return NamedTransformers.transformer(key) ?? TruthTransformer.standard(key)
  }
}
