// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Temporary → permanent keys of one save; the table is made when the first temporary key is looked up.
final class PermanentKeys {
  private let plan: SavePlan
  private let keys: ValuesByStore<[ObjectKey]>
  private lazy var table: [ObjectKey: ObjectKey] = {
    var table: [ObjectKey: ObjectKey] = [:]
    for batch in plan.batches {
      for (insert, key) in zip(batch.value.inserts, keys[batch.store] ?? []) {
        table[insert.key] = key
      }
    }
    return table
  }()

  init(_ plan: SavePlan, _ keys: ValuesByStore<[ObjectKey]>) {
    self.plan = plan
    self.keys = keys
  }

  subscript(key: ObjectKey) -> ObjectKey { key.isTemporary ? table[key] ?? key : key }
}
