// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Applies changes that were read from the store at one side of a relationship to the other side, if that
/// side is loaded.
extension ObjectGraph {
  enum InverseKind {
    case nothing, reference, members
  }

  func inverseKind(_ object: GraphObject, _ slot: Int) -> InverseKind {
    let property = object.entityDefinition.properties[slot]
    guard let relationship = property.relationship, let inverse = relationship.inverse else {
      return .nothing
    }
    return model.entities[relationship.destination].properties[inverse].isToMany
      ? .members : .reference
  }

  func inverseSlot(_ object: GraphObject, _ slot: Int) -> Int? {
    object.entityDefinition.properties[slot].relationship?.inverse
  }

  /// Writes a to-one and records the change; the inverse does not change.
  func writeInverse(_ object: GraphObject, _ slot: Int, _ key: ObjectKey?) {
    let place = willWrite(object, slot: slot)
    if let key {
      place.chunk.setKey(place.row, slot, key)
    } else {
      place.chunk.setNull(place.row, slot)
    }
  }

  /// Makes the inverses of to-ones with unsaved changes agree with the object again, after a newer row has
  /// replaced `former` as the object's base.
  ///
  /// Call this method after all objects that changed together have received their newer rows.
  package func reconcileKeptReferences(of object: GraphObject, since former: ChunkRow) {
    guard let detail = object.detail, let base = detail.base else { return }
    for slot in object.entityDefinition.toOneSlots where detail.changed.contains(slot) {
      let stored = key(base, slot)
      guard let inverse = inverseSlot(object, slot) else { continue }
      let mine = reference(object, slot: slot)
      switch inverseKind(object, slot) {
      case .nothing: continue
      case .members:
        for end in Set([key(former, slot), mine].compactMap { $0 }) {
          updateMembership(
            object.key,
            of: end,
            inverse,
            isStored: end == stored,
            isCurrent: end == mine
          )
        }
        if let stored, stored != mine, stored != key(former, slot) {
          removeMember(self.object(for: stored), slot: inverse, object.key)
        }
      case .reference:
        guard let stored, stored != mine, stored != key(former, slot) else { continue }
        let partner = self.object(for: stored)
        if reference(partner, slot: inverse) == object.key { writeInverse(partner, inverse, nil) }
      }
    }
  }

  /// Unloads a to-many if it is ordered and unchanged, because only the store knows the position of a new
  /// member.
  ///
  /// - Returns: whether the to-many was unloaded.
  private func unloadMembers(_ owner: ObjectKey, _ slot: Int) -> Bool {
    guard let owner = registry.object(for: owner), let detail = owner.detail else { return false }
    let position = toManyPosition(owner, slot)
    guard let state = detail.toManys[position], state.isOrdered, !state.hasChanges else {
      return false
    }
    detail.toManys[position] = nil
    note(owner, .updatedInEvent)
    return true
  }

  /// Adds a stored member to the to-many at the other end of a to-one, if that to-many is loaded.
  func addStoredMember(_ member: ObjectKey, of owner: ObjectKey, _ object: GraphObject, _ slot: Int)
  {
    guard let inverse = inverseSlot(object, slot) else { return }
    updateMembership(member, of: owner, inverse, isStored: true, isCurrent: true)
  }

  /// Removes an object from the to-manys to which its stored to-ones led, because the object's row is gone.
  func removeFromLoadedToManys(_ object: GraphObject) {
    guard let place = committedRow(object) else { return }
    for slot in object.entityDefinition.toOneSlots where inverseKind(object, slot) == .members {
      guard let inverse = inverseSlot(object, slot), let end = key(place, slot) else { continue }
      setMembership(object.key, of: end, inverse, isStored: false, isCurrent: false)
    }
  }

  /// Makes the to-manys at the former and the new destination of a to-one agree with a newer row; the to-one
  /// has no unsaved changes.
  ///
  /// If the destination is the same, the to-many may still lack the object, because the object's row may have
  /// been read after the to-many and before the merge.
  func moveMembership(of object: GraphObject, _ slot: Int, from old: ChunkRow, to new: ChunkRow) {
    guard let inverse = inverseSlot(object, slot) else { return }
    let ends = (old: key(old, slot), new: key(new, slot))
    for end in Set([ends.old, ends.new].compactMap { $0 }) {
      updateMembership(
        object.key,
        of: end,
        inverse,
        isStored: end == ends.new,
        isCurrent: end == ends.new
      )
    }
  }

  /// Sets the membership as `setMembership(_:of:_:isStored:isCurrent:)` does; does nothing if the to-many
  /// already has this membership.
  ///
  /// An unchanged ordered to-many may be unloaded instead.
  /// - Complexity: O(1) on average, once a look-up has been made in the to-many.
  private func updateMembership(
    _ member: ObjectKey,
    of owner: ObjectKey,
    _ slot: Int,
    isStored: Bool,
    isCurrent: Bool
  ) {
    guard let object = registry.object(for: owner), let detail = object.detail else { return }
    let position = toManyPosition(object, slot)
    guard detail.toManys[position] != nil,
      detail.toManys[position]?
        .hasMembership(of: member, isStored: isStored, isCurrent: isCurrent) == false
    else { return }
    if isStored == isCurrent && unloadMembers(owner, slot) { return }
    setMembership(member, of: owner, slot, isStored: isStored, isCurrent: isCurrent)
  }

  /// Sets in the to-many of `other` whether `object` is a stored member, and whether it is a current member.
  ///
  /// Does nothing unless the inverse is a to-many.
  func setMembership(
    of object: GraphObject,
    _ slot: Int,
    at other: ObjectKey,
    isStored: Bool,
    isCurrent: Bool
  ) {
    guard let inverse = inverseSlot(object, slot), inverseKind(object, slot) == .members else {
      return
    }
    setMembership(object.key, of: other, inverse, isStored: isStored, isCurrent: isCurrent)
  }

  /// Sets in a to-many whether the key is a stored member, and whether it is a current member.
  ///
  /// Does nothing if the owner is not registered or its detail has no entry for the to-many.
  func setMembership(
    _ member: ObjectKey,
    of owner: ObjectKey,
    _ slot: Int,
    isStored: Bool,
    isCurrent: Bool
  ) {
    guard let owner = registry.object(for: owner), let detail = owner.detail else { return }
    let position = toManyPosition(owner, slot)
    guard detail.toManys[position] != nil else { return }
    capture(owner)
    detail.toManys[position]?.setMembership(of: member, isStored: isStored, isCurrent: isCurrent)
    note(owner, .updatedInEvent)
  }
}
