// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

extension ObjectGraph {
  /// Turns an object into a fault without a row, so that the next access reads the row again.
  ///
  /// Discards transient values and unsaved changes, including those at the other ends of the object's
  /// relationships. Links to deleted objects are not restored. Does nothing for inserted and deleted objects.
  /// The effect cannot be undone.
  package func turnIntoFault(_ object: GraphObject) {
    guard object.flags.isDisjoint(with: [.inserted, .deleted]) else { return }
    let journal = journals.undo
    journals.undo = nil
    defer { journals.undo = journal }
    defer { renewImage(of: object, in: journal) }
    if object.isWatched { host.willReplaceValues(of: object) }
    var cut: [(slot: Int, key: ObjectKey)] = []
    if object.flags.contains(.updated) { cut = revertRelationships(object) }
    clearUnsaved(object)
    let observers = object.detail?.observers
    object.detail = nil
    if object.chunk != nil { rows.replaced += 1 }
    if let observers { object.detailCreatingIfNeeded.observers = observers }
    object.point(at: nil, row: 0)
    object.flags.insert(.fault)
    object.flags.subtract([.inaccessible, .propagated])
    note(object, .refreshedInEvent)
    for link in cut { cutLink(of: object, slot: link.slot, to: link.key) }
    if object.isWatched { host.didReplaceValues(of: object) }
  }

  private func cutLink(of object: GraphObject, slot: Int, to key: ObjectKey) {
    if object.entityDefinition.properties[slot].isToMany {
      removeMember(object, slot: slot, key)
    } else if reference(object, slot: slot) == key {
      setReference(object, slot: slot, to: nil)
    }
  }

  /// Reverts the unsaved changes of the object's relationships that have an inverse, at both ends.
  ///
  /// - Returns: the stored links to objects that are deleted here; the caller must cut these links again.
  private func revertRelationships(
    _ object: GraphObject
  ) -> [(slot: Int, key: ObjectKey)] {
    guard let detail = object.detail else { return [] }
    var cut: [(slot: Int, key: ObjectKey)] = []
    for slot in detail.changed {
      let property = object.entityDefinition.properties[slot]
      guard property.relationship?.inverse != nil else { continue }
      if property.isToMany {
        // A member that was added before the members were loaded may also be a stored member, so the stored
        // members are needed.
        loadToMany(object, slot: slot)
        guard let state = detail.toManys[toManyPosition(object, slot)] else { continue }
        for key in state.added {
          remove(self.object(for: key), from: object, slot: slot)
          setMembership(of: object, slot, at: key, isStored: false, isCurrent: false)
        }
        for key in state.removed {
          let former = self.object(for: key)
          if former.flags.contains(.deleted) {
            cut.append((slot, key))
          } else {
            insert(former, into: object, slot: slot)
            setMembership(of: object, slot, at: key, isStored: true, isCurrent: true)
          }
        }
      } else if let base = detail.base {
        let key = base.chunk.isNull(base.row, slot) ? nil : base.chunk.key(base.row, slot)
        if key == reference(object, slot: slot) { continue }
        let former = key.map { self.object(for: $0) }
        if let former, former.flags.contains(.deleted) {
          cut.append((slot, former.key))
          setReference(object, slot: slot, to: nil)
        } else {
          let mine = reference(object, slot: slot)
          setReference(object, slot: slot, to: former)
          // Both ends have their stored values again, so neither end may keep a recorded addition or removal.
          for end in [key, mine] {
            guard let end else { continue }
            setMembership(of: object, slot, at: end, isStored: end == key, isCurrent: end == key)
          }
        }
      }
    }
    return cut
  }

  /// Makes a newer row the stored row of an object, and keeps unsaved changes and transient values.
  ///
  /// If the changes of the current event are undone later, each value that had no earlier unsaved change
  /// becomes the value in the newer row.
  /// - Throws: an error from reading the members of a changed to-many; the object is then unchanged.
  /// - Complexity: one statement for each changed to-many that is not transient.
  package func rebase(_ object: GraphObject, on chunk: RowChunk, row: Int) throws {
    let members = try storedMembers(ofChangedToManys: object)
    if object.isWatched { host.willReplaceValues(of: object) }
    defer { if object.isWatched { host.didReplaceValues(of: object) } }
    note(object, .refreshedInEvent)
    if object.chunk != nil { rows.replaced += 1 }
    let journal = journals.undo
    journals.undo = nil
    defer { journals.undo = journal }
    moveMemberships(of: object, chunk, row)
    rebaseImage(of: object, in: journal, on: (chunk, row))
    guard let own = object.chunk, !object.flags.contains(.fault) else {
      object.point(at: chunk, row: row)
      replayToManys(object, members)
      return
    }
    // Default values are usually set when a fault fires. A rollback restores this row without firing a fault,
    // so the default values are set now.
    let (chunk, row) = withTransientDefaults(chunk, row, object.key.entity)
    let kept = keptSlots(object, own)
    if kept.isEmpty, object.flags.isDisjoint(with: .unsaved) {
      object.point(at: chunk, row: row)
      object.detail.map(discardBase)
    } else {
      let merged = rows.copy(of: chunk, row: row, entity: object.key.entity)
      for slot in kept {
        merged.chunk.setValue(merged.row, slot, own.value(object.rowIndex, slot))
      }
      object.point(at: merged.chunk, row: merged.row)
      object.detailCreatingIfNeeded.base = (chunk, row)
    }
    discardLiveObjects(object, besides: kept)
    replayToManys(object, members)
  }

