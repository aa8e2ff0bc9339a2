// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// A mapped attribute whose expression only copies a transformable attribute of the source object.
///
/// The stored data are copied without the transformer. Any other expression decodes the values that it reads.
struct TransformableCopy {
  private let source: PropertyDefinition

  /// Returns nil unless the expression is the key of a transformable attribute of the source object, and
  /// `destination` has the same transformer.
  ///
  /// The expression is evaluated with the source object.
  init?(_ expression: Term, of source: EntityDefinition?, to destination: PropertyDefinition) {
    guard case .keyPath(let key) = expression, let property = source?.property(named: key),
      property.attribute?.type == .transformable, let attribute = destination.attribute,
      attribute.type == .transformable,
      attribute.ownTransformerName == property.attribute?.ownTransformerName
    else { return nil }
    self.source = property
  }

  /// Returns the stored data of the attribute in a source object; nil if the attribute's value is nil.
  func content(of object: NSManagedObject) -> ArchivedContent? {
    object.storedData(of: source).map { ArchivedContent($0) }
  }
}

/// A value that a migration read but could not decode: the source object and its property.
struct UndecodedValue {
  let object: NSManagedObject
  let property: PropertyDefinition
}
