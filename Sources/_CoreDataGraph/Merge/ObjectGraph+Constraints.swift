// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Unsaved objects that would hold one set of values under a constraint.
package struct ConstraintGroup {
  package let constraint: UniquenessConstraint
  package let values: UniqueValues
  /// In the order of their insertion, changed ones of the store first.
  package var objects: [GraphObject]

  /// The rows of the store with these values.
  package var description: FetchDescription {
    var description = FetchDescription(entity: constraint.scope)
    guard let object = objects.first, let chunk = object.rowChunk else { return description }
    description.condition = .and(
      zip(constraint.names, constraint.slots).map { name, slot in
        .comparison(
          Comparison(
            .keyPath(name),
            .equal,
            .constant(Constant(chunk.value(object.rowIndex, slot)))
          )
        )
      }
    )
    return description
  }
}

/// Uniqueness constraints: who violates them, and how two objects become one.
extension ObjectGraph {
  /// The values under constraints that the unsaved changes would write.
  ///
  /// - Complexity: the number of unsaved objects.
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

  /// Whether the object's row will still hold `values` after the save.
  package func keeps(
    _ values: UniqueValues,
    of constraint: UniquenessConstraint,
    _ object: GraphObject
  ) -> Bool {
    if object.flags.contains(.deleted) { return false }
    guard object.flags.contains(.updated), let chunk = object.chunk else { return true }
    return UniqueValues(chunk, object.rowIndex, constraint.slots) == values
  }

  /// Ends a conflict of two objects with equal constrained values.
  ///
  /// A new object becomes one with `survivor`, which takes its members, and its values where the rule
  /// says so. Of two stored objects one gives way: `object` its values, or `survivor` its row.
  package func fold(
    _ object: GraphObject,
    into survivor: GraphObject,
    _ constraint: [String],
    by rule: MergeRule
  ) {
    capture(object)
    realize(survivor)
    capture(survivor)
    let objectWins = rule == .objectTrump || rule == .overwrite
    if object.flags.contains(.inserted) {
      moveAttributes(of: object, to: survivor, by: rule)
      moveRelationships(of: object, to: survivor, objectWins: objectWins, rule)
      redirectReferences(from: object, to: survivor)
      object.flags.insert(.propagated)
      markDeleted(object)
    } else if objectWins {
      delete(survivor)
    } else {
      takeBack(object, rule == .rollback ? nil : constraint)
    }
  }

  private func moveAttributes(
    of object: GraphObject,
    to survivor: GraphObject,
    by rule: MergeRule
  ) {
    guard rule == .objectTrump || rule == .overwrite, let chunk = object.chunk else { return }
    // What a new object has by default, or is nil, nobody has said.
    var said = changedSlots(object)
    said.formUnion(object.detail?.untracked ?? SlotSet())
    for property in shared(object, survivor) where property.attribute != nil {
      if rule == .objectTrump && !said.contains(property.slot) { continue }
      let place = willWrite(survivor, slot: property.slot)
      place.chunk.copySlot(property.slot, to: place.row, from: chunk, object.rowIndex)
      survivor.madeDetail.objects[property.slot] = object.detail?.objects[property.slot]
    }
  }

  private func moveRelationships(
    of object: GraphObject,
    to survivor: GraphObject,
    objectWins: Bool,
    _ rule: MergeRule
  ) {
    for property in shared(object, survivor) {
      let slot = property.slot
      if property.isToMany {
        for key in memberKeys(object, slot: slot) {
          let member = self.object(for: key)
          remove(member, from: object, slot: slot)
          if member !== survivor { insert(member, into: survivor, slot: slot) }
        }
      } else if property.isToOne {
        let destination = reference(object, slot: slot).map { self.object(for: $0) }
        setReference(object, slot: slot, to: nil)
        guard objectWins, destination != nil || rule == .overwrite, destination !== survivor else {
          continue
        }
        setReference(survivor, slot: slot, to: destination)
      }
    }
  }

  /// The properties that both have: those of the upper of the two entities.
  private func shared(_ object: GraphObject, _ survivor: GraphObject) -> [PropertyDefinition] {
    zip(object.entityDefinition.properties, survivor.entityDefinition.properties)
      .prefix { $0.name == $1.name && $0.declaringEntity == $1.declaringEntity }.map(\.0)
  }

  /// References without inverse lead to the survivor.
  private func redirectReferences(from object: GraphObject, to survivor: GraphObject) {
    let old = object.key
    let new = survivor.key
    for holder in inserted + updated {
      for slot in holder.entityDefinition.toOneSlots {
        guard let chunk = holder.chunk, !chunk.isNull(holder.rowIndex, slot),
          chunk.key(holder.rowIndex, slot) == old
        else { continue }
        let place = willWrite(holder, slot: slot)
        place.chunk.setKey(place.row, slot, new)
      }
      guard let detail = holder.detail else { continue }
      for position in detail.toManys.indices
      where detail.toManys[position]?.contains(old) == true {
        capture(holder)
        detail.toManys[position]?.rekey { $0 == old ? new : $0 }
      }
    }
  }

  /// The stored values come back: those of `names`, or all attributes.
  private func takeBack(_ object: GraphObject, _ names: [String]?) {
    guard let base = object.detail?.base else { return }
    for property in object.entityDefinition.properties where property.attribute != nil {
      if let names, !names.contains(property.name) { continue }
      let place = willWrite(object, slot: property.slot)
      place.chunk.copySlot(property.slot, to: place.row, from: base.chunk, base.row)
      object.detail?.objects[property.slot] = nil
    }
  }
}
