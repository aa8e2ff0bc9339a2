// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Cuts links to deleted objects if the links were made or read after the delete rules of these objects had
/// been applied.
extension ObjectGraph {
  /// Cuts the links from objects of this event to deleted objects whose delete rules were applied already.
  ///
  /// - Complexity: O(relationships of the event's objects) if objects are deleted; otherwise O(1).
  func cutLinksToDeleted() {
    guard hasDeleted else { return }
    // Cutting a link can add the object at the other end of the link to the event, so the count can grow.
    var position = 0
    while position < event.objects.count {
      cutLinksToDeleted(of: event.objects[position])
      position += 1
    }
  }

  /// Cuts the links from inserted and updated objects to deleted objects whose delete rules were applied.
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
    let isStored = committedRow(object).map { self.key($0, slot) == key } ?? false
    if isStored && destination.flags.contains(.inaccessible) {
      cut(Link(owner: object, slot: slot, key: key))
    } else {
      setReference(object, slot: slot, to: nil)
    }
  }

  private func deletedBefore(_ key: ObjectKey) -> GraphObject? {
    guard let object = registry.object(for: key), object.flags.contains(.deleted),
      object.flags.contains(.propagated)
    else { return nil }
    return object
  }

  // MARK: Links from the store and from other contexts

  /// Removes the members that are deleted here, and whose delete rules were applied, from a to-many that was
  /// just loaded.
  ///
  /// The store contains these members until the deletion is saved. The delete rules did not remove the
  /// members from the to-many, because they were applied before the to-many was loaded.
  /// - Complexity: O(members) while objects are deleted; otherwise O(1).
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

  /// Returns whether the key was left out of the to-many because its object was already deleted when the
  /// to-many was read.
  func isLeftOut(_ key: ObjectKey, of owner: GraphObject, _ slot: Int) -> Bool {
    if deletions.leftOut.isEmpty { return false }
    return registry.object(for: key).flatMap { deletions.leftOut[ObjectIdentifier($0)] }?
      .contains(ToManyPlace(owner, slot)) ?? false
  }

  /// Adds objects whose deletion is undone to the to-manys from which they were left out.
  func addToOwners(_ objects: [GraphObject]) {
    addToSavedOwners(objects)
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

  /// Adds objects whose deletion was saved to the to-manys from which they were left out, if the restored objects
  /// lead back to the owners.
  private func addToSavedOwners(_ objects: [GraphObject]) {
    if deletions.savedLeftOut.isEmpty { return }
    for object in objects {
      for saved in deletions.takeSavedPlaces(of: object) {
        let (owner, slot) = (saved.place.owner, saved.place.slot)
        guard owner.registry === registry, !owner.flags.contains(.deleted),
          inverseSlot(owner, slot).map({ leads(object, $0, to: owner.key) }) ?? true
        else { continue }
        addMember(owner, slot: slot, object.key)
        order(owner, slot, by: saved.former.map(current))
      }
    }
  }

  /// Adds the owner to the inverse at `member` if the inverse is a to-many.
  ///
  /// - Returns: false if the inverse is a to-one that does not lead to the owner.
  private func join(_ member: GraphObject, _ place: ToManyPlace) -> Bool {
    guard let inverse = inverseSlot(place.owner, place.slot) else { return true }
    if inverseKind(place.owner, place.slot) == .reference {
      return reference(member, slot: inverse) == place.owner.key
    }
    setMembership(place.owner.key, of: member.key, inverse, isStored: true, isCurrent: true)
    return true
  }

  /// Returns those of `keys` that have no row in the store or parent, and whose objects have no row here.
  ///
  /// Keys of objects that are deleted here may be left out. Returns no keys if the rows cannot be read.
  /// - Complexity: the statements of one load of rows for each store; no statement if all rows are known.
  func withoutRows(_ keys: Set<ObjectKey>) -> Set<ObjectKey> {
    let unknown = keys.filter { key in
      guard let object = registry.object(for: key) else { return true }
      return object.chunk == nil && !object.flags.contains(.deleted)
    }
    guard !unknown.isEmpty, let present = presentRows(of: Array(unknown)) else { return [] }
    return unknown.filter { !present.contains(registry.identity($0)) }
  }
}
