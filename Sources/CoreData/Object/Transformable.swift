// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import Foundation

/// The bytes that a store keeps for a transformable attribute, for who copies them unread.
package struct ArchivedContent: Sendable {
  package let data: Data
  package init(_ data: Data) { self.data = data }
}

/// Turns the objects of transformable attributes into the bytes that a store keeps, and back.
///
/// By the attribute's value transformer where one of its name is registered, else a secure keyed archive,
/// as Apple's default. Bytes that are neither stay as they are in the store.
enum Transformable {
  /// Nil where the object cannot be archived.
  static func data(from object: Any, _ property: PropertyDefinition) -> Data? {
    if let content = object as? ArchivedContent { return content.data }
    if let transformer = transformer(of: property) {
      // Apple's secure transformers lead from the archive to the object, all others the other way.
      let isArchiver = transformer is NSSecureUnarchiveFromDataTransformer
      return
        (isArchiver
        ? transformer.reverseTransformedValue(object)
        : transformer.transformedValue(object)) as? Data
    }
    return SecureArchive.data(from: object)
  }

  /// Nil where the bytes are no archive of a property-list type.
  static func object(from data: Data, _ property: PropertyDefinition) -> Any? {
    if let transformer = transformer(of: property) {
      let isArchiver = transformer is NSSecureUnarchiveFromDataTransformer
      return isArchiver
        ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
    }
    return SecureArchive.object(from: data)
  }

  private static func transformer(of property: PropertyDefinition) -> ValueTransformer? {
    guard let name = property.attribute?.valueTransformerName else { return nil }
    return ValueTransformer.named(NSValueTransformerName(rawValue: name))
  }
}
