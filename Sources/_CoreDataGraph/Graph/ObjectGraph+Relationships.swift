// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Methods that change relationships; the package methods also change the inverse, except while
/// `awakeFromFetch` runs.
extension ObjectGraph {
  private func inverse(_ object: GraphObject, _ slot: Int) -> Int? {
    object.entityDefinition.properties[slot].relationship?.inverse
  }

  private func isToMany(_ object: GraphObject, _ slot: Int) -> Bool {
    object.entityDefinition.properties[slot].isToMany
  }

  /// Returns the key of the destination of a to-one; nil if there is no destination.
  ///
  /// Fires the object if it is a fault.
  package func reference(_ object: GraphObject, slot: Int) -> ObjectKey? {
    realize(object)
    guard let chunk = object.chunk, !chunk.isNull(object.rowIndex, slot) else { return nil }
    return chunk.key(object.rowIndex, slot)
  }

  /// Reads everything that connecting `object` with `members` needs, for callers that can throw.
  ///
  /// - Throws: an error from reading rows or members.
  /// - Complexity: one statement if the object is a to-many's owner whose members are not loaded, and one for each store
  ///   and hierarchy of the members that are faults.
  package func loadForConnecting(
    _ object: GraphObject,
    slot: Int,
    to members: [GraphObject]
  ) throws {
    try fire(object)
    try loadMembers(of: [object]) { $0.slot == slot }
    guard let inverse = inverse(object, slot) else { return }
    let owners = members.filter { !isToMany($0, inverse) }
    try realizeFaults(owners.filter(\.isRowless))
    for owner in owners { try fire(owner) }
  }

  // MARK: To-one

  package func setReference(_ object: GraphObject, slot: Int, to new: GraphObject?) {
    let old = reference(object, slot: slot)
    writeReference(object, slot: slot, to: new?.key)
    guard let inverseSlot = inverse(object, slot), old != new?.key,
      !object.flags.contains(.unrecorded)
    else { return }
    if let old { detachInverse(of: self.object(for: old), slot: inverseSlot, from: object) }
    if let new { attachInverse(of: new, slot: inverseSlot, to: object, by: slot) }
  }

  private func writeReference(_ object: GraphObject, slot: Int, to key: ObjectKey?) {
    watching(object, slot) {
      let place = willWrite(object, slot: slot)
      if let key {
        place.chunk.setKey(place.row, slot, key)
      } else {
        place.chunk.setNull(place.row, slot)
      }
      return true
    }
  }

  /// Calls `change`, which changes a relationship, and notifies the observers of the object before and after.
  ///
  /// Sends no notifications if `isReported` is true, because the caller sends them.
  @discardableResult
  private func watching(
    _ object: GraphObject,
    _ slot: Int,
    isReported: Bool = false,
    _ change: () -> Bool
  ) -> Bool {
    if isReported || !object.isWatched { return change() }
    host.willChange(object, slot: slot)
    defer { host.didChange(object, slot: slot) }
    return change()
  }

  /// Makes `other` refer to `object` through the relationship in `inverseSlot`.
  ///
  /// If that relationship is a to-one that leads to a third object, `other` is first removed from the third
  /// object's relationship in `slot`.
  func attachInverse(
    of other: GraphObject,
    slot inverseSlot: Int,
    to object: GraphObject,
    by slot: Int
  ) {
    if isToMany(other, inverseSlot) {
      addMember(other, slot: inverseSlot, object.key)
    } else {
      if let former = reference(other, slot: inverseSlot), former != object.key {
        detachInverse(of: self.object(for: former), slot: slot, from: other)
      }
      writeReference(other, slot: inverseSlot, to: object.key)
    }
  }

  /// Removes `object` from the relationship of `other` in `slot`.
  func detachInverse(of other: GraphObject, slot: Int, from object: GraphObject) {
    if isToMany(other, slot) {
      if !removeMember(other, slot: slot, object.key), wasStoredMember(object, of: other, slot) {
        // The members may have been loaded before another context made `object` a member. Recording the
        // removal prevents the next load from adding `object`.
        beginRelationshipChange(other, slot: slot)
        setMembership(object.key, of: other.key, slot, isStored: true, isCurrent: false)
      }
    } else if reference(other, slot: slot) == object.key {
      writeReference(other, slot: slot, to: nil)
    }
  }

  /// Returns whether `object` is a stored member of a to-many of `other`, according to the values that were
  /// last read for `object`.
  ///
  /// - Complexity: one statement if the inverse is a to-many that is not loaded and records the removal of
  ///   `other`, because only the store knows whether `other` was a member; otherwise O(1).
  private func wasStoredMember(_ object: GraphObject, of other: GraphObject, _ slot: Int) -> Bool {
    guard let back = inverse(other, slot) else { return false }
    if isToMany(object, back) {
      let position = toManyPosition(object, back)
      func isRemoved() -> Bool {
        object.detail?.toManys[position]?.removed.contains(other.key) == true
      }
      if !isRemoved() { return false }
      // If a member is added and removed before the members are loaded, it counts as removed until they are
      // loaded.
      loadToMany(object, slot: back)
      return isRemoved()
    }
    return committedRow(object).flatMap { key($0, back) } == other.key
  }

