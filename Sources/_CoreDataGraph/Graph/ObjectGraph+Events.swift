// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

extension ObjectGraph {
  /// Whether there are pending changes.
  package var hasPendingEvent: Bool { !event.isEmpty }

  /// Whether `processPendingChanges(propagatingDeletions:)` has something to do.
  package var needsProcessing: Bool { hasPendingEvent || deletions.failure != nil }

  /// The objects with pending changes, in the order of their first change in the event.
  package var pendingObjects: [GraphObject] { event.objects }

  /// Applies delete rules, cuts links to deleted objects, ends the event, and returns the changes of the
  /// event.
  ///
  /// If `propagatingDeletions` is false, delete rules are not applied.
  package func processPendingChanges(propagatingDeletions: Bool = true) -> ChangeSummary {
    applyDeletions(propagating: propagatingDeletions)
    let summary = event.finish()
    for object in summary.inserted { object.detail?.endEvent() }
    for object in summary.updated { object.detail?.endEvent() }
    for object in summary.deleted { object.detail?.endEvent() }
    return summary
  }

  /// Cuts links to lost keys and to deleted objects; applies delete rules if `propagating` is true.
  ///
  /// - Complexity: that of `cutLinksToLost()`, `propagateDeletions()` and `cutLinksToDeleted()`.
  package func applyDeletions(propagating: Bool = true) {
    cutLinksToLost()
    if propagating { propagateDeletions() }
    cutLinksToDeleted()
  }

  /// Removes from the context the objects in `summary` that were inserted and then deleted before a save.
  ///
  /// Call this method after `summary` was reported.
  package func discard(_ summary: ChangeSummary) {
    for object in summary.discarded where object.flags.contains(.discarded) {
      removeFromContext(object)
    }
  }

  /// Removes an object from the context and clears its unsaved state; the object keeps its values.
  package func removeFromContext(_ object: GraphObject) {
    registry.remove(object)
    retained?[ObjectIdentifier(object)] = nil
    clearUnsaved(object)
    object.flags.subtract([.propagated, .discarded])
    object.flags.subtract(.inEvent)
    object.registry = detachedRegistry
  }

  /// Discards all unsaved changes.
  ///
  /// - Returns: the changes to report. Inserted objects are reported as deleted. Deleted objects are reported
  ///   as inserted unless they become faults or leave the context. Updated objects are reported as updated,
  ///   and all other objects with pending changes as refreshed.
  package func rollBack() -> ChangeSummary {
    cutLinksToLost()
    let ended = event.finish()
    deletions.unpropagated = []
    deletions.failure = nil
    var summary = ChangeSummary()
    // These are the objects whose insertion was reported, but whose later deletion was not.
    summary.deleted = ended.deleted.filter { $0.flags.contains(.discarded) }
    for object in ended.discarded { removeFromContext(object) }
    let fresh = inserted
    let changed = updated
    let gone = deleted
    let restored = Set((changed + gone + fresh).map(ObjectIdentifier.init))
    clearAllUnsaved()
    for object in fresh {
      summary.deleted.append(object)
      removeFromContext(object)
    }
    for object in changed + gone {
      restore(object)
      object.detail?.clearLastEvent()
    }
    // An inaccessible object has no row to restore. It becomes a fault, so that the next access reads the
    // store again. An object with a temporary key leaves the context, because no store has a row for it.
    for object in gone where object.flags.contains(.inaccessible) {
      if object.key.isTemporary { removeFromContext(object) } else { turnIntoFault(object) }
    }
    summary.updated = changed
    summary.inserted = gone.filter { !$0.flags.contains(.fault) && $0.registry === registry }
    for object in ended.refreshed + ended.updated + ended.inserted
    where object.registry === registry && !restored.contains(ObjectIdentifier(object)) {
      summary.refreshed.append(object)
    }
    return summary
  }

  /// Restores the values and members that the object had at the last save or fetch.
  func restore(_ object: GraphObject) {
    guard let detail = object.detail else { return }
    if object.isWatched { host.willReplaceValues(of: object) }
    defer { if object.isWatched { host.didReplaceValues(of: object) } }
    if let base = detail.base {
      object.point(at: base.chunk, row: base.row)
      detail.objects = detail.baseObjects
    }
    discardBase(detail)
    for position in detail.toManys.indices { detail.toManys[position]?.rollBack() }
  }

  /// Removes every object from the context without reporting changes; the objects become faults that cannot
  /// fire.
  package func reset() {
    _ = event.finish()
    deletions.unpropagated = []
    deletions.failure = nil
    deletions.lostKeys = []
    rows.discardOpenChunks()
    clearAllUnsaved()
    faulting.windows.close()
    releasePrefetched()
    for object in registry.objects {
      removeFromContext(object)
      becomeEmptyFault(object)
    }
  }

