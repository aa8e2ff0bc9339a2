// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension ObjectGraph {
  /// Returns the row to which a slot can be written without recording a change; nil if the object has no row.
  ///
  /// Fires the object if it is a fault. Keeps the values of the last fetch or save for a rollback, except
  /// while `awakeFromFetch` runs for the object.
  package func willWriteUntracked(
    _ object: GraphObject,
    slot: Int
  ) -> ChunkRow? {
    realize(object)
    if !object.flags.contains(.unrecorded) {
      let detail = object.detailCreatingIfNeeded
      let isStored = !object.flags.contains(.inserted)
      if isStored && detail.base == nil { copyRowBeforeWrite(object, detail) }
      if !(isStored && detail.changed.contains(slot)) { detail.untracked.insert(slot) }
    }
    return object.chunk.map { ($0, object.rowIndex) }
  }

  /// Replaces the members of a to-many without recording a change; the inverse does not change.
  package func setMembersUntracked(_ object: GraphObject, slot: Int, to members: [ObjectKey]) {
    loadToMany(object, slot: slot)
    let wanted = Set(members)
    _ = updateToMany(object, slot: slot) { state in
      for key in state.keys where !wanted.contains(key) { state.remove(key) }
      for key in members { state.insert(key) }
      if state.isOrdered { state.reorder(members) }
      return true
    }
  }

  // MARK: Announced changes

  /// Records a change that `willChangeValue(forKey:)` announces, before an unrecorded write.
  ///
  /// For a relationship with an inverse, the current destinations are kept for `finishChange(_:slot:)`. While
  /// `awakeFromFetch` runs for the object, nothing is recorded.
  package func announceChange(_ object: GraphObject, slot: Int) {
    recordChange(object, slot: slot)
    guard object.entityDefinition.properties[slot].relationship?.inverse != nil,
      !object.flags.contains(.unrecorded)
    else { return }
    object.detailCreatingIfNeeded.announced[slot] = destinationKeys(object, slot: slot)
  }

  /// Records a change that `didChangeValue(forKey:)` ends, and updates the inverse at the destinations that
  /// were added or removed since `announceChange(_:slot:)`.
  ///
  /// Does not update the inverse if the change was not announced.
  package func finishChange(_ object: GraphObject, slot: Int) {
    recordChange(object, slot: slot)
    guard let former = object.detail?.announced.removeValue(forKey: slot),
      let inverse = object.entityDefinition.properties[slot].relationship?.inverse
    else { return }
    let current = destinationKeys(object, slot: slot)
    let kept = Set(current)
    let known = Set(former)
    for key in former where !kept.contains(key) {
      detachInverse(of: self.object(for: key), slot: inverse, from: object)
    }
    for key in current where !known.contains(key) {
      attachInverse(of: self.object(for: key), slot: inverse, to: object, by: slot)
    }
  }

  private func recordChange(_ object: GraphObject, slot: Int) {
    if object.entityDefinition.properties[slot].isToMany {
      beginRelationshipChange(object, slot: slot)
    } else {
      beginChange(object, slot: slot)
    }
  }

  private func destinationKeys(_ object: GraphObject, slot: Int) -> [ObjectKey] {
    if object.entityDefinition.properties[slot].isToMany { return memberKeys(object, slot: slot) }
    return reference(object, slot: slot).map { [$0] } ?? []
  }

  /// Records the object as updated without recording a changed slot.
  ///
  /// An object that is already inserted, updated or deleted keeps that state. Does nothing while
  /// `awakeFromFetch` runs for the object.
  package func markUpdated(_ object: GraphObject) {
    if object.flags.contains(.unrecorded) { return }
    if object.flags.isDisjoint(with: .unsaved) { appendUpdated(object) }
    note(object, .updatedInEvent)
  }
}