  // MARK: To-many

  /// Adds `member` at `index`, or at the end if `index` is nil, and changes the inverse.
  ///
  /// Does nothing if `member` is known to be a member already.
  package func insert(
    _ member: GraphObject,
    into object: GraphObject,
    slot: Int,
    at index: Int? = nil,
    isReported: Bool = false
  ) {
    if index != nil || object.entityDefinition.properties[slot].relationship?.isOrdered == true {
      loadToMany(object, slot: slot)
    }
    if journals.undo != nil, isCurrentMember(member, of: object, slot: slot) { return }
    guard addMember(object, slot: slot, member.key, at: index, isReported: isReported) else {
      return
    }
    guard let inverseSlot = inverse(object, slot), !object.flags.contains(.unrecorded) else {
      return
    }
    attachInverse(of: member, slot: inverseSlot, to: object, by: slot)
  }

  package func remove(
    _ member: GraphObject,
    from object: GraphObject,
    slot: Int,
    isReported: Bool = false
  ) {
    if journals.undo != nil, !isCurrentMember(member, of: object, slot: slot) { return }
    guard removeMember(object, slot: slot, member.key, isReported: isReported) else { return }
    guard let inverseSlot = inverse(object, slot), !object.flags.contains(.unrecorded) else {
      return
    }
    detachInverse(of: member, slot: inverseSlot, from: object)
  }

  /// Returns whether `member` is a current member.
  ///
  /// Called only while changes are recorded for undo. An insertion or removal that has no effect must not be
  /// recorded, because undoing it would change the members.
  /// - Complexity: at most one statement, which loads the members or, if the inverse is a to-one, the row of
  ///   `member`.
  private func isCurrentMember(_ member: GraphObject, of object: GraphObject, slot: Int) -> Bool {
    if isLoaded(object, slot: slot) || !isToOne(inverse(object, slot), of: member) {
      return isMember(member.key, of: object, slot: slot)
    }
    return inverse(object, slot).flatMap { reference(member, slot: $0) } == object.key
  }

  private func isToOne(_ slot: Int?, of object: GraphObject) -> Bool {
    slot.map { !isToMany(object, $0) } ?? false
  }

  /// Replaces the members, and updates the inverse relationship of each member that is added or removed.
  ///
  /// Records a change even if the new members are the same.
  ///
  /// Observers of the relationship are notified once, rather than once for each member.
  package func setMembers(_ object: GraphObject, slot: Int, to members: [GraphObject]) {
    let old = memberKeys(object, slot: slot)
    let wanted = Set(members.map(\.key))
    watching(object, slot) {
      for key in old where !wanted.contains(key) {
        remove(self.object(for: key), from: object, slot: slot, isReported: true)
      }
      let present = Set(old)
      for member in members where !present.contains(member.key) {
        insert(member, into: object, slot: slot, isReported: true)
      }
      beginRelationshipChange(object, slot: slot)
      if object.entityDefinition.properties[slot].relationship?.isOrdered == true {
        var seen: Set<ObjectKey> = []
        let order = members.map(\.key).filter { seen.insert($0).inserted }
        _ = updateToMany(object, slot: slot) {
          $0.reorder(order)
          return true
        }
      }
      return true
    }
  }

  /// Adds a member without changing the inverse; returns false if the to-many is known to contain `key`
  /// already.
  @discardableResult
  func addMember(
    _ object: GraphObject,
    slot: Int,
    _ key: ObjectKey,
    at index: Int? = nil,
    isReported: Bool = false
  ) -> Bool {
    // An ordered to-many is loaded, because the position of a new member depends on the other members. A
    // transient to-many is loaded, because the store does not have its members.
    let property = object.entityDefinition.properties[slot]
    if property.isTransient || property.relationship?.isOrdered == true {
      loadToMany(object, slot: slot)
    }
    let changed = watching(object, slot, isReported: isReported) {
      updateToMany(object, slot: slot) { $0.insert(key, at: index) }
    }
    if changed { beginRelationshipChange(object, slot: slot) }
    return changed
  }

  /// Removes a member without changing the inverse; returns false if the to-many is known not to contain
  /// `key`.
  @discardableResult
  func removeMember(
    _ object: GraphObject,
    slot: Int,
    _ key: ObjectKey,
    isReported: Bool = false
  ) -> Bool {
    let property = object.entityDefinition.properties[slot]
    // An ordered to-many is loaded, because undoing the removal needs the position of the member. A transient
    // to-many is loaded, because the store does not have its members.
    if property.isTransient || journals.undo != nil && property.relationship?.isOrdered == true {
      loadToMany(object, slot: slot)
    }
    let changed = watching(object, slot, isReported: isReported) {
      updateToMany(object, slot: slot) { $0.remove(key) }
    }
    if changed { beginRelationshipChange(object, slot: slot) }
    return changed
  }
}
