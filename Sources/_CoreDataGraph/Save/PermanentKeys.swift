// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Temporary → permanent keys of one save; the table is made when the first temporary key is looked up.
final class PermanentKeys {
  private let plan: SavePlan
  private let keys: [Int: [ObjectKey]]
  private lazy var table: [ObjectKey: ObjectKey] = {
    var table: [ObjectKey: ObjectKey] = [:]
    for (store, batch) in plan.batches {
      for (insert, key) in zip(batch.inserts, keys[store] ?? []) { table[insert.key] = key }
    }
    return table
  }()

  init(_ plan: SavePlan, _ keys: [Int: [ObjectKey]]) {
    self.plan = plan
    self.keys = keys
  }

  subscript(key: ObjectKey) -> ObjectKey { key.isTemporary ? table[key] ?? key : key }
}
