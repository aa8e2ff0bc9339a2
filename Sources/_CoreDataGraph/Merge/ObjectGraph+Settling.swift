// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Relationships after a merge: both sides agree again, and only what differs from the store is unsaved.
extension ObjectGraph {
  /// What stands at the other end of a relationship.
  enum Mirror {
    case nothing, reference, members
  }

  func mirror(_ object: GraphObject, _ slot: Int) -> Mirror {
    let property = object.entityDefinition.properties[slot]
    guard let relationship = property.relationship, let inverse = relationship.inverse else {
      return .nothing
    }
    return model.entities[relationship.destination].properties[inverse].isToMany
      ? .members : .reference
  }

  private func inverseSlot(_ object: GraphObject, _ slot: Int) -> Int? {
    object.entityDefinition.properties[slot].relationship?.inverse
  }

  // MARK: To-one

  /// After the slot was written by a merge: the former, the stored and the new destination agree.
  func settleReference(
    of object: GraphObject,
    _ slot: Int,
    mine: ObjectKey?,
    stored: ObjectKey?,
    base: ObjectKey?,
    by rule: MergeRule
  ) throws {
    try dropDangling(object, slot, stored: stored)
    guard let inverse = inverseSlot(object, slot) else { return }
    var current: ObjectKey? { object.chunk.flatMap { key(($0, object.rowIndex), slot) } }
    let ends = Set([mine, stored, base, current].compactMap { $0 })
    switch mirror(object, slot) {
    case .nothing: return
    case .members:
      for end in ends {
        settleMember(
          object.key,
          of: end,
          inverse,
          isStored: end == stored,
          isCurrent: end == current
        )
      }
    case .reference:
      if mine == current && stored == base { return }
      try settlePartners(of: object, slot, inverse, ends, by: rule)
    }
  }

  /// One-to-one: who was decided about first keeps its partner, unless who overwrites claims it.
  private func settlePartners(
    of object: GraphObject,
    _ slot: Int,
    _ inverse: Int,
    _ ends: Set<ObjectKey>,
    by rule: MergeRule
  ) throws {
    backup?.decided.insert(ObjectIdentifier(object))
    // A partner has to be told, whether it is known here or not.
    let partners = ends.map { self.object(for: $0) }.filter { !$0.flags.contains(.deleted) }
    for partner in partners { try refresh(partner, by: rule) }
    // Refreshing may have changed the object in its turn.
    let current = reference(object, slot: slot)
    for partner in partners {
      let isPartner = reference(partner, slot: inverse) == object.key
      let isDecided = backup?.decided.contains(ObjectIdentifier(partner)) == true
      if partner.key != current {
        if isPartner && isDecided && overwrites(partner, object, rule) {
          return setReference(object, slot: slot, to: partner)
        }
        if isPartner { writeMirror(partner, inverse, nil) }
      } else if !isPartner {
        if isDecided && !overwrites(object, partner, rule) {
          writeMirror(object, slot, nil)
        } else {
          setReference(partner, slot: inverse, to: object)
        }
      }
    }
  }

  /// Whether the object is written as it is here, whatever the row of the other, unchanged one says.
  private func overwrites(_ object: GraphObject, _ other: GraphObject, _ rule: MergeRule) -> Bool {
    rule == .overwrite && fate(object) == .changed && fate(other) == .unchanged
  }

  func writeMirror(_ object: GraphObject, _ slot: Int, _ key: ObjectKey?) {
    let place = willWrite(object, slot: slot)
    if let key {
      place.chunk.setKey(place.row, slot, key)
    } else {
      place.chunk.setNull(place.row, slot)
    }
  }

  /// A to-one never leads to an object that is deleted here, or that the store no longer has.
  private func dropDangling(_ object: GraphObject, _ slot: Int, stored: ObjectKey?) throws {
    guard let chunk = object.chunk, let key = key((chunk, object.rowIndex), slot) else { return }
    let known = registry.object(for: key)
    if known?.flags.contains(.deleted) == true {
      writeMirror(object, slot, nil)
      return
    }
    if key == stored || key.isTemporary || known?.flags.contains(.inserted) == true { return }
    if try newest(key) == nil { writeMirror(object, slot, nil) }
  }

  /// After the row below unsaved changes was replaced by a newer one: where the store has got another
  /// destination than the object has here, the other side says what is here.
  ///
  /// To be called when all objects that changed with this one have their newer rows.
  package func settleKeptReferences(of object: GraphObject, since former: Place) {
    guard let detail = object.detail, let base = detail.base else { return }
    for slot in object.entityDefinition.toOneSlots where detail.changed.contains(slot) {
      let stored = key(base, slot)
      guard let inverse = inverseSlot(object, slot), stored != key(former, slot) else { continue }
      let mine = reference(object, slot: slot)
      switch mirror(object, slot) {
      case .nothing: continue
      case .members:
        for end in [key(former, slot), mine] {
          guard let end else { continue }
          settleMember(
            object.key,
            of: end,
            inverse,
            isStored: end == stored,
            isCurrent: end == mine
          )
        }
        if let stored, stored != mine {
          removeMember(self.object(for: stored), slot: inverse, object.key)
        }
      case .reference:
        guard let stored, stored != mine else { continue }
        let partner = self.object(for: stored)
        if reference(partner, slot: inverse) == object.key { writeMirror(partner, inverse, nil) }
      }
    }
  }

