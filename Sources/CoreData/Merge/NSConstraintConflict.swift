// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Objects that would hold the same values of a uniqueness constraint.
///
/// With a `databaseObject`, the store has them already; without, several unsaved objects have them.
/// Source: documented, “NSConstraintConflict”; behaviour.md SAVE-6.
open class NSConstraintConflict: NSObject {
  /// The names of the attributes whose values must be unique together.
  public let constraint: [String]
  /// The values that are not unique, by attribute.
  public let constraintValues: [String: Any]
  /// The object whose row has the values; nil where only unsaved objects have them.
  public let databaseObject: NSManagedObject?
  /// The values of that row; nil where there is none.
  public let databaseSnapshot: [String: Any]?
  /// The unsaved objects with the values.
  public let conflictingObjects: [NSManagedObject]
  /// What each of them started from; empty for a new object.
  public let conflictingSnapshots: [[AnyHashable: Any]]

  /// A conflict; the values are those of the first conflicting object.
  ///
  /// `conflictingSnapshots` has a dictionary for each object, or `NSNull`, which is read as empty.
  public init(
    constraint contraint: [String],
    database databaseObject: NSManagedObject?,
    databaseSnapshot: [AnyHashable: Any]?,
    conflicting conflictingObjects: [NSManagedObject],
    conflictingSnapshots: [Any]
  ) {
    constraint = contraint
    self.databaseObject = databaseObject
    self.databaseSnapshot = databaseSnapshot.map { snapshot in
      Dictionary(snapshot.map { ("\($0.key.base)", $0.value) }, uniquingKeysWith: { $1 })
    }
    self.conflictingObjects = conflictingObjects
    self.conflictingSnapshots = conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] }
    var values: [String: Any] = [:]
    if let object = conflictingObjects.first ?? databaseObject {
      for name in contraint { values[name] = object.value(forKey: name) ?? NSNull() }
    }
    constraintValues = values
    super.init()
  }

  /// A conflict about nothing.
  ///
  /// Source: inherited from `NSObject` on Apple's systems.
  public override convenience init() {
    self.init(
      constraint: [],
      database: nil,
      databaseSnapshot: nil,
      conflicting: [],
      conflictingSnapshots: []
    )
  }

  /// The constraint, its values, the object in the store and the unsaved ones.
  open override var description: String {
    "NSConstraintConflict (\(addressText)) for constraint \(DescribedValues.array(constraint)) with "
      + "values \(DescribedValues.dictionary(constraintValues)): database: "
      + "\(databaseObject.map { "\($0.objectID)" } ?? "(null)"), conflictedObjects: "
      + DescribedValues.array(conflictingObjects)
  }

  var summary: String {
    let entity = (databaseObject ?? conflictingObjects.first)?.entityDefinition.name ?? ""
    return "\(entity) (\(constraint.joined(separator: ", "))) has "
      + "\(conflictingObjects.count + (databaseObject == nil ? 0 : 1)) objects with equal values"
  }
}
