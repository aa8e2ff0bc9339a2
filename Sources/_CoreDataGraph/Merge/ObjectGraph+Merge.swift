// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Conflicts of a save: the rule's decision, carried out on the objects.
extension ObjectGraph {
  package typealias Place = (chunk: RowChunk, row: Int)

  /// Ends the conflict between an object and its stored row, so that the save can be tried again.
  ///
  /// `stored` is the newest row, nil where it is gone.
  /// - Throws: what reading the members of its to-manys throws.
  /// - Complexity: one statement for each changed to-many of the object, and for each one-to-one and
  ///   each destination without inverse that it changed.
  package func resolve(_ object: GraphObject, stored: Place?, by rule: MergeRule) throws {
    capture(object)
    if object.isWatched { host.willReplaceValues(of: object) }
    defer { if object.isWatched { host.didReplaceValues(of: object) } }
    switch rule.outcome(mine: fate(object), stored: stored == nil ? .deleted : .changed) {
    case .merge:
      if let stored { try merge(object, with: stored, by: rule) }
    case .insertAgain:
      // What was never read has no values to insert.
      if object.chunk == nil { drop(object) } else { try insertAgain(object, by: rule) }
    case .drop: drop(object)
    case .delete:
      if let stored { try delete(object, as: stored, by: rule) }
    case .restore:
      if let stored { try restore(object, to: stored, by: rule) }
    case .gone: object.flags.insert(.inaccessible)
    }
  }

  func fate(_ object: GraphObject) -> MergeRule.Fate {
    if object.flags.contains(.deleted) { return .deleted }
    return object.flags.isDisjoint(with: [.updated, .inserted]) ? .unchanged : .changed
  }

  // MARK: Changed on both sides

  private func merge(_ object: GraphObject, with stored: Place, by policy: MergeRule) throws {
    // An object without unsaved changes has nothing to write.
    let rule = fate(object) == .unchanged ? .storeTrump : policy
    guard let chunk = object.chunk else {
      // Only to-manys were touched, the row was never read.
      object.place(at: stored.chunk, row: stored.row)
      try mergeMembers(of: object, by: rule)
      return
    }
    let mine: Place = (chunk, object.rowIndex)
    // Another save has inserted the row again: there was a row to start from, or nothing is known of it.
    let isInserted = object.flags.contains(.inserted)
    let base = isInserted ? meetInserted(object) : object.detail?.base ?? mine
    let merged = drafts.copy(of: stored.chunk, row: stored.row, entity: object.key.entity)
    var references: [Int] = []
    for property in object.entityDefinition.properties {
      let slot = property.slot
      if property.isToMany || chunk.layout.kinds[slot] == .none { continue }
      if property.isTransient {
        merged.chunk.copySlot(slot, to: merged.row, from: chunk, mine.row)
        continue
      }
      let side = rule.side(
        changedHere: base.map { !chunk.slotEquals(mine.row, slot, $0.chunk, $0.row) } ?? true,
        changedThere: base.map { !stored.chunk.slotEquals(stored.row, slot, $0.chunk, $0.row) }
          ?? true
      )
      if side == .mine {
        merged.chunk.copySlot(slot, to: merged.row, from: chunk, mine.row)
      } else {
        object.detail?.objects[slot] = nil
      }
      if property.isToOne { references.append(slot) }
    }
    object.place(at: merged.chunk, row: merged.row)
    object.madeDetail.base = stored
    object.madeDetail.baseObjects = [:]
    object.madeDetail.changed.formUnion(SlotSet(object.entityDefinition.storedSlots))
    for slot in references {
      try settleReference(
        of: object,
        slot,
        mine: key(mine, slot),
        stored: key(stored, slot),
        base: base.flatMap { key($0, slot) },
        // Others whose turn comes with this one are decided by the policy itself.
        by: policy
      )
    }
    try mergeMembers(of: object, by: rule)
    finishMerge(object)
  }

  /// An object that was to be inserted has a row: it is changed instead.
  ///
  /// - Returns: the row that its changes began with; nil where that is not known.
  private func meetInserted(_ object: GraphObject) -> Place? {
    clearUnsaved(object)
    appendUpdated(object)
    guard let journal = backup?.journal, let position = journal.position(of: object) else {
      return nil
    }
    let image = journal.images[position]
    return image.flags.contains(.inserted) ? nil : image.base ?? image.place
  }

  /// An object that is as its row again has nothing to save.
  private func finishMerge(_ object: GraphObject) {
    note(object, .updatedInEvent)
    guard let detail = object.detail else { return }
    detail.changed = changedSlots(object)
    guard detail.changed.isEmpty else { return }
    clearUnsaved(object)
    forgetBase(detail)
  }

  func key(_ place: Place, _ slot: Int) -> ObjectKey? {
    place.chunk.isNull(place.row, slot) ? nil : place.chunk.key(place.row, slot)
  }

  // MARK: Deleted on one side

  /// The row is gone, and so is the object; what the delete rules say happens here too.
  private func drop(_ object: GraphObject) {
    if object.chunk == nil {
      object.place(at: RowChunk(layout: object.entityDefinition.rowLayout, capacity: 1), row: 0)
      _ = object.chunk?.appendRow()
      object.flags.remove(.fault)
    } else {
      realizeFromRow(object)
    }
    object.flags.insert(.inaccessible)
    markDeleted(object)
    unpropagated.append(object)
  }

