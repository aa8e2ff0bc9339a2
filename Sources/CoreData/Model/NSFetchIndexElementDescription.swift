// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The structure in which an index element is stored; raw values are Apple's.
public enum NSFetchIndexElementType: UInt, Sendable {
  case binary = 0
  case rTree = 1
}

/// One property or expression of an index, with a storage type and a sort direction.
///
/// Source: documented, “NSFetchIndexElementDescription”.
open class NSFetchIndexElementDescription: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: the element is changed only before the model is first used, and is read-only afterwards.

  private let storedProperty: NSPropertyDescription?
  private let storedName: String
  /// The structure in which the element is stored, which must be the same for all elements of an index.
  ///
  /// An SQLite store does not create an index with R-tree elements.
  open var collationType: NSFetchIndexElementType { willSet { owner?.target?.willChange() } }
  /// Whether the order is ascending; true by default.
  open var isAscending = true { willSet { owner?.target?.willChange() } }
  /// Whether `propertyName` is the format of an expression.
  package let isExpression: Bool
  package var owner: BackReference<NSFetchIndexDescription>?

  /// Creates an ascending element for a property.
  public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
    storedProperty = property
    storedName = property.name
    isExpression = false
    self.collationType = collationType
  }

  /// Creates an element for a property, which is looked up by name in the index's entity, or for an
  /// expression.
  ///
  /// If `isExpression` is true, `name` is the format of the expression.
  package init(
    propertyNamed name: String,
    isExpression: Bool,
    collationType: NSFetchIndexElementType
  ) {
    storedProperty = nil
    storedName = name
    self.isExpression = isExpression
    self.collationType = collationType
  }

  /// The index of the element; nil if the element does not belong to an index.
  open var indexDescription: NSFetchIndexDescription? { owner?.target }
  /// The property; nil for an expression, and for a name that is not found in the index's entity.
  open var property: NSPropertyDescription? {
    storedProperty ?? indexDescription?.entity?.propertiesByName[storedName]
  }
  /// The name of the property or, for an expression element, the format of the expression; never nil.
  open var propertyName: String? { storedProperty?.name ?? storedName }

  /// Returns a copy that does not belong to an index.
  open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

  /// Returns a copy that refers to the property by name, so that the copy finds the property in its new
  /// entity.
  func duplicate() -> NSFetchIndexElementDescription {
    let copy = NSFetchIndexElementDescription(
      propertyNamed: propertyName ?? storedName,
      isExpression: isExpression,
      collationType: collationType
    )
    copy.isAscending = isAscending
    return copy
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSFetchIndexElementDescription else { return false }
    return propertyName == other.propertyName && collationType == other.collationType
      && isAscending == other.isAscending && isExpression == other.isExpression
  }
  open override var hash: Int { storedName.hashValue }
  open override var description: String {
    "<NSFetchIndexElementDescription: \(propertyName ?? "(null)"), "
      + "\(collationType == .binary ? "binary" : "rtree"), "
      + "\(isAscending ? "ascending" : "descending")>"
  }
}
