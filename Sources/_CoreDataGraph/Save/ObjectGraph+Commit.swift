// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

extension ObjectGraph {
  /// Updates the objects after the stores have written the plan: sets permanent keys and new versions, clears
  /// the unsaved changes, and removes deleted objects from the context.
  ///
  /// - Parameters:
  ///   - plan: the plan that was written.
  ///   - assigned: store index → the permanent keys of `plan.inserted`, in the same order.
  ///   - stores: the stores that have written their parts; nil if all stores have written their parts.
  ///     Changes of objects in other stores remain unsaved.
  package func commit(
    _ plan: SavePlan,
    keys assigned: ValuesByStore<[ObjectKey]>,
    stores: Set<Int>? = nil
  ) {
    pruneKeys()
    let permanent = PermanentKeys(plan, assigned)
    for objects in plan.inserted {
      for (object, key) in zip(objects.value, assigned[objects.store] ?? []) {
        // A new object that was folded into a stored row is deleted, so it gets no permanent key.
        if object.flags.contains(.discarded) { continue }
        if object.key != key { rekey(object, to: key) }
        object.chunk?.setVersion(object.rowIndex, 1)
        markSaved(object, permanent)
        if stores != nil { clearUnsaved(object) }
      }
    }
    for object in plan.versioned where stores?.contains(object.key.store) ?? true {
      let version = expectedVersion(object) ?? 0
      object.chunk?.setVersion(object.rowIndex, version + 1)
    }
    for object in plan.updated where stores?.contains(object.key.store) ?? true {
      markSaved(object, permanent)
      if stores != nil { clearUnsaved(object) }
    }
    let deleted =
      stores.map { stores in plan.deleted.filter { stores.contains($0.key.store) } }
      ?? plan.deleted
    if recordsUndo { deletions.keepLeftOut(of: deleted) }
    if stores == nil {
      clearAllUnsaved()
      if !watched.isEmpty { watched.removeAll() }
    } else {
      for object in deleted { clearUnsaved(object) }
      for object in inserted + updated { replaceTemporaryKeys(of: object) { permanent[$0] } }
    }
    for object in deleted { removeFromContext(object) }
  }

  private func markSaved(_ object: GraphObject, _ permanent: PermanentKeys) {
    replaceTemporaryKeys(of: object) { permanent[$0] }
    guard let detail = object.detail else { return }
    if detail.base != nil { rows.replaced += 1 }
    detail.base = nil
    detail.baseObjects = [:]
    detail.changed = SlotSet()
    detail.untracked = SlotSet()
    for position in detail.toManys.indices {
      detail.toManys[position]?.rekey { permanent[$0] }
      detail.toManys[position]?.commit()
    }
  }
}
