// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The expression of a mapped attribute that only copies a transformable attribute of the source.
///
/// The stored data are copied, which needs no transformer. Any other expression decodes the values that it reads.
struct TransformableCopy {
  private let source: PropertyDefinition

  /// Returns nil if the expression does more than copy a transformable attribute to one with the same transformer.
  ///
  /// In the expression, the source is the evaluated object.
  init?(_ expression: Term, of source: EntityDefinition?, to destination: PropertyDefinition) {
    guard case .keyPath(let key) = expression, let property = source?.property(named: key),
      property.attribute?.type == .transformable, let attribute = destination.attribute,
      attribute.type == .transformable,
      attribute.ownTransformerName == property.attribute?.ownTransformerName
    else { return nil }
    self.source = property
  }

  /// Returns the stored data of an object; nil if the value is nil.
  func content(of object: NSManagedObject) -> ArchivedContent? {
    object.storedData(of: source).map { ArchivedContent($0) }
  }
}

/// The first value of a source object that was read during a migration and could not be decoded.
struct UndecodedValue {
  let object: NSManagedObject
  let property: PropertyDefinition
}
