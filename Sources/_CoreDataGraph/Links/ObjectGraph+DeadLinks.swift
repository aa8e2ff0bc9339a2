// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The rule of links: after any merge, refresh, save or rollback, no loaded relationship of a registered
/// object leads to an object that is deleted or whose row is gone.
///
/// The objects that link to a deleted object are found in one of three ways. For a deletion in this context,
/// the delete rules find them (`propagateDeletions`). A merged save lists the objects that linked to the
/// objects it deleted, and the listed objects are read again. For any other deletion the key is recorded as
/// lost, and `cutLinksToLost` searches for links to it. Examples are a batch delete of which only the keys
/// are merged, and a fault whose row is gone when it fires.
///
/// A link that is made after the deletion of its destination is cut when pending changes are processed
/// (`cutLinksToDeleted`). Relationships whose inverse has the delete rule deny or no action keep their
/// destinations, as documented for these rules.
extension ObjectGraph {
  struct Link {
    let owner: GraphObject
    let slot: Int
    let key: ObjectKey
  }

  // MARK: Lost keys

  /// Records keys as lost: their rows are gone, and the relationships that lead to them are unknown.
  package func recordLostKeys(_ keys: some Sequence<ObjectKey>) {
    deletions.lostKeys.formUnion(keys)
  }

  /// Whether there are lost keys; links to lost keys are cut when pending changes are processed.
  package var hasLostKeys: Bool { !deletions.lostKeys.isEmpty }

  /// Cuts the loaded links to lost keys, so that relationships match the store.
  ///
  /// The store has already cut stored links, so the owners of these links have nothing to save. Links to a
  /// lost key whose row exists are kept. If the rows cannot be read, no link is cut, and the keys remain
  /// lost.
  /// - Complexity: O(registered objects and their loaded links) if keys were lost, and the statements that
  ///   read the rows of linked lost keys; otherwise O(1).
  package func cutLinksToLost() {
    if deletions.lostKeys.isEmpty { return }
    let keys = deletions.lostKeys
    deletions.lostKeys = []
    let links = loadedLinks(to: keys)
    if links.isEmpty { return }
    guard let present = presentRows(of: links.map(\.key)) else {
      deletions.lostKeys = keys
      return
    }
    for link in links where !present.contains(registry.identity(link.key)) { cut(link) }
  }

  private func loadedLinks(to keys: Set<ObjectKey>) -> [Link] {
    let wanted = Set(keys.map(registry.identity))
    let roots = Set(keys.map { model.entities[$0.entity].root })
    let slots = model.entities.map { entity in
      model.linkSlots.followed[entity.index].filter { slot in
        entity.properties[slot].relationship.map {
          roots.contains(model.entities[$0.destination].root)
        } ?? false
      }
    }
    if slots.allSatisfy(\.isEmpty) { return [] }
    var links: [Link] = []
    // Deleted objects are included: a rollback restores them with the links of their last save.
    for object in registry.objects where !object.flags.contains(.inaccessible) {
      for slot in slots[object.key.entity] {
        for key in currentAndStoredDestinations(of: object, slot)
        where wanted.contains(registry.identity(key)) {
          links.append(Link(owner: object, slot: slot, key: key))
        }
      }
    }
    return links
  }

  /// Returns the known destinations, both the current ones and those of the last save or fetch.
  private func currentAndStoredDestinations(of object: GraphObject, _ slot: Int) -> Set<ObjectKey> {
    if object.entityDefinition.properties[slot].isToMany {
      guard var state = object.detail?.toManys[toManyPosition(object, slot)] else { return [] }
      return state.removed.union(state.keys)
    }
    var keys: Set<ObjectKey> = []
    if let chunk = object.chunk, let key = key((chunk, object.rowIndex), slot) { keys.insert(key) }
    if let base = object.detail?.base, let key = key(base, slot) { keys.insert(key) }
    return keys
  }

