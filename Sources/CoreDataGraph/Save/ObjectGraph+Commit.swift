// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataStore

extension ObjectGraph {
  /// After every store has taken its batch: permanent keys, new versions, no unsaved changes.
  ///
  /// - Parameter keys: store index → the permanent keys of its inserts, in their order.
  package func commit(_ plan: SavePlan, keys: [Int: [ObjectKey]]) {
    let permanent = permanentKeys(plan, keys)
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

  /// Temporary → permanent; empty where the model has no relationship.
  private func permanentKeys(
    _ plan: SavePlan, _ keys: [Int: [ObjectKey]]
  ) -> [ObjectKey: ObjectKey] {
    var permanent: [ObjectKey: ObjectKey] = [:]
    guard model.hasRelationships else { return permanent }
    for (store, objects) in plan.inserted {
      for (object, key) in zip(objects, keys[store] ?? []) { permanent[object.key] = key }
    }
    return permanent
  }

  /// The object's current values are the stored ones from now on.
  private func settle(_ object: GraphObject, _ permanent: [ObjectKey: ObjectKey]) {
    if !permanent.isEmpty { settleReferences(of: object, permanent) }
    guard let detail = object.detail else { return }
    detail.base = nil
    detail.changed = SlotSet()
    for position in detail.toManys.indices {
      detail.toManys[position]?.rekey { permanent[$0] ?? $0 }
      detail.toManys[position]?.commit()
    }
  }
}
