// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Undoing sets the former values of a step as new changes, which can be saved and undone in turn.
extension ObjectGraph {
  /// Undoes a step, and returns the objects that the undo restores, changes or deletes.
  ///
  /// Objects that the step restores return to the context if they have left it. If a merge has changed one
  /// side of a relationship since the step was made, the inverses are made to agree with the to-ones; see
  /// `reconcileInverses(of:)`. Links to an object that the undo deletes are cut even if they were made after
  /// the step.
  /// - Complexity: O(objects of the step), and statements for rows and members that are not loaded.
  package func undo(_ step: UndoStep) -> [UndoneObject] {
    var undone: [UndoneObject] = []
    let references = referencesToRestore(by: step)
    for entry in step.entries where entry.kind == .departure {
      restoreDeleted(entry)
      undone.append(UndoneObject(object: entry.image.object, event: .arrival))
    }
    addToOwners(undone.map(\.object))
    let dead = deadKeys(of: step)
    for entry in step.entries where entry.kind == .departure {
      let object = entry.image.object
      unlinkDead(object, dead)
      // A merge may have deleted members that are not part of the step.
      for (position, slot) in object.entityDefinition.toManySlots.enumerated()
      where object.detail?.toManys[position]?.isLoaded == true {
        removeDeletedMembers(of: object, slot)
      }
    }
    for entry in step.entries where entry.kind == .update {
      let object = entry.image.object
      guard object.registry === registry, !object.flags.contains(.deleted) else { continue }
      if object.isWatched { host.willReplaceValues(of: object) }
      restore(entry.slots, of: entry.image)
      for change in entry.members { restore(change, of: entry.image) }
      unlinkDead(object, dead)
      if object.isWatched { host.didReplaceValues(of: object) }
      undone.append(UndoneObject(object: object, event: .update))
    }
    reconcileInverses(of: references)
    for entry in step.entries where entry.kind != .arrival { removeMembersOfOthers(entry) }
    let leaving = step.entries.filter { $0.kind == .arrival }.map(\.image.object).filter {
      $0.registry === registry && !$0.flags.contains(.deleted)
    }
    do {
      try loadMembers(of: leaving) { _ in true }
    } catch {
      // An undo cannot throw.
      host.faultFailed(leaving[0], error)
    }
    for object in leaving where !object.flags.contains(.deleted) {
      object.flags.insert(.propagated)
      markDeleted(object)
      clearDenyingRelationships(object)
      undone.append(UndoneObject(object: object, event: .departure))
    }
    for object in leaving { removeFromInverses(of: object) }
    return undone
  }

  /// Cuts the links to an object that an undo has deleted.
  ///
  /// A merge may have made such links after the step was made.
  private func removeFromInverses(of object: GraphObject) {
    if object.flags.contains(.discarded) { return }
    let entity = object.entityDefinition
    for slot in entity.deletionSlots {
      guard let relationship = entity.properties[slot].relationship,
        let inverse = relationship.inverse,
        relationship.deleteRule == .nullify || relationship.deleteRule == .cascade
      else { continue }
      let destinations = destinations(of: object, slot: slot)
      // If this load fails, each fault reads its own row below.
      try? realizeFaults(destinations.filter(\.isRowless))
      for destination in destinations
      where destination.flags.isDisjoint(with: [.deleted, .inaccessible])
        && leads(destination, inverse, to: object.key)
      {
        detachInverse(of: destination, slot: inverse, from: object)
      }
    }
  }

  /// Returns whether a relationship leads to a key; if a to-many is not loaded, only its added members count.
  func leads(_ owner: GraphObject, _ slot: Int, to key: ObjectKey) -> Bool {
    if owner.entityDefinition.properties[slot].isToMany {
      guard var state = owner.detail?.toManys[toManyPosition(owner, slot)] else { return false }
      return state.contains(key)
    }
    return reference(owner, slot: slot) == key
  }

  /// Returns the keys to which links are not restored.
  ///
  /// These are the keys of the step's objects that are deleted or have left the context, and the keys of
  /// unregistered destinations without a row.
  private func deadKeys(of step: UndoStep) -> Set<ObjectKey> {
    let dead = step.entries.map(\.image.object)
      .filter { $0.registry !== registry || $0.flags.contains(.deleted) }.map(\.key)
    let unknown = step.entries.reduce(into: Set<ObjectKey>()) { keys, entry in
      keys.formUnion(restoredDestinations(of: entry).filter { registry.object(for: $0) == nil })
    }
    return withoutRows(unknown).union(dead)
  }

