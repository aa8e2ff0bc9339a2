// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The bytes that a store keeps for a transformable attribute, for who copies them unread.
package struct ArchivedContent: Sendable {
  package let data: Data
  package init(_ data: Data) { self.data = data }
}

/// Turns the objects of transformable attributes into the bytes that a store keeps, and back.
///
/// By the attribute's value transformer where the model names one, else a secure keyed archive, as Apple's
/// default. Without the transformer no value is written, archives are read as such, and bytes that are
/// neither stay as they are in the store.
enum Transformable {
  /// What to do about a transformer that the model names and the program has not registered; nil where
  /// there is none to miss.
  static func missing(_ property: PropertyDefinition) -> String? {
    guard property.isTransformedByName, let attribute = property.attribute,
      transformer(of: attribute) == nil
    else { return nil }
    return
      "there is no value transformer named '\(attribute.valueTransformerName ?? "")'. Register "
      + "one with ValueTransformer.setValueTransformer(_:forName:) before the value is saved."
  }

  /// Nil where the object cannot be archived, where the attribute's transformer is not registered, and where
  /// it is no dictionary for a composite attribute.
  static func data(from object: Any, _ property: PropertyDefinition) -> Data? {
    guard let attribute = property.attribute else { return nil }
    if let content = object as? ArchivedContent { return content.data }
    if attribute.type == .composite { return CompositeValue.record(of: object, attribute.elements) }
    return data(from: object, attribute)
  }

  /// Nil where the object cannot be archived, and where the attribute's transformer is not registered.
  static func data(from object: Any, _ attribute: AttributeDefinition) -> Data? {
    if let transformer = transformer(of: attribute) {
      // Apple's secure transformers lead from the archive to the object, all others the other way.
      let isArchiver = transformer is NSSecureUnarchiveFromDataTransformer
      return
        (isArchiver
        ? transformer.reverseTransformedValue(object)
        : transformer.transformedValue(object)) as? Data
    }
    if attribute.ownTransformerName != nil { return nil }
    return SecureArchive.data(from: object)
  }

  /// Nil where the bytes are no archive of a property-list type, or an empty record of a composite.
  static func object(from data: Data, _ property: PropertyDefinition) -> Any? {
    guard let attribute = property.attribute else { return nil }
    if attribute.type == .composite { return CompositeValue.object(of: data, attribute.elements) }
    return object(from: data, attribute)
  }

  /// Nil where the bytes are no archive of a property-list type.
  static func object(from data: Data, _ attribute: AttributeDefinition) -> Any? {
    if let transformer = transformer(of: attribute) {
      let isArchiver = transformer is NSSecureUnarchiveFromDataTransformer
      return isArchiver
        ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
    }
    return SecureArchive.object(from: data)
  }

  private static func transformer(of attribute: AttributeDefinition) -> ValueTransformer? {
    guard let name = attribute.valueTransformerName else { return nil }
    return ValueTransformer.named(NSValueTransformerName(rawValue: name))
  }
}
