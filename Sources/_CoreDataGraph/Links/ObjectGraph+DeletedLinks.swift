// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Links to objects that are deleted in this context and whose delete rules were applied before the link came.
extension ObjectGraph {
  /// Cuts the links that objects of this event have to objects whose deletion has reached others already.
  ///
  /// - Complexity: O(relationships of the event's objects) where something is deleted, otherwise nothing.
  func cutLinksToDeleted() {
    guard hasDeleted else { return }
    // Cutting notes the other side, which comes later in the same list.
    var position = 0
    while position < event.objects.count {
      cutLinksToDeleted(of: event.objects[position])
      position += 1
    }
  }

  /// The same for all unsaved objects, after a conflict has deleted some.
  package func cutUnsavedLinksToDeleted() {
    guard hasDeleted else { return }
    for object in inserted + updated { cutLinksToDeleted(of: object) }
  }

  private func cutLinksToDeleted(of object: GraphObject) {
    guard object.registry === registry,
      object.flags.isDisjoint(with: [.deleted, .inaccessible])
    else { return }
    for slot in model.linkSlots.followed[object.key.entity] { cutDeleted(object, slot) }
    for slot in model.linkSlots.oneWay[object.key.entity]
    where object.flags.contains(.inserted) || object.detail?.changed.contains(slot) == true {
      cutDeleted(object, slot)
    }
  }

  private func cutDeleted(_ object: GraphObject, _ slot: Int) {
    if object.entityDefinition.properties[slot].isToMany {
      guard let state = object.detail?.toManys[toManyPosition(object, slot)] else { return }
      for key in state.added.sorted(by: { $0.raw < $1.raw }) {
        if let member = deletedBefore(key) { remove(member, from: object, slot: slot) }
      }
      return
    }
    guard let chunk = object.chunk, let key = key((chunk, object.rowIndex), slot),
      let destination = deletedBefore(key)
    else { return }
    let isStored = committedPlace(object).map { self.key($0, slot) == key } ?? false
    if isStored && destination.flags.contains(.inaccessible) {
      cut(Link(owner: object, slot: slot, key: key))
    } else {
      setReference(object, slot: slot, to: nil)
    }
  }

  /// The object of the key where it is deleted and its delete rules were applied.
  private func deletedBefore(_ key: ObjectKey) -> GraphObject? {
    guard let object = registry.object(for: key), object.flags.contains(.deleted),
      object.flags.contains(.propagated)
    else { return nil }
    return object
  }

  // MARK: Links that come from elsewhere

  /// Removes members that are deleted here from a to-many that was loaded just now: the store has them
  /// until the deletion is saved, and their delete rules may not have known of the owner.
  ///
  /// This is part of the deletion, and no step of undo of its own: undoing the deletion brings the members
  /// back.
  /// - Complexity: O(members) while something is deleted, otherwise nothing.
  func removeDeletedMembers(of owner: GraphObject, _ slot: Int) {
    guard hasDeleted, owner.flags.isDisjoint(with: [.deleted, .inaccessible]),
      model.linkSlots.followed[owner.key.entity].contains(slot)
    else { return }
    let position = toManyPosition(owner, slot)
    let stored = owner.detail?.toManys[position]?.stored ?? []
    let deleted = stored.filter { deletedBefore($0) != nil }
    if deleted.isEmpty { return }
    let former = owner.detail?.toManys[position]?.keys ?? []
    let journal = journals.undo
    journals.undo = nil
    defer { journals.undo = journal }
    let place = ToManyPlace(owner, slot)
    for key in deleted {
      guard let member = deletedBefore(key), removeMember(owner, slot: slot, key) else { continue }
      deletions.leftOut[ObjectIdentifier(member), default: []].insert(place)
      deletions.formerMembers[place] = former
    }
  }

  /// Whether the to-many was read after the deletion of the member, and lost it for that reason.
  func isLeftOut(_ key: ObjectKey, of owner: GraphObject, _ slot: Int) -> Bool {
    if deletions.leftOut.isEmpty { return false }
    return registry.object(for: key).flatMap { deletions.leftOut[ObjectIdentifier($0)] }?
      .contains(ToManyPlace(owner, slot)) ?? false
  }

  /// Adds an object whose deletion is undone to the to-manys that were read meanwhile.
  func addToOwners(_ objects: [GraphObject]) {
    if deletions.leftOut.isEmpty { return }
    var returning: [ToManyPlace: Set<ObjectKey>] = [:]
    for object in objects {
      for place in deletions.leftOut.removeValue(forKey: ObjectIdentifier(object)) ?? []
      where join(object, place) {
        returning[place, default: []].insert(object.key)
      }
    }
    for (place, keys) in returning {
      let owner = place.owner
      if owner.registry !== registry || owner.flags.contains(.deleted) { continue }
      capture(owner)
      if owner.isWatched { host.willChange(owner, slot: place.slot) }
      owner.detail?.toManys[toManyPosition(owner, place.slot)]?
        .takeBackRemovals(of: keys, former: deletions.formerMembers[place] ?? [])
      note(owner, .updatedInEvent)
      if owner.isWatched { host.didChange(owner, slot: place.slot) }
    }
  }

  /// Adds the owner to the member's own side where that is a to-many.
  ///
  /// - Returns: false where a to-one there leads elsewhere by now.
  private func join(_ member: GraphObject, _ place: ToManyPlace) -> Bool {
    guard let inverse = inverseSlot(place.owner, place.slot) else { return true }
    if mirror(place.owner, place.slot) == .reference {
      return reference(member, slot: inverse) == place.owner.key
    }
    setMembership(place.owner.key, of: member.key, inverse, isStored: true, isCurrent: true)
    return true
  }

  /// Those of `keys` that have no row, for links that others have made to objects unknown here.
  ///
  /// A new object that is deleted before its save has left the context, so its temporary key is unknown too.
  /// - Complexity: one statement for keys whose rows are not at hand, no statement otherwise.
  func withoutRows(_ keys: Set<ObjectKey>) -> Set<ObjectKey> {
    let unknown = keys.filter { key in
      guard let object = registry.object(for: key) else { return true }
      return object.rowChunk == nil && !object.flags.contains(.deleted)
    }
    guard !unknown.isEmpty, let present = presentRows(of: Array(unknown)) else { return [] }
    return unknown.filter { !present.contains(registry.identity($0)) }
  }
}
