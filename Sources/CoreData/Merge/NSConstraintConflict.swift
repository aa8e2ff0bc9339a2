// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Objects with the same values for a uniqueness constraint.
///
/// If `databaseObject` is not nil, a row of the store already has the values; otherwise several unsaved
/// objects have the values.
///
/// Source: documented, “NSConstraintConflict”; behaviour.md SAVE-6.
open class NSConstraintConflict: NSObject {
  /// The names of the attributes whose values must be unique together.
  public let constraint: [String]
  /// The conflicting values by attribute name, with nil values as `NSNull`.
  public let constraintValues: [String: Any]
  /// The object whose row has the values; nil if the conflict is between several unsaved objects.
  public let databaseObject: NSManagedObject?
  /// The values of the stored row; nil if the conflict is between several unsaved objects.
  public let databaseSnapshot: [String: Any]?
  /// The unsaved objects that have the values.
  public let conflictingObjects: [NSManagedObject]
  /// The values that each conflicting object had before its unsaved changes; empty for a new object.
  public let conflictingSnapshots: [[AnyHashable: Any]]

  /// Creates a conflict.
  ///
  /// `constraintValues` is read from the first conflicting object or, if there is none, from
  /// `databaseObject`. Without any object, `constraintValues` is empty.
  ///
  /// `conflictingSnapshots` contains one dictionary for each conflicting object; any other value, such as
  /// `NSNull`, counts as an empty dictionary.
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

  /// Creates a conflict without objects.
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

  /// The constraint, the conflicting values, the object in the store, and the conflicting objects.
  open override var description: String {
    "NSConstraintConflict (\(addressText)) for constraint \(DescribedValues.array(constraint)) with "
      + "values \(DescribedValues.dictionary(constraintValues)): database: "
      + "\(databaseObject.map { "\($0.objectID)" } ?? "(null)"), conflictedObjects: "
      + DescribedValues.array(conflictingObjects)
  }

  /// A clause with the number of objects, their entity, and the values that they would share, without a full
  /// stop.
  var summary: String {
    let count = conflictingObjects.count + (databaseObject == nil ? 0 : 1)
    let entity = (databaseObject ?? conflictingObjects.first)?.entityDefinition.name
    let values = constraint.map { "\($0) = \(constraintValues[$0] ?? "nil")" }
    let objects = (entity.map { $0 + " " } ?? "") + (count == 1 ? "object" : "objects")
    return "\(count) \(objects) would have the values " + values.joined(separator: ", ")
  }
}
