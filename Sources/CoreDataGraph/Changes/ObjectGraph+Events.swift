// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataStore

extension ObjectGraph {
  /// Whether something happened since the last processing.
  package var hasPendingEvent: Bool { !event.isEmpty }

  /// Propagates deletions, then ends the event and tells what it was.
  package func processPendingChanges(propagatingDeletions: Bool = true) -> ChangeSummary {
    if propagatingDeletions { propagateDeletions() }
    let summary = event.finish()
    for object in summary.inserted { object.detail?.changedInEvent = SlotSet() }
    for object in summary.updated { object.detail?.changedInEvent = SlotSet() }
    return summary
  }

  /// After the report: objects that were new and are deleted leave the context.
  package func discard(_ summary: ChangeSummary) {
    for object in summary.discarded where object.flags.contains(.discarded) { forget(object) }
  }

  /// Takes an object out of the context: it keeps its values and has no context any more.
  package func forget(_ object: GraphObject) {
    registry.forget(object)
    object.flags.subtract([.inserted, .updated, .deleted, .propagated, .discarded])
    object.flags.subtract(.inEvent)
    object.registry = detachedRegistry
  }

  /// Drops every unsaved change.
  ///
  /// - Returns: what to report: new objects as deleted, deleted ones as inserted, changed ones as updated.
  package func rollBack() -> ChangeSummary {
    let ended = event.finish()
    unpropagated = []
    var summary = ChangeSummary()
    // New objects whose deletion was not reported yet, although their insertion was.
    summary.deleted = ended.deleted.filter { $0.flags.contains(.discarded) }
    for object in ended.discarded { forget(object) }
    let fresh = inserted
    let changed = updated
    let gone = deleted
    clearAllUnsaved()
    for object in fresh {
      summary.deleted.append(object)
      forget(object)
    }
    for object in changed + gone { restore(object) }
    summary.updated = changed
    summary.inserted = gone
    return summary
  }

  /// Puts the values of the last save or fetch back.
  func restore(_ object: GraphObject) {
    guard let detail = object.detail else { return }
    if let base = detail.base { object.place(at: base.chunk, row: base.row) }
    detail.base = nil
    detail.changed = SlotSet()
    detail.changedInEvent = SlotSet()
    detail.objects = [:]
    for position in detail.toManys.indices { detail.toManys[position]?.rollBack() }
  }

  /// Forgets every object and every change.
  package func reset() {
    _ = event.finish()
    unpropagated = []
    clearAllUnsaved()
    for object in registry.objects { forget(object) }
  }

  // MARK: Refreshing

  /// Turns the object into a fault without row: the next use asks the store.
  ///
  /// Changes are lost.
  package func turnIntoFault(_ object: GraphObject) {
    guard !object.flags.contains(.inserted) else { return }
    clearUnsaved(object)
    object.detail = nil
    object.place(at: nil, row: 0)
    object.flags.insert(.fault)
    object.flags.remove(.inaccessible)
    note(object, .refreshedInEvent)
  }

  /// Takes a newer row as the base and lays the unsaved changes over it.
  package func rebase(_ object: GraphObject, on chunk: RowChunk, row: Int) {
    guard let detail = object.detail, object.flags.contains(.updated), let own = object.chunk,
      detail.base != nil
    else {
      object.place(at: chunk, row: row)
      forgetLoadedToManys(object)
      note(object, .refreshedInEvent)
      return
    }
    let merged = drafts.copy(of: chunk, row: row, entity: object.key.entity)
    for slot in changedSlots(object) where !object.entityDefinition.properties[slot].isToMany {
      merged.chunk.setValue(merged.row, slot, own.value(object.rowIndex, slot))
    }
    copyTransients(of: object, from: own, to: merged)
    object.place(at: merged.chunk, row: merged.row)
    detail.base = (chunk, row)
    forgetLoadedToManys(object)
    note(object, .refreshedInEvent)
  }

  /// Unchanged to-manys are asked for again.
  private func forgetLoadedToManys(_ object: GraphObject) {
    guard let detail = object.detail else { return }
    for (position, slot) in object.entityDefinition.toManySlots.enumerated() {
      guard let state = detail.toManys[position] else { continue }
      if !state.hasChanges {
        detail.toManys[position] = nil
        continue
      }
      // Replay the changes over what the store has now.
      var replayed = ToMany(isOrdered: state.isOrdered, isNew: false)
      if let stored = try? host.loadMembers(of: object.key, slot: slot) {
        replayed.load(stored)
        for key in state.removed { replayed.remove(key) }
        for key in state.added { replayed.insert(key) }
        detail.toManys[position] = replayed
      }
    }
  }

  private func copyTransients(
    of object: GraphObject,
    from own: RowChunk,
    to merged: (chunk: RowChunk, row: Int)
  ) {
    for property in object.entityDefinition.properties
    where property.isTransient && property.attribute != nil {
      merged.chunk.setValue(merged.row, property.slot, own.value(object.rowIndex, property.slot))
    }
  }
}

/// What other contexts have saved.
extension ObjectGraph {
  /// An object that another context has inserted and saved.
  package func admit(_ object: GraphObject, chunk: RowChunk, row: Int) {
    guard object.flags.isDisjoint(with: .unsaved) else { return }
    if object.flags.contains(.fault) { object.place(at: chunk, row: row) }
    note(object, .insertedInEvent)
  }

  /// An object whose deletion another context has saved: deleted here, without a row to delete.
  package func admitDeletion(of object: GraphObject) {
    realizeIfRowIsAtHand(object)
    object.flags.insert([.inaccessible, .propagated])
    markDeleted(object)
  }

  private func realizeIfRowIsAtHand(_ object: GraphObject) {
    if object.flags.contains(.fault) && object.chunk != nil { object.flags.remove(.fault) }
  }
}
