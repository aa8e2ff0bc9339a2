// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Undoing: what a step put aside comes back as changes of the present, so that they can be saved, and
/// undone in their turn.
extension ObjectGraph {
  /// Undoes a step.
  ///
  /// Objects that have left the context meanwhile come back where the step needs them.
  /// Both sides of a relationship are in the step, so inverses are not mended here; but what came to lead
  /// to an object after the step, as by a merge, loses it when the object goes.
  /// - Complexity: the objects of the step; one statement for each to-many of saved objects that go again
  ///   and that has not been read.
  package func undo(_ step: UndoStep) -> [UndoneObject] {
    var undone: [UndoneObject] = []
    for entry in step.entries where entry.kind == .departure {
      bringBack(entry)
      undone.append(UndoneObject(object: entry.image.object, event: .arrival))
    }
    addToOwners(undone.map(\.object))
    let dead = deadKeys(of: step)
    for entry in step.entries where entry.kind == .departure {
      let object = entry.image.object
      unlinkDead(object, dead)
      // A merge may have deleted more along its relationships than the step brings back.
      for (position, slot) in object.entityDefinition.toManySlots.enumerated()
      where object.detail?.toManys[position]?.isLoaded == true {
        removeDeletedMembers(of: object, slot)
      }
    }
    for entry in step.entries where entry.kind == .update {
      let object = entry.image.object
      guard object.registry === registry, !object.flags.contains(.deleted) else { continue }
      if object.isWatched { host.willReplaceValues(of: object) }
      putBack(entry.slots, of: entry.image)
      for change in entry.members { putBack(change, of: object) }
      unlinkDead(object, dead)
      if object.isWatched { host.didReplaceValues(of: object) }
      undone.append(UndoneObject(object: object, event: .update))
    }
    let leaving = step.entries.filter { $0.kind == .arrival }.map(\.image.object).filter {
      $0.registry === registry && !$0.flags.contains(.deleted)
    }
    loadMembers(of: leaving) { _ in true }
    for object in leaving where !object.flags.contains(.deleted) {
      object.flags.insert(.propagated)
      markDeleted(object)
      clearDenyingRelationships(object)
      undone.append(UndoneObject(object: object, event: .departure))
    }
    for object in leaving { removeFromInverses(of: object) }
    return undone
  }

  /// Removes an object that is deleted again from the relationships that a merge has led to it.
  ///
  /// To-ones of faults count: their rows lead to the object, and nothing else would change them.
  private func removeFromInverses(of object: GraphObject) {
    if object.flags.contains(.discarded) { return }
    let entity = object.entityDefinition
    for slot in entity.deletionSlots {
      guard let relationship = entity.properties[slot].relationship,
        let inverse = relationship.inverse,
        relationship.deleteRule == .nullify || relationship.deleteRule == .cascade
      else { continue }
      let destinations = destinations(of: object, slot: slot)
      // Those that cannot be read together are read one by one.
      try? realizeFaults(destinations.filter(\.isRowless))
      for destination in destinations
      where destination.flags.isDisjoint(with: [.deleted, .inaccessible])
        && leads(destination, inverse, to: object.key)
      {
        detachInverse(of: destination, slot: inverse, from: object)
      }
    }
  }

  /// Whether a to-one, or a to-many as far as it is loaded, leads to a key.
  private func leads(_ owner: GraphObject, _ slot: Int, to key: ObjectKey) -> Bool {
    if owner.entityDefinition.properties[slot].isToMany {
      guard var state = owner.detail?.toManys[toManyPosition(owner, slot)] else { return false }
      return state.contains(key)
    }
    return reference(owner, slot: slot) == key
  }

  /// Objects of the step that are deleted, or have left the context with the deletion of their rows: no
  /// link to them comes back.
  private func deadKeys(of step: UndoStep) -> Set<ObjectKey> {
    Set(
      step.entries.map(\.image.object)
        .filter { $0.registry !== registry || $0.flags.contains(.deleted) }.map(\.key)
    )
  }

  /// Removes the links to dead objects that undoing has made.
  private func unlinkDead(_ object: GraphObject, _ dead: Set<ObjectKey>) {
    if dead.isEmpty || object.registry !== registry || object.flags.contains(.deleted) { return }
    for slot in model.linkSlots.followed[object.key.entity] {
      if object.entityDefinition.properties[slot].isToMany {
        let added = object.detail?.toManys[toManyPosition(object, slot)]?.added ?? []
        for key in added.intersection(dead) { removeMember(object, slot: slot, key) }
      } else if object.detail?.changed.contains(slot) == true || object.flags.contains(.inserted),
        reference(object, slot: slot).map(dead.contains) == true
      {
        let place = willWrite(object, slot: slot)
        place.chunk.setNull(place.row, slot)
      }
    }
  }

