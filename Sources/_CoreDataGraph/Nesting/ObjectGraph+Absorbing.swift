// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Applies the changes of a child context to its parent's graph when the child is saved.
///
/// Attribute values are copied. Relationships are set with the functions that also change the inverses, so
/// that both sides agree afterwards. If both graphs changed a property, the child's value wins. An object
/// that is deleted in the parent is restored only if the child inserts it again.
/// Source: behaviour.md PC-1, PC-6; cases that these rules do not cover are this library's choice.
extension ObjectGraph {
  /// Applies the unsaved changes of `child` to this graph; does not change `child`.
  ///
  /// Both graphs must have the same model, and the child must have adopted the current keys of this graph.
  /// - Returns: the keys of objects that the child has changed or linked, but that are deleted in this graph
  ///   or have no row. The changes of these objects are not applied, and links to them are removed.
  package func absorb(_ child: ObjectGraph) -> [ObjectKey] {
    let inserted = child.inserted
    let updated = child.updated
    var known = destinations(of: inserted + updated, child)
    known.formUnion((updated + child.deleted).lazy.map(\.key).filter(\.isTemporary))
    // Objects that the child inserts are not checked, because they need no row.
    var dead = withoutRows(known.subtracting(inserted.map(\.key)))
    for object in inserted { absorbInsertion(of: object) }
    for object in updated { absorbValues(of: object, child, &dead) }
    for object in inserted + updated { absorbReferences(of: object, child, &dead) }
    for object in inserted + updated { absorbMembers(of: object, child, &dead) }
    for object in child.deleted
    where !object.flags.contains(.inaccessible) && !dead.contains(object.key) {
      let mine = self.object(for: object.key)
      if !mine.flags.contains(.deleted) { delete(mine) }
    }
    return dead.sorted { $0.raw < $1.raw }
  }

  /// Returns the keys of the destinations of changed to-ones, and of the owners and the added and removed
  /// members of changed to-manys.
  ///
  /// To-manys whose inverse is a to-one are left out, because the members' to-ones contain the same changes.
  private func destinations(of objects: [GraphObject], _ child: ObjectGraph) -> Set<ObjectKey> {
    var keys: Set<ObjectKey> = []
    for object in objects {
      let isNew = object.flags.contains(.inserted)
      if let chunk = object.chunk {
        let changed = isNew ? SlotSet() : child.changedSlots(object)
        for slot in object.entityDefinition.toOneSlots where isNew || changed.contains(slot) {
          if let key = key((chunk, object.rowIndex), slot) { keys.insert(key) }
        }
      }
      guard let detail = object.detail else { continue }
      for (position, slot) in object.entityDefinition.toManySlots.enumerated()
      where inverseKind(object, slot) != .reference {
        guard let state = detail.toManys[position], state.hasChanges else { continue }
        keys.insert(object.key)
        keys.formUnion(state.added)
        keys.formUnion(state.removed)
      }
    }
    return keys
  }

  private func absorbInsertion(of object: GraphObject) {
    guard let chunk = object.chunk else { return }
    if let known = registry.object(for: object.key) {
      // The child has deleted the object, saved, and then inserted the object again, for example by an undo.
      if known.flags.contains(.deleted) { revive(known, as: object, chunk) }
      return
    }
    let mine = host.makeObject(for: object.key)
    let place = rows.copy(of: chunk, row: object.rowIndex, entity: object.key.entity)
    place.chunk.setVersion(place.row, 0)
    for slot in object.entityDefinition.toOneSlots { place.chunk.setNull(place.row, slot) }
    mine.point(at: place.chunk, row: place.row)
    insert(mine)
    copyTransientObjects(of: object, mine)
  }

  /// Reverts the deletion of `mine`, and copies the attribute values of the child's `object`.
  private func revive(_ mine: GraphObject, as object: GraphObject, _ chunk: RowChunk) {
    capture(mine)
    let isStored = mine.flags.isDisjoint(with: .inaccessible)
    clearUnsaved(mine)
    mine.flags.subtract([.propagated, .inaccessible])
    if isStored {
      note(mine, .insertedInEvent)
      for property in object.entityDefinition.properties
      where property.relationship == nil && chunk.layout.kinds[property.slot] != .none {
        let place = willWrite(mine, slot: property.slot)
        place.chunk.copySlot(property.slot, to: place.row, from: chunk, object.rowIndex)
      }
    } else {
      let place = rows.copy(of: chunk, row: object.rowIndex, entity: object.key.entity)
      for slot in object.entityDefinition.toOneSlots { place.chunk.setNull(place.row, slot) }
      mine.point(at: place.chunk, row: place.row)
      let detail = mine.detailCreatingIfNeeded
      discardBase(detail)
      for (position, slot) in object.entityDefinition.toManySlots.enumerated() {
        let isOrdered = object.entityDefinition.properties[slot].relationship?.isOrdered ?? false
        detail.toManys[position] = ToMany(isOrdered: isOrdered, isNew: true)
      }
      markInserted(mine)
    }
    copyTransientObjects(of: object, mine)
  }

