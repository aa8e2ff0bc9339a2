// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataStore

extension ObjectGraph {
  /// After every store has taken its batch: permanent keys, new versions, no unsaved changes.
  ///
  /// `keys` has for each store index the permanent keys of its inserts, in their order.
  package func commit(_ plan: SavePlan, keys: [Int: [ObjectKey]]) {
    let permanent = PermanentKeys(plan, keys)
    for (store, objects) in plan.inserted {
      for (object, key) in zip(objects, keys[store] ?? []) {
        if object.key != key { registry.rekey(object, to: key) }
        object.chunk?.setVersion(object.rowIndex, 1)
        settle(object, permanent)
      }
    }
    for object in plan.versioned {
      let version = expectedVersion(object) ?? 0
      object.chunk?.setVersion(object.rowIndex, version + 1)
    }
    for object in plan.updated { settle(object, permanent) }
    let deleted = plan.deleted
    clearAllUnsaved()
    for object in deleted { forget(object) }
  }

  /// The object's current values are the stored ones from now on.
  private func settle(_ object: GraphObject, _ permanent: PermanentKeys) {
    settleReferences(of: object) { permanent[$0] }
    guard let detail = object.detail else { return }
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
