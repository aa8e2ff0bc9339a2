// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension MergeSession {
  /// Marks an object whose row no longer exists as deleted and inaccessible; its delete rules are applied
  /// later.
  func drop(_ object: GraphObject) {
    if object.chunk == nil {
      let place = RowChunk.single(object.entityDefinition.rowLayout)
      object.point(at: place.chunk, row: place.row)
      object.flags.remove(.fault)
    } else {
      graph.realizeFromRow(object)
    }
    object.flags.insert(.inaccessible)
    graph.markDeleted(object)
    graph.deletions.unpropagated.append(object)
  }

  /// Keeps the deletion of an object whose row has changed; its delete rules are applied later, to the
  /// relationships of the changed row.
  func delete(_ object: GraphObject, as stored: ChunkRow, by rule: MergeRule) throws {
    object.flags.remove([.fault, .propagated])
    object.point(at: stored.chunk, row: stored.row)
    let detail = object.detailCreatingIfNeeded
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

  /// Reverts a deletion: the object gets its stored values, and changes of its relationships that were made
  /// at the other ends are kept.
  func restore(_ object: GraphObject, to stored: ChunkRow, by rule: MergeRule) throws {
    let mine = object.chunk.map { (chunk: $0, row: object.rowIndex) }
    graph.clearUnsaved(object)
    object.flags.remove(.propagated)
    let place =
      object.flags.contains(.fault)
      ? stored : graph.withTransientDefaults(stored.chunk, stored.row, object.key.entity)
    object.point(at: place.chunk, row: place.row)
    if let detail = object.detail {
      graph.discardBase(detail)
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

  /// Removes deleted members from the to-manys of a restored object, because the save still deletes these
  /// members.
  ///
  /// For example, the reverted deletion may have cascaded to the members.
  private func removeDeletedMembers(of object: GraphObject) {
    for slot in graph.model.linkSlots.followed[object.key.entity]
    where graph.hasDeleted && object.entityDefinition.properties[slot].isToMany {
      for key in graph.memberKeys(object, slot: slot)
      where graph.registry.object(for: key)?.flags.contains(.deleted) == true {
        graph.removeMember(object, slot: slot, key)
      }
    }
  }

  /// Inserts an object again, because its row is gone; the new row has the object's old key.
  func insertAgain(_ object: GraphObject, by rule: MergeRule) throws {
    graph.realize(object)
    guard let chunk = object.chunk else { return }
    let copy = graph.rows.copy(of: chunk, row: object.rowIndex, entity: object.key.entity)
    object.point(at: copy.chunk, row: copy.row)
    graph.clearUnsaved(object)
    let detail = object.detailCreatingIfNeeded
    graph.discardBase(detail)
    object.flags.remove(.inaccessible)
    graph.markInserted(object)
    try emptyDeadReferences(of: object)
    for slot in object.entityDefinition.toManySlots
    where !object.entityDefinition.properties[slot].isTransient {
      try renewMembers(of: object, slot, by: rule)
    }
  }

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

  /// Restores the members of a to-many of an object that is inserted again.
  ///
  /// The store has deleted the links together with the row, so all links are made again, except stored links
  /// to members with a to-one inverse. These members are refreshed, because the deletion has changed their
  /// rows.
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
      let isChangedThere = graph.inverseKind(object, slot) == .reference && !added.contains(key)
      if isChangedThere {
        if let member = graph.registry.object(for: key) { try refresh(member, by: rule) }
      } else {
        graph.setMembership(of: object, slot, at: key, isStored: false, isCurrent: false)
        graph.insert(graph.object(for: key), into: object, slot: slot)
      }
    }
  }
}