  /// Copies the references to live objects in transient attributes, because rows do not contain these
  /// objects.
  private func copyTransientObjects(of object: GraphObject, _ mine: GraphObject) {
    for (slot, value) in object.detail?.objects ?? [:]
    where object.entityDefinition.properties[slot].isTransient {
      mine.detailCreatingIfNeeded.objects[slot] = value
    }
  }

  /// Copies the references to live objects that the child has set in opaque transient attributes.
  ///
  /// The slots to copy are found in the recorded changes, because rows do not contain these objects.
  private func absorbTransientObjects(of object: GraphObject, _ mine: GraphObject) {
    guard let detail = object.detail else { return }
    let kinds = object.entityDefinition.rowLayout.kinds
    for slot in object.entityDefinition.transientSlots
    where kinds[slot] == .opaque && detail.changed.contains(slot) {
      _ = willWrite(mine, slot: slot)
      mine.detailCreatingIfNeeded.objects[slot] = detail.objects[slot]
    }
  }

  private func absorbValues(
    of object: GraphObject,
    _ child: ObjectGraph,
    _ dead: inout Set<ObjectKey>
  ) {
    if dead.contains(object.key) { return }
    let mine = self.object(for: object.key)
    let written = child.writtenSlots(object)
    // A fault must fire before values are written to it. If the row of `mine` is gone, firing the fault marks
    // `mine` as deleted, and nothing is written.
    if written.contains(where: { !object.entityDefinition.properties[$0].isToMany }) {
      realize(mine)
    }
    if mine.flags.contains(.deleted) { dead.insert(object.key) }
    guard !mine.flags.contains(.deleted), let chunk = object.chunk else { return }
    for slot in written {
      let property = object.entityDefinition.properties[slot]
      if property.relationship != nil || chunk.layout.kinds[slot] == .none { continue }
      let place = willWrite(mine, slot: slot)
      place.chunk.copySlot(slot, to: place.row, from: chunk, object.rowIndex)
      mine.detail?.objects[slot] = nil
    }
    absorbTransientObjects(of: object, mine)
  }

  private func absorbReferences(
    of object: GraphObject,
    _ child: ObjectGraph,
    _ dead: inout Set<ObjectKey>
  ) {
    if dead.contains(object.key) { return }
    let mine = self.object(for: object.key)
    guard !mine.flags.contains(.deleted), let chunk = object.chunk else { return }
    let isNew = object.flags.contains(.inserted)
    let changed = child.changedSlots(object)
    for slot in object.entityDefinition.toOneSlots where isNew || changed.contains(slot) {
      let key = chunk.isNull(object.rowIndex, slot) ? nil : chunk.key(object.rowIndex, slot)
      if key == reference(mine, slot: slot) { continue }
      let destination = key.map { self.object(for: $0) }
      if let key, destination?.flags.contains(.deleted) == true { dead.insert(key) }
      let isDead = key.map(dead.contains) ?? false
      setReference(mine, slot: slot, to: isDead ? nil : destination)
    }
  }

  private func absorbMembers(
    of object: GraphObject,
    _ child: ObjectGraph,
    _ dead: inout Set<ObjectKey>
  ) {
    guard let detail = object.detail, !dead.contains(object.key) else { return }
    let mine = self.object(for: object.key)
    if mine.flags.contains(.deleted) { return }
    for (position, slot) in object.entityDefinition.toManySlots.enumerated() {
      guard var state = detail.toManys[position], state.hasChanges else { continue }
      // If the inverse is a to-one, `absorbReferences` has already applied the changes to both sides.
      if inverseKind(object, slot) != .reference {
        // The inverse of a member cannot be changed if the member's row no longer exists.
        func isGone(_ key: ObjectKey) -> Bool {
          child.registry.object(for: key)?.flags.contains(.inaccessible) == true
        }
        for key in state.removed {
          if isGone(key) || dead.contains(key) {
            removeMember(mine, slot: slot, key)
          } else {
            remove(self.object(for: key), from: mine, slot: slot)
          }
        }
        for key in state.keys where state.added.contains(key) && !isGone(key) {
          let member = self.object(for: key)
          if member.flags.contains(.deleted) { dead.insert(key) }
          if !dead.contains(key) { insert(member, into: mine, slot: slot) }
        }
      }
      if state.isOrdered && state.isLoaded { order(mine, slot, by: state.keys) }
    }
  }
}
