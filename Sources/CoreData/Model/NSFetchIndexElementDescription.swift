// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How an index element is kept; raw values are Apple's.
public enum NSFetchIndexElementType: UInt, Sendable {
  case binary = 0
  case rTree = 1
}

/// One property of an index, and its direction.
///
/// Source: documented, “NSFetchIndexElementDescription”.
open class NSFetchIndexElementDescription: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: changed only before a coordinator uses the model, read-only from then on.

  private let storedProperty: NSPropertyDescription?
  private let storedName: String
  /// How the element is kept; every element of an index has the same.
  open var collationType: NSFetchIndexElementType { willSet { owner?.target?.willChange() } }
  /// The direction; true at first.
  open var isAscending = true { willSet { owner?.target?.willChange() } }
  /// Whether `propertyName` is the text of an expression.
  package let isExpression: Bool
  package var owner: BackReference<NSFetchIndexDescription>?

  /// An ascending element.
  public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
    storedProperty = property
    storedName = property.name
    isExpression = false
    self.collationType = collationType
  }

  /// An element whose property is found by name in the index's entity.
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

  /// The index of the element, nil outside one.
  open var indexDescription: NSFetchIndexDescription? { owner?.target }
  /// The property, nil for an expression and for a name the entity does not have.
  open var property: NSPropertyDescription? {
    storedProperty ?? indexDescription?.entity?.propertiesByName[storedName]
  }
  /// The property's name.
  open var propertyName: String? { storedProperty?.name ?? storedName }

  /// A copy that belongs to no index.
  open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

  /// The copy names the property, so that it finds the one of the entity it comes to.
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
