// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Makes the two sides of each relationship agree after a merge; only links that differ from the store remain
/// unsaved.
extension MergeSession {
  // MARK: To-one

  /// Clears a merged to-one if its destination was deleted in this context or has no row any longer.
  ///
  /// Then updates the inverses of the previous, the stored and the current destination to match.
  func reconcileReference(
    of object: GraphObject,
    _ slot: Int,
    mine: ObjectKey?,
    stored: ObjectKey?,
    base: ObjectKey?,
    by rule: MergeRule
  ) throws {
    try dropDangling(object, slot, stored: stored)
    guard let inverse = graph.inverseSlot(object, slot) else { return }
    var current: ObjectKey? { object.chunk.flatMap { graph.key(($0, object.rowIndex), slot) } }
    let ends = Set([mine, stored, base, current].compactMap { $0 })
    switch graph.inverseKind(object, slot) {
    case .nothing: return
    case .members:
      if let stored, stored != current { try recordLinkChange(at: stored, to: object, slot) }
      for end in ends {
        graph.setMembership(
          object.key,
          of: end,
          inverse,
          isStored: end == stored,
          isCurrent: end == current
        )
      }
    case .reference:
      if mine == current && stored == base { return }
      try reconcilePartners(of: object, slot, inverse: inverse, ends, by: rule)
    }
  }

  /// Resolves a one-to-one conflict: the object that is resolved first keeps its partner, unless an object
  /// that was changed here claims the partner later under `overwrite`.
  private func reconcilePartners(
    of object: GraphObject,
    _ slot: Int,
    inverse: Int,
    _ ends: Set<ObjectKey>,
    by rule: MergeRule
  ) throws {
    resolvedOneToOnes.insert(ObjectIdentifier(object))
    // A change of the object changes its partner too, so unregistered partners are registered and refreshed
    // as well.
    let partners = ends.map { graph.object(for: $0) }.filter { !$0.flags.contains(.deleted) }
    for partner in partners { try refresh(partner, by: rule) }
    // Refreshing may have changed the object as well.
    let current = graph.reference(object, slot: slot)
    for partner in partners {
      let isPartner = graph.reference(partner, slot: inverse) == object.key
      let isDecided = resolvedOneToOnes.contains(ObjectIdentifier(partner))
      if partner.key != current {
        if isPartner && isDecided && overwrites(partner, object, rule) {
          return graph.setReference(object, slot: slot, to: partner)
        }
        if isPartner { graph.writeInverse(partner, inverse, nil) }
      } else if !isPartner {
        if isDecided && !overwrites(object, partner, rule) {
          graph.writeInverse(object, slot, nil)
        } else {
          graph.setReference(partner, slot: inverse, to: object)
        }
      }
    }
  }

  private func overwrites(_ object: GraphObject, _ other: GraphObject, _ rule: MergeRule) -> Bool {
    rule == .overwrite && fate(object) == .changed && fate(other) == .unchanged
  }

  /// Clears a to-one that leads to an object that is deleted here or has no row any more.
  private func dropDangling(_ object: GraphObject, _ slot: Int, stored: ObjectKey?) throws {
    guard let chunk = object.chunk, let key = graph.key((chunk, object.rowIndex), slot) else {
      return
    }
    let known = graph.registry.object(for: key)
    if known?.flags.contains(.deleted) == true {
      graph.writeInverse(object, slot, nil)
      return
    }
    if key == stored || key.isTemporary || known?.flags.contains(.inserted) == true { return }
    if try newest(key) == nil { graph.writeInverse(object, slot, nil) }
  }

  // MARK: To-many

  /// Merges the changed to-manys with the members that the store has now; unloads unchanged to-manys.
  ///
  /// Transient to-manys are left unchanged.
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
      // If the inverse is a to-one, the links are stored in the members' rows, and conflicts are resolved
      // there. The to-many then only combines the additions and removals of the context with those of the
      // store.
      let effective = graph.inverseKind(object, slot) == .reference ? .objectTrump : rule
      try mergeMembers(object, at: position, slot: slot, state, by: effective)
    }
  }

  private func mergeMembers(
    _ object: GraphObject,
    at position: Int,
    slot: Int,
    _ state: ToMany,
    by rule: MergeRule
  ) throws {
    var state = state
    let stored = try graph.host.loadMembers(of: [object.key], slot: slot).first ?? []
    if !state.isLoaded { state.load(stored) }
    let mine = state.keys
    let base = mine.filter { !state.added.contains($0) } + state.removed
    let wanted = rule.members(mine: mine, stored: stored, base: base)
      .filter { graph.registry.object(for: $0)?.flags.contains(.deleted) != true }
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
    guard graph.inverseKind(object, slot) == .members else { return }
    let present = Set(stored)
    let ends = present.union(mine).union(state.removed)
    let changed = ends.filter { present.contains($0) != kept.contains($0) }
    try readNewest(
      changed.filter { graph.registry.object(for: $0)?.flags.contains(.fault) == false }
    )
    for key in changed.sorted(by: { $0.raw < $1.raw }) {
      try recordLinkChange(at: key, to: object, slot)
    }
    for key in ends {
      graph.setMembership(
        of: object,
        slot,
        at: key,
        isStored: present.contains(key),
        isCurrent: kept.contains(key)
      )
    }
  }

  /// Records a change of the to-many at the other end of a link that this save adds or removes.
  ///
  /// The save then also updates the object with that to-many, as a save without conflicts does. Contexts that
  /// merge the save therefore read the to-many again.
  private func recordLinkChange(at key: ObjectKey, to object: GraphObject, _ slot: Int) throws {
    let other = graph.object(for: key)
    guard let inverse = graph.inverseSlot(object, slot),
      other.flags.isDisjoint(with: [.inserted, .deleted, .inaccessible])
    else { return }
    // The recorded change makes the save check the version of `other`. If `other` has no changes of its own,
    // it is refreshed first, so that a newer row does not become a conflict.
    if fate(other) == .unchanged { try refresh(other, by: .storeTrump) }
    _ = graph.updateToMany(other, slot: inverse) { _ in true }
    graph.beginRelationshipChange(other, slot: inverse)
  }
}