  /// Empties the relationships that deny the deletion of an object which an undo removes.
  private func clearDenyingRelationships(_ object: GraphObject) {
    if object.flags.contains(.discarded) { return }
    for slot in object.entityDefinition.denyingSlots {
      if object.entityDefinition.properties[slot].isToMany {
        for key in memberKeys(object, slot: slot) { removeMember(object, slot: slot, key) }
      } else if reference(object, slot: slot) != nil {
        let place = willWrite(object, slot: slot)
        place.chunk.setNull(place.row, slot)
      }
    }
  }

  /// The key that an object of a step has by now.
  private func current(_ key: ObjectKey) -> ObjectKey { keys.undo.currentKey(for: key) }

  // MARK: Values

  private func putBack(_ slots: SlotSet, of image: ObjectImage) {
    let object = image.object
    guard let former = image.place else { return }
    for slot in slots {
      let place = willWrite(object, slot: slot)
      place.chunk.copySlot(slot, to: place.row, from: former.chunk, former.row)
      replaceFormerKey(place, slot)
      if place.chunk.layout.kinds[slot] == .opaque {
        object.madeDetail.objects[slot] = image.objects[slot]
      }
    }
  }

  private func replaceFormerKey(_ place: ChunkRow, _ slot: Int) {
    guard place.chunk.layout.kinds[slot] == .reference, !place.chunk.isNull(place.row, slot) else {
      return
    }
    place.chunk.setKey(place.row, slot, current(place.chunk.key(place.row, slot)))
  }

  private func putBack(_ change: UndoStep.MemberChange, of object: GraphObject) {
    for key in change.inserted { removeMember(object, slot: change.slot, current(key)) }
    for key in change.removed { addMember(object, slot: change.slot, current(key)) }
    guard let former = change.former else { return }
    order(object, change.slot, by: former.map(current))
  }

  func order(_ object: GraphObject, _ slot: Int, by former: [ObjectKey]) {
    guard object.entityDefinition.properties[slot].relationship?.isOrdered == true else { return }
    loadToMany(object, slot: slot)
    let changed = updateToMany(object, slot: slot) { state in
      let members = Set(state.keys)
      let order = former.filter(members.contains)
      let placed = Set(order)
      let wanted = order + state.keys.filter { !placed.contains($0) }
      if wanted == state.keys { return false }
      state.reorder(wanted)
      return true
    }
    if changed { beginRelationshipChange(object, slot: slot) }
  }

  // MARK: Objects that went

  private func bringBack(_ entry: UndoStep.Entry) {
    let object = entry.image.object
    let isKnown = object.registry === registry
    if isKnown && !object.flags.contains(.deleted) { return }
    capture(object)
    if isKnown && object.flags.isDisjoint(with: [.discarded, .inaccessible]) {
      undelete(entry)
    } else {
      insertAgain(entry)
    }
  }

  /// The deletion was not saved: the row is still there.
  private func undelete(_ entry: UndoStep.Entry) {
    let object = entry.image.object
    clearUnsaved(object)
    object.flags.remove(.propagated)
    note(object, .insertedInEvent)
    let wasChanged = object.detail?.base != nil || entry.image.flags.contains(.updated)
    if wasChanged { appendUpdated(object) }
    putBack(changedSlots(since: entry.image), of: entry.image)
    for change in entry.members { putBack(change, of: object) }
  }

  /// The object never had a row, or has lost it: it is new, under the key that it had last.
  private func insertAgain(_ entry: UndoStep.Entry) {
    let object = entry.image.object
    if object.registry !== registry {
      object.registry = registry
      registry.register(object)
      keep(object)
    }
    clearUnsaved(object)
    object.flags.subtract([.discarded, .propagated, .inaccessible, .fault])
    let place =
      entry.image.place.map { rows.copy(of: $0.chunk, row: $0.row, entity: object.key.entity) }
      ?? rows.newRow(entity: object.key.entity)
    for slot in object.entityDefinition.toOneSlots { replaceFormerKey(place, slot) }
    object.place(at: place.chunk, row: place.row)
    let detail = object.madeDetail
    forgetBase(detail)
    detail.objects = entry.image.objects
    for (position, slot) in object.entityDefinition.toManySlots.enumerated() {
      let isOrdered = object.entityDefinition.properties[slot].relationship?.isOrdered ?? false
      var state = ToMany(isOrdered: isOrdered, isNew: true)
      for key in formerMembers(entry, position, slot) { state.insert(current(key)) }
      detail.toManys[position] = state
    }
    markInserted(object)
  }

  private func formerMembers(_ entry: UndoStep.Entry, _ position: Int, _ slot: Int) -> [ObjectKey] {
    if let change = entry.members.first(where: { $0.slot == slot }) {
      return change.former ?? change.removed
    }
    var state = entry.image.toManys[position]
    return state?.keys ?? []
  }
}
