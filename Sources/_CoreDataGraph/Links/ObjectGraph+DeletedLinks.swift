// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Links to objects that are deleted in this context, if the link was made after their delete rules were
/// applied.
extension ObjectGraph {
  /// Cuts the links from objects of this event to deleted objects whose delete rules were applied already.
  ///
  /// - Complexity: O(relationships of the event's objects) if objects are deleted; otherwise O(1).
  func cutLinksToDeleted() {
    guard hasDeleted else { return }
    // Cutting a link adds the object at its other end to the same list.
    var position = 0
    while position < event.objects.count {
      cutLinksToDeleted(of: event.objects[position])
      position += 1
    }
  }

  /// Cuts the links from all unsaved objects to deleted objects, after a conflict has deleted objects.
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

  /// Returns the object of the key if it is deleted and its delete rules were applied; nil for any other key.
  private func deletedBefore(_ key: ObjectKey) -> GraphObject? {
    guard let object = registry.object(for: key), object.flags.contains(.deleted),
      object.flags.contains(.propagated)
    else { return nil }
    return object
  }

  // MARK: Links from the store and from other contexts

  /// Removes members that are deleted here from a to-many that was just loaded.
  ///
  /// The store has these members until the deletion is saved. Their delete rules may have been applied before
  /// the owner was known.
  /// - Complexity: O(members) while objects are deleted; otherwise O(1).
  func removeDeletedMembers(of owner: GraphObject, _ slot: Int) {
    guard hasDeleted, owner.flags.isDisjoint(with: [.deleted, .inaccessible]),
      model.linkSlots.followed[owner.key.entity].contains(slot)
    else { return }
    let stored = owner.detail?.toManys[toManyPosition(owner, slot)]?.stored ?? []
    for key in stored where deletedBefore(key) != nil { removeMember(owner, slot: slot, key) }
  }

  /// Returns the keys that have no row, among the destinations that a child has linked to.
  ///
  /// The destinations may be unknown in this context. A new object that is deleted before its save leaves the
  /// context, so its temporary key is unknown, too.
  /// - Complexity: one statement if there are keys whose rows were not read; otherwise no statement.
  func withoutRows(_ keys: Set<ObjectKey>) -> Set<ObjectKey> {
    let unknown = keys.filter { key in
      guard let object = registry.object(for: key) else { return true }
      return object.chunk == nil && !object.flags.contains(.deleted)
    }
    guard !unknown.isEmpty, let present = presentRows(of: Array(unknown)) else { return [] }
    return unknown.filter { !present.contains(registry.identity($0)) }
  }
}