  /// Returns the destinations of the links that undoing restores, for relationships from which a context
  /// removes deleted objects; see `LinkSlots.followed`.
  private func restoredDestinations(of entry: UndoStep.Entry) -> [ObjectKey] {
    if entry.kind == .arrival { return [] }
    let object = entry.image.object
    return model.linkSlots.followed[object.key.entity].flatMap { slot -> [ObjectKey] in
      if object.entityDefinition.properties[slot].isToMany {
        let change = entry.members.first { $0.slot == slot }
        return (change?.removed ?? []) + (entry.kind == .departure ? change?.former ?? [] : [])
      }
      guard entry.kind == .departure || entry.slots.contains(slot), let place = entry.image.chunkRow
      else { return [] }
      return [key(place, slot)].compactMap { $0 }
    }.map(current)
  }

  /// Removes the links to dead objects that undoing has restored.
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

  func current(_ key: ObjectKey) -> ObjectKey { keys.undo.currentKey(for: key) }

  // MARK: Values

  private func restore(_ slots: SlotSet, of image: ObjectImage) {
    let object = image.object
    guard let former = image.chunkRow else { return }
    for slot in slots {
      let place = willWrite(object, slot: slot)
      place.chunk.copySlot(slot, to: place.row, from: former.chunk, former.row)
      replaceFormerKey(place, slot)
      if place.chunk.layout.kinds[slot] == .opaque {
        object.detailCreatingIfNeeded.objects[slot] = image.objects[slot]
      }
    }
  }

  private func replaceFormerKey(_ place: ChunkRow, _ slot: Int) {
    guard place.chunk.layout.kinds[slot] == .reference, !place.chunk.isNull(place.row, slot) else {
      return
    }
    place.chunk.setKey(place.row, slot, current(place.chunk.key(place.row, slot)))
  }

  private func restore(_ change: UndoStep.MemberChange, of image: ObjectImage) {
    let object = image.object
    for key in change.inserted { removeMember(object, slot: change.slot, current(key)) }
    let added = image.toManys[toManyPosition(object, change.slot)]?.added ?? []
    for key in change.removed {
      if !added.contains(key), takeBackRemoval(object, change.slot, key) { continue }
      addMember(object, slot: change.slot, current(key))
    }
    guard let former = change.former else { return }
    order(object, change.slot, by: former.map(current))
  }

  /// Cancels the unsaved removal of a member of an unordered to-many that is not loaded.
  ///
  /// If an addition were recorded instead, the member would stay even if another context removed it.
  /// - Returns: false, without an effect, if the to-many is loaded or ordered, or if the member was not
  ///   removed.
  private func takeBackRemoval(_ object: GraphObject, _ slot: Int, _ key: ObjectKey) -> Bool {
    let changed = updateToMany(object, slot: slot) { $0.takeBackRemoval(of: current(key)) }
    if changed { beginRelationshipChange(object, slot: slot) }
    return changed
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

  // MARK: Deleted objects

  private func restoreDeleted(_ entry: UndoStep.Entry) {
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

  /// Reverts the deletion of an object whose row still exists.
  private func undelete(_ entry: UndoStep.Entry) {
    let object = entry.image.object
    clearUnsaved(object)
    object.flags.remove(.propagated)
    note(object, .insertedInEvent)
    let wasChanged = object.detail?.base != nil || entry.image.flags.contains(.updated)
    if wasChanged { appendUpdated(object) }
    restore(changedSlots(since: entry.image), of: entry.image)
    for change in entry.members { restore(change, of: entry.image) }
  }

  /// Inserts an object that never had a row, or whose row is gone, under the object's last key.
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
      entry.image.chunkRow.map { rows.copy(of: $0.chunk, row: $0.row, entity: object.key.entity) }
      ?? rows.newRow(entity: object.key.entity)
    for slot in object.entityDefinition.toOneSlots { replaceFormerKey(place, slot) }
    object.point(at: place.chunk, row: place.row)
    let detail = object.detailCreatingIfNeeded
    discardBase(detail)
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
