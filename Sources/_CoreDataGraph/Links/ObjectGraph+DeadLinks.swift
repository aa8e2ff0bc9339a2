// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The rule of links: after any merge, refresh, save or rollback no loaded relationship of a registered
/// object names an object that is deleted or gone.
///
/// A deletion reaches the objects that link to it in one of three ways. For a deletion in this context, the
/// delete rules apply (`propagateDeletions`). A merged save names the owners too, and they are read again. For
/// any other deletion, as by a batch whose keys alone are merged or where a fault found no row, the key is lost,
/// and `cutLostLinks` searches for links to it. Links made to a deleted object afterwards are
/// cut when pending changes are processed (`cutLinksToDeleted`). Relationships whose inverse has the delete
/// rule deny or no action keep their destinations, as documented for these rules.
extension ObjectGraph {
  /// A loaded relationship that leads to a key.
  struct Link {
    let owner: GraphObject
    let slot: Int
    let key: ObjectKey
  }

  // MARK: Lost keys

  /// Takes note of keys whose rows are gone while it is not known what leads to them.
  package func noteLost(_ keys: some Sequence<ObjectKey>) { deletions.lost.formUnion(keys) }

  /// Whether keys are lost of which the next processing cuts the links.
  package var hasLostKeys: Bool { !deletions.lost.isEmpty }

  /// Cuts the loaded links to lost keys, so that relationships show what the store has.
  ///
  /// Links of the store are gone there too, so their owners have nothing to save; unsaved ones become
  /// unsaved changes to nil. A lost key whose row is there after all stays a destination.
  /// - Complexity: O(registered objects and their loaded links) where keys were lost, and one statement
  ///   for those that are found; nothing otherwise.
  package func cutLostLinks() {
    if deletions.lost.isEmpty { return }
    let keys = deletions.lost
    deletions.lost = []
    let links = loadedLinks(to: keys)
    if links.isEmpty { return }
    guard let present = presentRows(of: links.map(\.key)) else {
      // Without an answer of the store the keys stay lost until the next time.
      deletions.lost = keys
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
    // A deleted one counts: a rollback brings it back with the links of its last save.
    for object in registry.objects where !object.flags.contains(.inaccessible) {
      for slot in slots[object.key.entity] {
        for key in knownDestinations(of: object, slot)
        where wanted.contains(registry.identity(key)) {
          links.append(Link(owner: object, slot: slot, key: key))
        }
      }
    }
    return links
  }

  /// The destinations now, and those of the last save or fetch.
  private func knownDestinations(of object: GraphObject, _ slot: Int) -> Set<ObjectKey> {
    if object.entityDefinition.properties[slot].isToMany {
      guard var state = object.detail?.toManys[toManyPosition(object, slot)] else { return [] }
      return state.removed.union(state.keys)
    }
    var keys: Set<ObjectKey> = []
    if let chunk = object.chunk, let key = key((chunk, object.rowIndex), slot) { keys.insert(key) }
    if let base = object.detail?.base, let key = key(base, slot) { keys.insert(key) }
    return keys
  }

  /// The identities of those that have rows after all; nil where the rows cannot be read.
  func presentRows(of keys: [ObjectKey]) -> Set<UInt64>? {
    var asked: [Int: Set<ObjectKey>] = [:]
    for key in keys where registry.object(for: key)?.flags.contains(.deleted) != true {
      asked[key.store, default: []].insert(key)
    }
    var present: Set<UInt64> = []
    for keys in asked.values {
      // The caller leaves links alone then; the save that follows meets the same failure.
      guard let rows = try? host.loadRows(keys.sorted { $0.raw < $1.raw }) else { return nil }
      rows.forEach { key, _, _ in present.insert(registry.identity(key)) }
    }
    return present
  }

  /// Cuts a link that the store does not have either; this cannot be undone.
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
    if isUnsaved { return writeMirror(owner, slot, nil) }
    let place = emptied((chunk, owner.rowIndex), slot, owner)
    owner.place(at: place.chunk, row: place.row)
    if !isDeleted { note(owner, .refreshedInEvent) }
  }

  /// Makes the image of an object, which an undo goes back to, one without the link.
  private func removeLink(_ link: Link, from image: inout ObjectImage) {
    if link.owner.entityDefinition.properties[link.slot].isToMany {
      let position = toManyPosition(link.owner, link.slot)
      image.toManys[position]?.setMembership(of: link.key, isStored: false, isCurrent: false)
    } else if let place = image.place, key(place, link.slot) == link.key {
      image.place = emptied(place, link.slot, link.owner)
    }
  }

  /// A copy of a row without the destination; rows that were read are never written.
  private func emptied(_ place: ChunkRow, _ slot: Int, _ owner: GraphObject) -> ChunkRow {
    let copy = rows.copy(of: place.chunk, row: place.row, entity: owner.key.entity)
    copy.chunk.setNull(copy.row, slot)
    rows.replaced += 1
    return copy
  }

  // MARK: Rows that a child's parent has deleted

  /// After a child's save: what its parent has deleted is gone here too, with every link to it.
  ///
  /// The caller reports the event and then calls `forgetLost(_:)`.
  /// - Complexity: as `cutLostLinks()`.
  package func lose(_ keys: [ObjectKey]) {
    for key in keys {
      guard let object = registry.object(for: key), !object.flags.contains(.inserted) else {
        continue
      }
      object.flags.insert([.inaccessible, .propagated])
      if !object.flags.contains(.deleted) { markDeleted(object) }
    }
    noteLost(keys)
    cutLostLinks()
  }

  /// Takes the objects of lost keys out of the context: there is no row for a save to delete.
  package func forgetLost(_ keys: [ObjectKey]) {
    for key in keys {
      guard let object = registry.object(for: key), object.flags.contains(.inaccessible) else {
        continue
      }
      clearUnsaved(object)
      forget(object)
    }
  }
}
