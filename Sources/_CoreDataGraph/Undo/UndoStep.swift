// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The changes since the previous step, in a form that can be undone.
package struct UndoStep {
  struct MemberChange {
    let slot: Int
    let inserted: [ObjectKey]
    let removed: [ObjectKey]
    /// All members before the changes, in their order; nil if the members were never loaded.
    let former: [ObjectKey]?
  }
  enum Kind {
    /// The object existed before and after the changes.
    case update
    /// The object existed only after the changes.
    case arrival
    /// The object existed only before the changes.
    case departure
  }
  struct Entry {
    let kind: Kind
    let image: ObjectImage
    let slots: SlotSet
    let members: [MemberChange]
  }
  let entries: [Entry]
  let ticket: UndoStepTicket
}

/// An object that an undo changed, with the kind of change, for `awake(fromSnapshotEvents:)`.
package struct UndoneObject {
  package enum Event: Sendable { case arrival, departure, update }
  package let object: GraphObject
  package let event: Event
}

extension ObjectGraph {
  /// Whether changes are recorded for undo.
  ///
  /// Changing the value discards the changes recorded since the last step, and the record of replaced keys.
  package var recordsUndo: Bool {
    get { journals.undo != nil }
    set {
      if newValue == recordsUndo { return }
      journals.undo = newValue ? ChangeJournal() : nil
      discardFormerKeys()
    }
  }

  /// Discards the record of the changes since the last step, so that the changes cannot be undone.
  package func dropUndoStep() { _ = journals.undo?.drain() }

  /// Discards the record of replaced keys; no remaining undo step may contain a replaced key.
  package func discardFormerKeys() {
    keys.undo.removeAll()
    deletions.forgetSavedLeftOut()
  }

  /// Returns the step that undoes the changes since the last step; nil if nothing has changed, or if members of deleted
  /// objects cannot be read.
  ///
  /// - Complexity: O(changed objects); one statement for each store and to-many property of deleted objects
  ///   whose members are not loaded.
  package func finishUndoStep() -> UndoStep? {
    guard let journal = journals.undo, !journal.isEmpty else { return nil }
    // Undoing needs the members of deleted objects, which cannot be loaded after the deletion is saved.
    let departed = journal.images.filter { $0.existed && $0.object.flags.contains(.deleted) }
    do {
      try loadMembers(of: departed.map(\.object)) { _ in true }
    } catch {
      // The changes stay in the journal, and belong to the next step.
      return nil
    }
    let entries = journal.drain().compactMap(entry)
    return entries.isEmpty ? nil : UndoStep(entries: entries, ticket: keys.undo.makeTicket())
  }

  private func entry(_ image: ObjectImage) -> UndoStep.Entry? {
    let object = image.object
    let exists = object.registry === registry && !object.flags.contains(.deleted)
    switch (image.existed, exists) {
    case (false, false): return nil
    case (false, true):
      return UndoStep.Entry(kind: .arrival, image: image, slots: SlotSet(), members: [])
    case (true, false):
      return UndoStep.Entry(
        kind: .departure,
        image: image,
        slots: SlotSet(),
        members: memberChanges(image)
      )
    case (true, true):
      let slots = changedSlots(since: image)
      let members = memberChanges(image)
      if slots.isEmpty && members.isEmpty { return nil }
      return UndoStep.Entry(kind: .update, image: image, slots: slots, members: members)
    }
  }

  func changedSlots(since image: ObjectImage) -> SlotSet {
    var slots = SlotSet()
    guard let place = image.chunkRow, let chunk = image.object.chunk else { return slots }
    for property in image.object.entityDefinition.properties where !property.isToMany {
      let slot = property.slot
      if chunk.layout.kinds[slot] == .none { continue }
      if !chunk.slotEquals(image.object.rowIndex, slot, of: place.chunk, row: place.row)
        || isOtherObject(image, slot)
      {
        slots.insert(slot)
      }
    }
    return slots
  }

  /// Returns whether the value of an opaque transient slot is no longer the object in the image.
  private func isOtherObject(_ image: ObjectImage, _ slot: Int) -> Bool {
    let property = image.object.entityDefinition.properties[slot]
    guard property.isTransient, image.object.chunk?.layout.kinds[slot] == .opaque else {
      return false
    }
    let old = image.objects[slot]
    let new = image.object.detail?.objects[slot]
    if old == nil && new == nil { return false }
    return (old as AnyObject?) !== (new as AnyObject?)
  }

  private func memberChanges(_ image: ObjectImage) -> [UndoStep.MemberChange] {
    guard let detail = image.object.detail else { return [] }
    var changes: [UndoStep.MemberChange] = []
    for (position, slot) in image.object.entityDefinition.toManySlots.enumerated() {
      guard var now = detail.toManys[position] else { continue }
      let before = image.toManys[position]
      let old = (added: before?.added ?? [], removed: before?.removed ?? [])
      var inserted = now.added.subtracting(old.added)
        .union(old.removed.subtracting(now.removed))
      var removed = now.removed.subtracting(old.removed)
        .union(old.added.subtracting(now.added))
      if now.isLoaded {
        // `ToMany.load(_:)` drops an added key that is already stored, and a removed key that is not stored.
        // The comparison above reports such a key as changed, although its membership is the same.
        inserted = inserted.filter { now.contains($0) }
        removed = removed.filter { !now.contains($0) }
      }
      removed = removed.filter { !isLeftOut($0, of: image.object, slot) }
      let former = formerMembers(before, now)
      let isSame = inserted.isEmpty && removed.isEmpty && !wasReordered(now, former)
      if isSame && image.object.flags.isDisjoint(with: .deleted) { continue }
      changes.append(
        UndoStep.MemberChange(
          slot: slot,
          inserted: inserted.sorted { $0.raw < $1.raw },
          removed: removed.sorted { $0.raw < $1.raw },
          former: former
        )
      )
    }
    return changes
  }

  private func wasReordered(_ now: ToMany, _ former: [ObjectKey]?) -> Bool {
    guard now.isOrdered, let former else { return false }
    var now = now
    return now.keys != former
  }

  private func formerMembers(_ before: ToMany?, _ now: ToMany) -> [ObjectKey]? {
    if var before, before.isLoaded { return before.keys }
    var now = now
    guard let stored = now.stored else { return nil }
    let added = before?.added ?? []
    let removed = before?.removed ?? []
    return stored.filter { !removed.contains($0) }
      + added.subtracting(stored).sorted { $0.raw < $1.raw }
  }
}
