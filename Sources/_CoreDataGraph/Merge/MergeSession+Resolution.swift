// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Conflicts between an object and its row: what the merge rule decides, carried out on the object.
extension MergeSession {
  /// Resolves the conflict between an object and its stored row, so that the save can be tried again.
  ///
  /// `stored` is the newest row, nil where it is gone.
  /// - Throws: what reading the members of its to-manys throws.
  /// - Complexity: one statement for each changed to-many of the object, and for each one-to-one and
  ///   each destination without inverse that it changed.
  package func resolve(_ object: GraphObject, stored: ChunkRow?, by rule: MergeRule) throws {
    graph.capture(object)
    if object.isWatched { graph.host.willReplaceValues(of: object) }
    defer { if object.isWatched { graph.host.didReplaceValues(of: object) } }
    switch rule.outcome(mine: fate(object), stored: stored == nil ? .deleted : .changed) {
    case .merge:
      if let stored { try merge(object, with: stored, by: rule) }
    case .insertAgain:
      // An object that was never read has no values to insert.
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

  private func merge(_ object: GraphObject, with stored: ChunkRow, by policy: MergeRule) throws {
    // An object without unsaved changes has nothing to write.
    let rule = fate(object) == .unchanged ? .storeTrump : policy
    guard let chunk = object.chunk else {
      // Only to-manys were touched, the row was never read.
      object.place(at: stored.chunk, row: stored.row)
      try mergeMembers(of: object, by: rule)
      return
    }
    let mine: ChunkRow = (chunk, object.rowIndex)
    // Another save has inserted the row again: there was a row to start from, or nothing is known of it.
    let isInserted = object.flags.contains(.inserted)
    let base = isInserted ? turnIntoUpdate(object) : object.detail?.base ?? mine
    let merged = graph.rows.copy(of: stored.chunk, row: stored.row, entity: object.key.entity)
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
      try reconcileReference(
        of: object,
        slot,
        mine: graph.key(mine, slot),
        stored: graph.key(stored, slot),
        base: base.flatMap { graph.key($0, slot) },
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
  private func turnIntoUpdate(_ object: GraphObject) -> ChunkRow? {
    graph.clearUnsaved(object)
    graph.appendUpdated(object)
    guard let journal = backup?.journal, let position = journal.position(of: object) else {
      return nil
    }
    let image = journal.images[position]
    return image.flags.contains(.inserted) ? nil : image.base ?? image.place
  }

  /// An object that is as its row again has nothing to save.
  private func finishMerge(_ object: GraphObject) {
    graph.note(object, .updatedInEvent)
    guard let detail = object.detail else { return }
    detail.changed = graph.changedSlots(object)
    guard detail.changed.isEmpty else { return }
    graph.clearUnsaved(object)
    graph.forgetBase(detail)
  }

  // MARK: Deleted on one side

  /// The row is gone, and so is the object; what the delete rules say happens here too.
  private func drop(_ object: GraphObject) {
    if object.chunk == nil {
      object.place(at: RowChunk(layout: object.entityDefinition.rowLayout, capacity: 1), row: 0)
      _ = object.chunk?.appendRow()
      object.flags.remove(.fault)
    } else {
      graph.realizeFromRow(object)
    }
    object.flags.insert(.inaccessible)
    graph.markDeleted(object)
    graph.deletions.unpropagated.append(object)
  }

  /// The deletion stays; the delete rules reach the objects that were related to the row meanwhile.
  private func delete(_ object: GraphObject, as stored: ChunkRow, by rule: MergeRule) throws {
    object.flags.remove([.fault, .propagated])
    object.place(at: stored.chunk, row: stored.row)
    let detail = object.madeDetail
    detail.base = stored
    for property in object.entityDefinition.properties where property.relationship != nil {
      let slot = property.slot
      if property.isTransient { continue }
      if property.isToMany { detail.toManys[graph.toManyPosition(object, slot)] = nil }
      for destination in graph.destinations(of: object, slot: slot) {
        try refresh(destination, by: rule)
      }
    }
    graph.deletions.unpropagated.append(object)
  }

  /// No longer deleted: the stored values, and what changed meanwhile at the other ends.
  private func restore(_ object: GraphObject, to stored: ChunkRow, by rule: MergeRule) throws {
    let mine = object.chunk.map { (chunk: $0, row: object.rowIndex) }
    graph.clearUnsaved(object)
    object.flags.remove(.propagated)
    let place =
      object.flags.contains(.fault)
      ? stored : graph.withTransientDefaults(stored.chunk, stored.row, object.key.entity)
    object.place(at: place.chunk, row: place.row)
    if let detail = object.detail {
      graph.forgetBase(detail)
      detail.objects = [:]
    }
    for slot in object.entityDefinition.toOneSlots
    where !object.entityDefinition.properties[slot].isTransient {
      let reference = graph.key(stored, slot)
      try reconcileReference(
        of: object,
        slot,
        mine: mine.flatMap { graph.key($0, slot) },
        stored: reference,
        base: reference,
        by: rule
      )
    }
    try mergeMembers(of: object, by: .objectTrump)
    graph.note(object, .updatedInEvent)
    removeDeletedMembers(of: object)
    for slot in object.entityDefinition.toManySlots
    where object.detail?.toManys[graph.toManyPosition(object, slot)]?.hasChanges == true {
      graph.beginRelationshipChange(object, slot: slot)
    }
  }

  /// A restored object loses the members that its deletion cascaded to: they go with the same save.
  private func removeDeletedMembers(of object: GraphObject) {
    for slot in graph.model.linkSlots.followed[object.key.entity]
    where graph.hasDeleted && object.entityDefinition.properties[slot].isToMany {
      for key in graph.memberKeys(object, slot: slot)
      where graph.registry.object(for: key)?.flags.contains(.deleted) == true {
        graph.removeMember(object, slot: slot, key)
      }
    }
  }

  /// The object's row is gone, but the object stays: a new row of its own under the old key.
  private func insertAgain(_ object: GraphObject, by rule: MergeRule) throws {
    graph.realize(object)
    guard let chunk = object.chunk else { return }
    let copy = graph.rows.copy(of: chunk, row: object.rowIndex, entity: object.key.entity)
    object.place(at: copy.chunk, row: copy.row)
    graph.clearUnsaved(object)
    let detail = object.madeDetail
    graph.forgetBase(detail)
    object.flags.remove(.inaccessible)
    graph.markInserted(object)
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
      guard let key = graph.key((chunk, object.rowIndex), slot) else { continue }
      let known = graph.registry.object(for: key)
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
    let position = graph.toManyPosition(object, slot)
    guard var state = object.detail?.toManys[position] else { return }
    let added = state.added
    let members = state.keys
    let isOrdered = state.isOrdered
    object.detail?.toManys[position] = ToMany(isOrdered: isOrdered, isNew: true)
    for key in members {
      let isChangedThere = graph.mirror(object, slot) == .reference && !added.contains(key)
      if isChangedThere {
        if let member = graph.registry.object(for: key) { try refresh(member, by: rule) }
      } else {
        graph.setMembership(of: object, slot, at: key, isStored: false, isCurrent: false)
        graph.insert(graph.object(for: key), into: object, slot: slot)
      }
    }
  }

  /// Merges a realised object with its row where that is newer; nothing for new objects.
  ///
  /// A fault gets the row if it was read already, so that firing it needs no statement.
  func refresh(_ object: GraphObject, by rule: MergeRule) throws {
    guard object.flags.isDisjoint(with: [.inserted, .deleted]) else { return }
    if object.flags.contains(.fault) {
      guard case .some(.some(let stored)) = newestRows[graph.registry.identity(object.key)] else {
        return
      }
      graph.capture(object)
      return graph.fill(object, from: stored.chunk, row: stored.row)
    }
    guard let stored = try newest(object.key),
      stored.chunk.version(stored.row) != graph.expectedVersion(object)
    else { return }
    graph.capture(object)
    try merge(object, with: stored, by: rule)
  }
}
