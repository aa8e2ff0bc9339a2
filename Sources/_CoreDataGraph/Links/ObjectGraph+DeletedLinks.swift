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
  /// - Complexity: O(members) while something is deleted, otherwise nothing.
  func removeDeletedMembers(of owner: GraphObject, _ slot: Int) {
    guard hasDeleted, owner.flags.isDisjoint(with: [.deleted, .inaccessible]),
      model.linkSlots.followed[owner.key.entity].contains(slot)
    else { return }
    let stored = owner.detail?.toManys[toManyPosition(owner, slot)]?.stored ?? []
    for key in stored where deletedBefore(key) != nil { removeMember(owner, slot: slot, key) }
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