  /// Lets an ordered to-many ask the store again, which alone knows the place of a new member.
  private func forgetsMembers(_ owner: ObjectKey, _ slot: Int) -> Bool {
    guard let owner = registry.object(for: owner), let detail = owner.detail else { return false }
    let position = toManyPosition(owner, slot)
    guard let state = detail.toManys[position], state.isOrdered, !state.hasChanges else {
      return false
    }
    detail.toManys[position] = nil
    note(owner, .updatedInEvent)
    return true
  }

  /// Tells a loaded to-many at the other end of a to-one that the store has got the object.
  func gainMember(_ member: ObjectKey, of owner: ObjectKey, _ object: GraphObject, _ slot: Int) {
    guard let inverse = inverseSlot(object, slot), registry.object(for: owner) != nil,
      !forgetsMembers(owner, inverse)
    else { return }
    settleMember(member, of: owner, inverse, isStored: true, isCurrent: true)
  }

  /// Tells loaded to-manys that an object of theirs has lost its row.
  func forgetMembership(of object: GraphObject) {
    guard let place = committedPlace(object) else { return }
    for slot in object.entityDefinition.toOneSlots where mirror(object, slot) == .members {
      guard let inverse = inverseSlot(object, slot), let end = key(place, slot) else { continue }
      settleMember(object.key, of: end, inverse, isStored: false, isCurrent: false)
    }
  }

  /// Tells the to-manys at the other ends of a to-one that the store has another destination.
  func settleMembership(of object: GraphObject, _ slot: Int, from old: Place, to new: Place) {
    guard let inverse = inverseSlot(object, slot) else { return }
    let ends = (old: key(old, slot), new: key(new, slot))
    for end in Set([ends.old, ends.new].compactMap { $0 }) where !forgetsMembers(end, inverse) {
      settleMember(
        object.key,
        of: end,
        inverse,
        isStored: end == ends.new,
        isCurrent: end == ends.new
      )
    }
  }

  // MARK: To-many

  /// The to-manys that were used here, against what the store has now.
  func mergeMembers(of object: GraphObject, by rule: MergeRule) throws {
    guard let detail = object.detail else { return }
    for (position, slot) in object.entityDefinition.toManySlots.enumerated() {
      guard let state = detail.toManys[position],
        !object.entityDefinition.properties[slot].isTransient
      else { continue }
      if !state.hasChanges {
        detail.toManys[position] = nil
        continue
      }
      // Members that follow from a to-one of theirs have rows and conflicts of their own.
      let effective = mirror(object, slot) == .reference ? .objectTrump : rule
      try mergeMembers(object, position, slot, state, by: effective)
    }
  }

  private func mergeMembers(
    _ object: GraphObject,
    _ position: Int,
    _ slot: Int,
    _ state: ToMany,
    by rule: MergeRule
  ) throws {
    var state = state
    let stored = try host.loadMembers(of: [object.key], slot: slot).first ?? []
    if !state.isLoaded { state.load(stored) }
    let mine = state.keys
    let base = mine.filter { !state.added.contains($0) } + state.removed
    let wanted = rule.members(mine: mine, stored: stored, base: base)
      .filter { registry.object(for: $0)?.flags.contains(.deleted) != true }
    var merged = ToMany(isOrdered: state.isOrdered, isNew: false)
    merged.load(stored)
    let kept = Set(wanted)
    for key in stored where !kept.contains(key) { merged.remove(key) }
    for key in wanted { merged.insert(key) }
    if state.isOrdered && state.isReordered && rule != .rollback {
      let placed = Set(mine)
      merged.reorder(mine.filter(kept.contains) + wanted.filter { !placed.contains($0) })
    }
    object.detail?.toManys[position] = merged
    guard mirror(object, slot) == .members else { return }
    let present = Set(stored)
    for key in present.union(mine).union(state.removed) {
      settle(
        key,
        object,
        slot,
        isStored: present.contains(key),
        isCurrent: kept.contains(key)
      )
    }
  }

  /// Tells the to-many at the other end of a pair whether the pair is stored, and whether it is there.
  func settle(
    _ member: ObjectKey,
    _ object: GraphObject,
    _ slot: Int,
    isStored: Bool,
    isCurrent: Bool
  ) {
    guard let inverse = inverseSlot(object, slot), mirror(object, slot) == .members else { return }
    settleMember(object.key, of: member, inverse, isStored: isStored, isCurrent: isCurrent)
  }

  func settleMember(
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
    detail.toManys[position]?.settle(member, isStored: isStored, isCurrent: isCurrent)
    note(owner, .updatedInEvent)
  }
}
