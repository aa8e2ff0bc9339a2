// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// How the deletion of an object affects the destinations of the object's relationship.
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
/// A relationship is to-one if `maxCount` is 1; a new description is an unbounded to-many. The
/// destination and the inverse are not retained, because the model retains all its entities.
///
/// Source: documented, “NSRelationshipDescription”.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
  // Unchecked: like every property, the relationship is changed only before the model is first used.

  private var destination: BackReference<NSEntityDescription>?
  private var inverse: BackReference<NSPropertyDescription>?
  /// The maximum number of destinations; 0, the default, means no limit.
  open var maxCount = 0 { willSet { willChange() } }
  /// The minimum number of destinations; not enforced for an optional relationship without destinations.
  open var minCount = 0 { willSet { willChange() } }
  /// The delete rule; `nullifyDeleteRule` by default.
  open var deleteRule = NSDeleteRule.nullifyDeleteRule { willSet { willChange() } }
  /// Whether a to-many is ordered; false by default.
  open var isOrdered = false { willSet { willChange() } }

  /// The destination entity; nil by default, and after the destination entity was released.
  open var destinationEntity: NSEntityDescription? {
    get { destination?.target }
    set {
      willChange()
      destination = newValue?.backReference
    }
  }

  /// The inverse relationship; nil by default, and after the inverse relationship was released.
  ///
  /// Setting this property does not set the inverse of the other relationship.
  open var inverseRelationship: NSRelationshipDescription? {
    get { inverse?.target as? NSRelationshipDescription }
    set {
      willChange()
      inverse = newValue?.backReference
    }
  }

  /// Whether there can be several destinations, that is, whether `maxCount` is not 1.
  open var isToMany: Bool { maxCount != 1 }

  package override func copySettings(from other: NSPropertyDescription) {
    super.copySettings(from: other)
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
