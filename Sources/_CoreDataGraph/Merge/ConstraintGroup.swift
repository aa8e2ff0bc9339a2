// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Inserted and updated objects with the same values under a uniqueness constraint; often a single object.
package struct ConstraintGroup {
  package let constraint: UniquenessConstraint
  package let values: UniqueValues
  /// The updated objects in the order of their first change, then the inserted objects in the order of their
  /// insertion.
  package var objects: [GraphObject]

  /// A fetch for the stored rows that can have the values of the group.
  ///
  /// Stores cannot compare archived and external data, so the condition leaves out data. The caller must
  /// compare the values of the found rows with `values`.
  package var description: FetchDescription {
    var description = FetchDescription(entity: constraint.scope)
    guard let object = objects.first, let chunk = object.chunk else { return description }
    description.condition = .and(
      zip(constraint.names, constraint.slots).compactMap { name, slot in
        let value = chunk.value(object.rowIndex, slot)
        switch value {
        case .data, .opaque: return nil
        default: return .comparison(Comparison(.keyPath(name), .equal, .constant(Constant(value))))
        }
      }
    )
    return description
  }
}

extension ObjectGraph {
  /// Returns a group for each combination of constrained values that a save would write.
  ///
  /// Combinations with a null are left out, because a null is not equal to another null.
  /// - Complexity: O(unsaved objects).
  package func constraintGroups() -> [ConstraintGroup] {
    var groups: [ConstraintGroup] = []
    var positions: [UniquenessConstraint: [UniqueValues: Int]] = [:]
    for object in updated + inserted {
      guard let chunk = object.chunk else { continue }
      let changed = changedSlots(object)
      for index in constraints.byEntity[object.key.entity] {
        let constraint = constraints.all[index]
        guard
          object.flags.contains(.inserted) || constraint.slots.contains(where: changed.contains),
          let values = UniqueValues(chunk, object.rowIndex, constraint.slots)
        else { continue }
        if let position = positions[constraint]?[values] {
          groups[position].objects.append(object)
        } else {
          positions[constraint, default: [:]][values] = groups.count
          groups.append(
            ConstraintGroup(constraint: constraint, values: values, objects: [object])
          )
        }
      }
    }
    return groups
  }

  /// Returns whether the object's row, which has `values` in the store, will still have them after the save.
  package func keeps(
    _ values: UniqueValues,
    of constraint: UniquenessConstraint,
    _ object: GraphObject
  ) -> Bool {
    if object.flags.contains(.deleted) { return false }
    guard object.flags.contains(.updated), let chunk = object.chunk else { return true }
    return UniqueValues(chunk, object.rowIndex, constraint.slots) == values
  }
}