  /// The deletion stays; the delete rules reach those who came to the row meanwhile.
  private func delete(_ object: GraphObject, as stored: Place, by rule: MergeRule) throws {
    object.flags.remove([.fault, .propagated])
    object.place(at: stored.chunk, row: stored.row)
    let detail = object.madeDetail
    detail.base = stored
    for property in object.entityDefinition.properties where property.relationship != nil {
      let slot = property.slot
      if property.isTransient { continue }
      if property.isToMany { detail.toManys[toManyPosition(object, slot)] = nil }
      for destination in destinations(of: object, slot: slot) {
        try refresh(destination, by: rule)
      }
    }
    unpropagated.append(object)
  }

  /// No longer deleted: the stored values, and what changed meanwhile at the other ends.
  private func restore(_ object: GraphObject, to stored: Place, by rule: MergeRule) throws {
    let mine = object.chunk.map { (chunk: $0, row: object.rowIndex) }
    clearUnsaved(object)
    object.flags.remove(.propagated)
    let place =
      object.flags.contains(.fault)
      ? stored : withTransientDefaults(stored.chunk, stored.row, object.key.entity)
    object.place(at: place.chunk, row: place.row)
    if let detail = object.detail {
      forgetBase(detail)
      detail.objects = [:]
    }
    for slot in object.entityDefinition.toOneSlots
    where !object.entityDefinition.properties[slot].isTransient {
      let reference = key(stored, slot)
      try settleReference(
        of: object,
        slot,
        mine: mine.flatMap { key($0, slot) },
        stored: reference,
        base: reference,
        by: rule
      )
    }
    try mergeMembers(of: object, by: .objectTrump)
    note(object, .updatedInEvent)
    leaveDeleted(object)
    for slot in object.entityDefinition.toManySlots
    where object.detail?.toManys[toManyPosition(object, slot)]?.hasChanges == true {
      beginRelationshipChange(object, slot: slot)
    }
  }

  /// A restored object loses the members that its deletion cascaded to: they go with the same save.
  private func leaveDeleted(_ object: GraphObject) {
    for slot in linkSlots.followed[object.key.entity]
    where hasDeleted && object.entityDefinition.properties[slot].isToMany {
      for key in memberKeys(object, slot: slot)
      where registry.object(for: key)?.flags.contains(.deleted) == true {
        removeMember(object, slot: slot, key)
      }
    }
  }

  /// The object's row is gone, but the object stays: a new row of its own under the old key.
  private func insertAgain(_ object: GraphObject, by rule: MergeRule) throws {
    realize(object)
    guard let chunk = object.chunk else { return }
    let copy = drafts.copy(of: chunk, row: object.rowIndex, entity: object.key.entity)
    object.place(at: copy.chunk, row: copy.row)
    clearUnsaved(object)
    let detail = object.madeDetail
    forgetBase(detail)
    object.flags.remove(.inaccessible)
    markInserted(object)
    try emptyDeadReferences(of: object)
    for slot in object.entityDefinition.toManySlots
    where !object.entityDefinition.properties[slot].isTransient {
      try renewMembers(of: object, slot, by: rule)
    }
  }

  /// A new row leads to no row that is gone, whatever the former one led to.
  private func emptyDeadReferences(of object: GraphObject) throws {
    guard let chunk = object.chunk else { return }
    for slot in object.entityDefinition.toOneSlots
    where !object.entityDefinition.properties[slot].isTransient {
      guard let key = key((chunk, object.rowIndex), slot) else { continue }
      let known = registry.object(for: key)
      if known?.flags.contains(.inserted) == true || key.isTemporary { continue }
      if known?.flags.contains(.deleted) == true {
        chunk.setNull(object.rowIndex, slot)
      } else if try newest(key) == nil {
        chunk.setNull(object.rowIndex, slot)
      }
    }
  }

  /// The store has forgotten the members with the row: pairs are written anew, and rows whose to-one led
  /// here are read again, because the deletion has changed them.
  private func renewMembers(
    of object: GraphObject,
    _ slot: Int,
    by rule: MergeRule
  ) throws {
    let position = toManyPosition(object, slot)
    guard var state = object.detail?.toManys[position] else { return }
    let added = state.added
    let members = state.keys
    let isOrdered = state.isOrdered
    object.detail?.toManys[position] = ToMany(isOrdered: isOrdered, isNew: true)
    for key in members {
      let isChangedThere = mirror(object, slot) == .reference && !added.contains(key)
      if isChangedThere {
        if let member = registry.object(for: key) { try refresh(member, by: rule) }
      } else {
        settle(key, object, slot, isStored: false, isCurrent: false)
        insert(self.object(for: key), into: object, slot: slot)
      }
    }
  }

  /// Merges a realised object with its row where that is newer; nothing for new objects.
  ///
  /// A fault takes the row where it was read already, so that it needs no statement of its own.
  func refresh(_ object: GraphObject, by rule: MergeRule) throws {
    guard object.flags.isDisjoint(with: [.inserted, .deleted]) else { return }
    if object.flags.contains(.fault) {
      guard case .some(.some(let stored)) = backup?.newest[registry.identity(object.key)] else {
        return
      }
      capture(object)
      return fill(object, from: stored.chunk, row: stored.row)
    }
    guard let stored = try newest(object.key),
      stored.chunk.version(stored.row) != expectedVersion(object)
    else { return }
    capture(object)
    try merge(object, with: stored, by: rule)
  }
}
