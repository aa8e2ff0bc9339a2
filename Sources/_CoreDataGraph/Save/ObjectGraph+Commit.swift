// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

extension ObjectGraph {
  /// After the stores have taken their batches: permanent keys, new versions, no unsaved changes.
  ///
  /// `keys` has for each store index the permanent keys of its inserts, in their order; `stores` are those
  /// that have taken their part, nil where all have. What belongs to others stays unsaved.
  package func commit(_ plan: SavePlan, keys: [Int: [ObjectKey]], stores: Set<Int>? = nil) {
    let permanent = PermanentKeys(plan, keys)
    for (store, objects) in plan.inserted {
      for (object, key) in zip(objects, keys[store] ?? []) {
        // A row that became part of another has no object any more.
        if object.flags.contains(.discarded) { continue }
        if object.key != key { rekey(object, to: key) }
        object.chunk?.setVersion(object.rowIndex, 1)
        settle(object, permanent)
        if stores != nil { clearUnsaved(object) }
      }
    }
    for object in plan.versioned where stores?.contains(object.key.store) ?? true {
      let version = expectedVersion(object) ?? 0
      object.chunk?.setVersion(object.rowIndex, version + 1)
    }
    for object in plan.updated where stores?.contains(object.key.store) ?? true {
      settle(object, permanent)
      if stores != nil { clearUnsaved(object) }
    }
    let deleted = plan.deleted.filter { stores?.contains($0.key.store) ?? true }
    if stores == nil {
      clearAllUnsaved()
      watched = ObjectList()
    } else {
      for object in deleted { clearUnsaved(object) }
      for object in inserted + updated { settleReferences(of: object) { permanent[$0] } }
    }
    for object in deleted { forget(object) }
  }

  /// Gives an object its permanent key.
  func rekey(_ object: GraphObject, to key: ObjectKey) {
    if undoJournal != nil { aliases[object.key] = key }
    if recordsKeyChanges { noteKeyChange(from: object.key, to: key) }
    registry.rekey(object, to: key)
  }

  /// The object's current values are the stored ones from now on.
  private func settle(_ object: GraphObject, _ permanent: PermanentKeys) {
    settleReferences(of: object) { permanent[$0] }
    guard let detail = object.detail else { return }
    if detail.base != nil { replacedRows += 1 }
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