  /// Turns an object that has left the context into a fault that cannot fire; discards its row, and its
  /// detail except for the observers.
  private func becomeEmptyFault(_ object: GraphObject) {
    let observers = object.detail?.observers
    object.detail = nil
    if let observers { object.detailCreatingIfNeeded.observers = observers }
    object.point(at: nil, row: 0)
    object.flags.insert(.fault)
    object.flags.remove(.inaccessible)
  }
}

extension ObjectGraph {
  /// Merges an object that another context has inserted and saved.
  ///
  /// A fault gets the new row. An object that is deleted here because its row was gone is restored from the
  /// new row. The object is added to the loaded to-manys at the other ends of its to-ones. Does nothing for
  /// any other object with unsaved changes.
  package func mergeInsertion(of object: GraphObject, chunk: RowChunk, row: Int) {
    if object.flags.isSuperset(of: [.deleted, .inaccessible]) {
      reinstate(object, chunk, row)
    } else {
      guard object.flags.isDisjoint(with: .unsaved) else { return }
      if object.flags.contains(.fault) { object.point(at: chunk, row: row) }
    }
    note(object, .insertedInEvent)
    guard let chunk = object.chunk else { return }
    for slot in object.entityDefinition.toOneSlots where inverseKind(object, slot) == .members {
      if let owner = key((chunk, object.rowIndex), slot) {
        addStoredMember(object.key, of: owner, object, slot)
      }
    }
  }

  private func reinstate(_ object: GraphObject, _ chunk: RowChunk, _ row: Int) {
    if object.isWatched { host.willReplaceValues(of: object) }
    defer { if object.isWatched { host.didReplaceValues(of: object) } }
    capture(object)
    clearUnsaved(object)
    object.flags.subtract([.inaccessible, .propagated, .fault])
    object.point(at: chunk, row: row)
    guard let detail = object.detail else { return }
    discardBase(detail)
    detail.objects = [:]
    for position in detail.toManys.indices { detail.toManys[position] = nil }
  }

  /// Marks an object as deleted and inaccessible after another context has saved the object's deletion.
  ///
  /// The object is removed from loaded to-manys, and unsaved links to the object are cut. An object that is
  /// already deleted here only becomes inaccessible. Does nothing for an object that is inserted here, for
  /// example because its deletion was undone.
  package func mergeDeletion(of object: GraphObject) {
    if object.flags.contains(.inserted) { return }
    if object.flags.contains(.deleted) {
      object.flags.insert([.inaccessible, .propagated])
      return
    }
    realizeIfRowIsAtHand(object)
    removeFromLoadedToManys(object)
    for slot in object.entityDefinition.deletionSlots { dropUnsavedLinks(of: object, slot: slot) }
    object.flags.insert([.inaccessible, .propagated])
    markDeleted(object)
  }

  /// Stops retaining objects whose deletion was merged, because a save has nothing to write for them.
  ///
  /// Without this, the objects that other contexts delete would fill the memory of a context that never saves. Does
  /// nothing until there are 128 deleted objects, or twice as many as the last call has left. An object that the
  /// program retains stays deleted.
  /// - Complexity: O(1) on average for each merged deletion.
  package func releaseMergedDeletions() {
    guard unsaved.deletedCount >= deletions.releaseLimit else { return }
    rows.replaced += unsaved.releaseDeleted(
      where: {
        $0.flags.contains(.inaccessible) && $0.registry === registry
          && deletions.leftOut[ObjectIdentifier($0)] == nil
      },
      living: { registry.object(for: $0) }
    )
    deletions.releaseLimit = max(PendingDeletions.leastReleaseLimit, 2 * unsaved.deletedCount)
  }

  /// Gives a deleted object the newer row that another context has saved.
  ///
  /// The next processing of pending changes applies delete rules to the relationships in that row. Does
  /// nothing for an inaccessible object.
  package func renewDeletion(of object: GraphObject, chunk: RowChunk, row: Int) {
    guard object.flags.isDisjoint(with: .inaccessible) else { return }
    object.point(at: chunk, row: row)
    object.flags.subtract([.fault, .propagated])
    let detail = object.detailCreatingIfNeeded
    // While the object has no base, its next change copies the row first.
    discardBase(detail)
    for position in detail.toManys.indices { detail.toManys[position] = nil }
    deletions.unpropagated.append(object)
  }

  private func realizeIfRowIsAtHand(_ object: GraphObject) {
    if object.flags.contains(.fault) && object.chunk != nil { object.flags.remove(.fault) }
  }
}