  /// Sets the version of an unchanged object to the version of a newer row that has the same values; reports
  /// no change.
  ///
  /// - Returns: false, without an effect, if the object is a fault, is deleted, has unsaved changes or
  ///   unrecorded values, or has a value that differs from the row's.
  package func adoptVersion(_ object: GraphObject, of chunk: RowChunk, row: Int) -> Bool {
    guard object.flags.isDisjoint(with: [.fault, .inserted, .updated, .deleted]),
      let own = object.chunk, object.detail?.base == nil
    else { return false }
    let isEqual = object.entityDefinition.storedSlots.allSatisfy {
      own.layout.kinds[$0] == .none || own.slotEquals(object.rowIndex, $0, of: chunk, row: row)
    }
    if isEqual { own.setVersion(object.rowIndex, chunk.version(row)) }
    return isEqual
  }

  /// Moves the object between the loaded to-manys at the other ends of its to-ones, as a newer row requires.
  ///
  /// Leaves out to-ones that were changed here.
  private func moveMemberships(of object: GraphObject, _ chunk: RowChunk, _ row: Int) {
    guard object.flags.isDisjoint(with: [.inserted, .deleted]), let former = committedRow(object)
    else { return }
    let changed = object.detail?.changed ?? SlotSet()
    for slot in object.entityDefinition.toOneSlots
    where inverseKind(object, slot) == .members && !changed.contains(slot) {
      moveMembership(of: object, slot, from: former, to: (chunk, row))
    }
  }

  private func storedMembers(
    ofChangedToManys object: GraphObject
  ) throws -> [Int: [ObjectKey]] {
    guard let detail = object.detail else { return [:] }
    var stored: [Int: [ObjectKey]] = [:]
    for (position, slot) in object.entityDefinition.toManySlots.enumerated()
    where detail.toManys[position]?.hasChanges == true
      && !object.entityDefinition.properties[slot].isTransient
    {
      stored[position] = try host.loadMembers(of: [object.key], slot: slot).first
    }
    return stored
  }

  /// Replaces the row of an object with the newer row that a fetch has read, and keeps unsaved changes.
  ///
  /// Does nothing if the object has no row or already has the version of the newer row, or if it is inserted,
  /// deleted or inaccessible.
  /// - Throws: the errors of `rebase(_:on:row:)`.
  package func refresh(_ object: GraphObject, from chunk: RowChunk, row: Int) throws {
    guard object.flags.isDisjoint(with: [.inserted, .deleted, .inaccessible]),
      let place = committedRow(object), place.chunk.version(place.row) != chunk.version(row)
    else { return }
    let former = object.flags.contains(.updated) ? object.detail?.base : nil
    try rebase(object, on: chunk, row: row)
    if let former { reconcileKeptReferences(of: object, since: former) }
  }

  /// Returns the slots whose values are kept when a newer row arrives.
  ///
  /// These are the changed slots, the slots with unrecorded changes, and the slots of transient attributes
  /// that have a value or a default value.
  private func keptSlots(_ object: GraphObject, _ own: RowChunk) -> SlotSet {
    var kept = SlotSet()
    let properties = object.entityDefinition.properties
    if let detail = object.detail, detail.base != nil {
      for slot in changedSlots(object) where !properties[slot].isToMany { kept.insert(slot) }
      kept.formUnion(detail.untracked)
    }
    for slot in object.entityDefinition.transientSlots where !own.isNull(object.rowIndex, slot) {
      kept.insert(slot)
    }
    // A transient attribute with a default value is nil only if nil was set, so nil is kept, too.
    for slot in object.entityDefinition.transientDefaultSlots { kept.insert(slot) }
    return kept
  }

  private func discardLiveObjects(_ object: GraphObject, besides kept: SlotSet) {
    guard let detail = object.detail, !detail.objects.isEmpty else { return }
    let properties = object.entityDefinition.properties
    detail.objects = detail.objects.filter {
      kept.contains($0.key) || properties[$0.key].isTransient
    }
    detail.baseObjects = [:]
  }

  /// Applies the unsaved changes of to-manys to the stored members in `stored`.
  ///
  /// A to-many without unsaved changes is unloaded. Transient to-manys are left unchanged.
  private func replayToManys(_ object: GraphObject, _ stored: [Int: [ObjectKey]]) {
    guard let detail = object.detail else { return }
    let definition = object.entityDefinition
    for position in detail.toManys.indices {
      guard let state = detail.toManys[position],
        !definition.properties[definition.toManySlots[position]].isTransient
      else { continue }
      if !state.hasChanges {
        detail.toManys[position] = nil
        continue
      }
      var replayed = ToMany(isOrdered: state.isOrdered, isNew: false)
      if let keys = stored[position] { replayed.load(keys) }
      for key in state.removed { replayed.remove(key) }
      for key in state.added { replayed.insert(key) }
      detail.toManys[position] = replayed
      // A member that another context has added may be deleted here.
      if replayed.isLoaded { removeDeletedMembers(of: object, definition.toManySlots[position]) }
    }
  }

  /// Makes the current row the stored row, by forgetting the base and the recorded changes.
  func discardBase(_ detail: ObjectDetail) {
    detail.base = nil
    detail.baseObjects = [:]
    detail.changed = SlotSet()
    detail.changedInEvent = SlotSet()
    detail.untracked = SlotSet()
    detail.announced = [:]
  }
}

extension ObjectGraph {
  /// Whether the graph retains every registered object until the object leaves the context; false by default.
  package var keepsObjects: Bool {
    get { retained != nil }
    set {
      if newValue == keepsObjects { return }
      retained = newValue ? [:] : nil
      if newValue { for object in registry.objects { keep(object) } }
    }
  }

  package func keep(_ object: GraphObject) {
    if retained != nil { retained?[ObjectIdentifier(object)] = object }
  }
}
