// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

extension ObjectGraph {
  /// Whether something happened since the last processing.
  package var hasPendingEvent: Bool { !event.isEmpty }

  /// What was touched since the last processing, in that order.
  package var pendingObjects: [GraphObject] { event.objects }

  /// Propagates deletions, ends the event and returns what changed in it.
  package func processPendingChanges(propagatingDeletions: Bool = true) -> ChangeSummary {
    applyDeletions(propagating: propagatingDeletions)
    let summary = event.finish()
    for object in summary.inserted { object.detail?.endEvent() }
    for object in summary.updated { object.detail?.endEvent() }
    for object in summary.deleted { object.detail?.endEvent() }
    return summary
  }

  /// Makes the deletions of the event reach what leads to the deleted objects.
  ///
  /// - Complexity: that of `cutLostLinks()`, `propagateDeletions()` and `cutLinksToDeleted()`.
  package func applyDeletions(propagating: Bool = true) {
    cutLostLinks()
    if propagating { propagateDeletions() }
    cutLinksToDeleted()
  }

  /// After the report: objects that were new and are deleted leave the context.
  package func discard(_ summary: ChangeSummary) {
    for object in summary.discarded where object.flags.contains(.discarded) { forget(object) }
  }

  /// Takes an object out of the context: it keeps its values and has no context any more.
  package func forget(_ object: GraphObject) {
    registry.forget(object)
    retained?[ObjectIdentifier(object)] = nil
    clearUnsaved(object)
    object.flags.subtract([.propagated, .discarded])
    object.flags.subtract(.inEvent)
    object.registry = detachedRegistry
  }

  /// Drops every unsaved change.
  ///
  /// - Returns: what to report: new objects as deleted, deleted ones as inserted, changed ones as updated;
  ///   and what happened to others since the last processing.
  package func rollBack() -> ChangeSummary {
    cutLostLinks()
    let ended = event.finish()
    deletions.unpropagated = []
    var summary = ChangeSummary()
    // New objects whose deletion was not reported yet, although their insertion was.
    summary.deleted = ended.deleted.filter { $0.flags.contains(.discarded) }
    for object in ended.discarded { forget(object) }
    let fresh = inserted
    let changed = updated
    let gone = deleted
    let restored = Set((changed + gone + fresh).map(ObjectIdentifier.init))
    clearAllUnsaved()
    for object in fresh {
      summary.deleted.append(object)
      forget(object)
    }
    for object in changed + gone {
      restore(object)
      object.detail?.forgetLastEvent()
    }
    // A row that is not there cannot come back; the next use asks the store again. A new object that the
    // parent has let go is in no store.
    for object in gone where object.flags.contains(.inaccessible) {
      if object.key.isTemporary { forget(object) } else { turnIntoFault(object) }
    }
    summary.updated = changed
    summary.inserted = gone.filter { !$0.flags.contains(.fault) && $0.registry === registry }
    for object in ended.refreshed + ended.updated + ended.inserted
    where object.registry === registry && !restored.contains(ObjectIdentifier(object)) {
      summary.refreshed.append(object)
    }
    return summary
  }

  /// Puts the values of the last save or fetch back.
  func restore(_ object: GraphObject) {
    guard let detail = object.detail else { return }
    if object.isWatched { host.willReplaceValues(of: object) }
    defer { if object.isWatched { host.didReplaceValues(of: object) } }
    if let base = detail.base {
      object.place(at: base.chunk, row: base.row)
      detail.objects = detail.baseObjects
    }
    forgetBase(detail)
    for position in detail.toManys.indices { detail.toManys[position]?.rollBack() }
  }

  /// Forgets every object and every change.
  package func reset() {
    _ = event.finish()
    deletions.unpropagated = []
    deletions.lost = []
    rows.forgetFaultChunks()
    clearAllUnsaved()
    faulting.windows.close()
    releasePrefetched()
    for object in registry.objects {
      forget(object)
      becomeEmptyFault(object)
    }
  }

  /// An object without a context gives up its row and its transient values: a fault that nothing fills.
  private func becomeEmptyFault(_ object: GraphObject) {
    let observers = object.detail?.observers
    object.detail = nil
    if let observers { object.madeDetail.observers = observers }
    object.place(at: nil, row: 0)
    object.flags.insert(.fault)
    object.flags.remove(.inaccessible)
  }
}

/// What other contexts have saved.
extension ObjectGraph {
  /// An object that another context has inserted and saved; one whose row was gone and is back is no
  /// longer deleted.
  package func admit(_ object: GraphObject, chunk: RowChunk, row: Int) {
    if object.flags.isSuperset(of: [.deleted, .inaccessible]) {
      comeBack(object, chunk, row)
    } else {
      guard object.flags.isDisjoint(with: .unsaved) else { return }
      if object.flags.contains(.fault) { object.place(at: chunk, row: row) }
    }
    note(object, .insertedInEvent)
    guard let chunk = object.chunk else { return }
    for slot in object.entityDefinition.toOneSlots where mirror(object, slot) == .members {
      if let owner = key((chunk, object.rowIndex), slot) {
        gainMember(object.key, of: owner, object, slot)
      }
    }
  }

  /// The values are those of the row that another context has inserted again.
  private func comeBack(_ object: GraphObject, _ chunk: RowChunk, _ row: Int) {
    if object.isWatched { host.willReplaceValues(of: object) }
    defer { if object.isWatched { host.didReplaceValues(of: object) } }
    capture(object)
    clearUnsaved(object)
    object.flags.subtract([.inaccessible, .propagated, .fault])
    object.place(at: chunk, row: row)
    guard let detail = object.detail else { return }
    forgetBase(detail)
    detail.objects = [:]
    for position in detail.toManys.indices { detail.toManys[position] = nil }
  }

  /// An object whose deletion another context has saved: deleted here, without a row to delete.
  ///
  /// Links of unsaved changes to it are cut. What is deleted here already loses its row; what is new here
  /// again, as by undoing its deletion, has no row to lose.
  package func admitDeletion(of object: GraphObject) {
    if object.flags.contains(.inserted) { return }
    if object.flags.contains(.deleted) {
      object.flags.insert([.inaccessible, .propagated])
      return
    }
    realizeIfRowIsAtHand(object)
    forgetMembership(of: object)
    for slot in object.entityDefinition.deletionSlots { dropUnsavedLinks(of: object, slot: slot) }
    object.flags.insert([.inaccessible, .propagated])
    markDeleted(object)
  }

  /// An object that is deleted here, and was changed elsewhere: its delete rules reach what leads to it
  /// by now, when pending changes are processed.
  package func renewDeletion(of object: GraphObject, chunk: RowChunk, row: Int) {
    guard object.flags.isDisjoint(with: .inaccessible) else { return }
    object.place(at: chunk, row: row)
    object.flags.subtract([.fault, .propagated])
    let detail = object.madeDetail
    // The first change copies the row again.
    forgetBase(detail)
    for position in detail.toManys.indices { detail.toManys[position] = nil }
    deletions.unpropagated.append(object)
  }

  private func realizeIfRowIsAtHand(_ object: GraphObject) {
    if object.flags.contains(.fault) && object.chunk != nil { object.flags.remove(.fault) }
  }
}
