// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The objects of a save that another context, or another process, has made.
struct SavedKeys: Sendable {
  var inserted: [ObjectKey] = []
  var updated: [ObjectKey] = []
  var deleted: [ObjectKey] = []
  /// Objects whose rows no longer count, without a word on what changed.
  var invalidated: [ObjectKey] = []
  /// Whether owners of deleted rows may be missing among the updated ones, as in the result of a batch.
  var isPartial = false

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && invalidated.isEmpty
  }

  /// Adds what a later save has changed.
  mutating func append(_ later: SavedKeys) {
    inserted += later.inserted
    updated += later.updated
    deleted += later.deleted
    invalidated += later.invalidated
    isPartial = isPartial || later.isPartial
  }

  /// The same with each key once in each list.
  ///
  /// A key that was inserted and then updated counts as inserted: its row is read when it is merged.
  var withoutRepetitions: SavedKeys {
    var unique = self
    // The store says, when the deletions are merged, whether the deletion or the insertion came last.
    var seen: Set<ObjectKey> = []
    unique.inserted = inserted.filter { seen.insert($0).inserted }
    unique.updated = updated.filter { seen.insert($0).inserted }
    seen = []
    unique.deleted = deleted.filter { seen.insert($0).inserted }
    return unique
  }
}