  /// Returns the identities of those keys that have a row; nil if the rows cannot be read.
  ///
  /// Keys of objects that are deleted here are left out.
  func presentRows(of keys: [ObjectKey]) -> Set<UInt64>? {
    var asked: [Int: Set<ObjectKey>] = [:]
    for key in keys where registry.object(for: key)?.flags.contains(.deleted) != true {
      asked[key.store, default: []].insert(key)
    }
    var present: Set<UInt64> = []
    for keys in asked.values {
      // The error is dropped, because a save that reads the store fails with the same error.
      guard let rows = try? host.loadRows(keys.sorted { $0.raw < $1.raw }) else { return nil }
      rows.forEach { key, _, _ in present.insert(registry.identity(key)) }
    }
    return present
  }

  func cut(_ link: Link) {
    let (owner, slot, gone) = (link.owner, link.slot, link.key)
    let journal = journals.undo
    journals.undo = nil
    defer { journals.undo = journal }
    if let journal, let position = journal.position(of: owner) {
      removeLink(link, from: &journal.images[position])
    }
    capture(owner)
    if owner.isWatched { host.willChange(owner, slot: slot) }
    defer { if owner.isWatched { host.didChange(owner, slot: slot) } }
    let isDeleted = owner.flags.contains(.deleted)
    if owner.entityDefinition.properties[slot].isToMany {
      if !isDeleted {
        return setMembership(gone, of: owner.key, slot, isStored: false, isCurrent: false)
      }
      let position = toManyPosition(owner, slot)
      owner.detail?.toManys[position]?.setMembership(of: gone, isStored: false, isCurrent: false)
      return
    }
    let isUnsaved =
      owner.flags.contains(.inserted)
      || owner.detail?.base.map { key($0, slot) != gone } == true
    if let base = owner.detail?.base, key(base, slot) == gone {
      owner.detail?.base = emptied(base, slot, owner)
    }
    guard let chunk = owner.chunk, key((chunk, owner.rowIndex), slot) == gone else { return }
    if isUnsaved { return writeInverse(owner, slot, nil) }
    let place = emptied((chunk, owner.rowIndex), slot, owner)
    owner.point(at: place.chunk, row: place.row)
    if !isDeleted { note(owner, .refreshedInEvent) }
  }

  /// Removes a link from the image of an object, so that an undo does not restore the link.
  private func removeLink(_ link: Link, from image: inout ObjectImage) {
    if link.owner.entityDefinition.properties[link.slot].isToMany {
      let position = toManyPosition(link.owner, link.slot)
      image.toManys[position]?.setMembership(of: link.key, isStored: false, isCurrent: false)
    } else if let place = image.chunkRow, key(place, link.slot) == link.key {
      image.chunkRow = emptied(place, link.slot, link.owner)
    }
  }

  /// Returns a copy of a row with null in the to-one, because a row that was read must not be changed.
  private func emptied(_ place: ChunkRow, _ slot: Int, _ owner: GraphObject) -> ChunkRow {
    let copy = rows.copy(of: place.chunk, row: place.row, entity: owner.key.entity)
    copy.chunk.setNull(copy.row, slot)
    rows.replaced += 1
    return copy
  }

  // MARK: Rows that a child's parent has deleted

  /// Marks the objects of `keys`, which the parent has deleted, as deleted and inaccessible, and cuts every
  /// link to them.
  ///
  /// A child calls this method after its save, then reports the event, and then calls
  /// `removeLostObjects(_:)`. Objects that are inserted in the child are not marked.
  /// - Complexity: as `cutLinksToLost()`.
  package func recordParentDeletions(_ keys: [ObjectKey]) {
    for key in keys {
      guard let object = registry.object(for: key), !object.flags.contains(.inserted) else {
        continue
      }
      object.flags.insert([.inaccessible, .propagated])
      if !object.flags.contains(.deleted) { markDeleted(object) }
    }
    recordLostKeys(keys)
    cutLinksToLost()
  }

  /// Removes the inaccessible objects of `keys` from the context, because they have no row that a save could
  /// delete.
  package func removeLostObjects(_ keys: [ObjectKey]) {
    for key in keys {
      guard let object = registry.object(for: key), object.flags.contains(.inaccessible) else {
        continue
      }
      clearUnsaved(object)
      removeFromContext(object)
    }
  }
}
