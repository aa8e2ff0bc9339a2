// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// What happens to a relationship's destinations when the source is deleted.
///
/// Source: documented, “NSDeleteRule”.
public enum NSDeleteRule: UInt, Sendable {
  case noActionDeleteRule = 0
  case nullifyDeleteRule = 1
  case cascadeDeleteRule = 2
  case denyDeleteRule = 3
}

/// A relationship from one entity to another.
///
/// It is to-one where `maxCount` is 1; a new description is an unbounded to-many.
/// Destination and inverse are not kept alive: the model holds all its entities.
/// Source: documented, “NSRelationshipDescription”.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
  // Unchecked: as its superclass.

  private var destination: BackReference<NSEntityDescription>?
  private var inverse: BackReference<NSPropertyDescription>?
  /// Most destinations; 0 for no bound.
  open var maxCount = 0 { willSet { willChange() } }
  /// Fewest destinations; enforced for an optional relationship only where it is not empty.
  open var minCount = 0 { willSet { willChange() } }
  /// What happens to the destinations on deletion; nullify at first.
  open var deleteRule = NSDeleteRule.nullifyDeleteRule { willSet { willChange() } }
  /// Whether a to-many keeps an order; false at first.
  open var isOrdered = false { willSet { willChange() } }

  /// The entity of the destinations; nil at first, and where that entity has gone.
  open var destinationEntity: NSEntityDescription? {
    get { destination?.target }
    set {
      willChange()
      destination = newValue?.backReference
    }
  }

  /// The relationship that leads back; nil at first.
  ///
  /// Setting one side does not set the other.
  open var inverseRelationship: NSRelationshipDescription? {
    get { inverse?.target as? NSRelationshipDescription }
    set {
      willChange()
      inverse = newValue?.backReference
    }
  }

  /// Whether there can be several destinations: `maxCount` is not 1.
  open var isToMany: Bool { maxCount != 1 }

  package override func take(_ other: NSPropertyDescription) {
    super.take(other)
    guard let other = other as? NSRelationshipDescription else { return }
    destination = other.destination
    inverse = other.inverse
    maxCount = other.maxCount
    minCount = other.minCount
    deleteRule = other.deleteRule
    isOrdered = other.isOrdered
  }

  package override func hasSameContent(as other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSRelationshipDescription, super.hasSameContent(as: other) else {
      return false
    }
    return destinationEntity?.name == other.destinationEntity?.name
      && inverseRelationship?.name == other.inverseRelationship?.name
      && maxCount == other.maxCount && minCount == other.minCount
      && deleteRule == other.deleteRule && isOrdered == other.isOrdered
  }

  open override var description: String {
    super.description + ", destination entity \(destinationEntity?.name ?? "(null)"), "
      + "inverseRelationship \(inverseRelationship?.name ?? "(null)"), minCount \(minCount), "
      + "maxCount \(maxCount), isOrdered \(isOrdered ? 1 : 0), deleteRule \(deleteRule.rawValue)"
  }
}
