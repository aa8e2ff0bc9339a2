// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The objects of a save that another context, or another process, has made.
package struct SavedKeys: Sendable, Equatable {
  package var inserted: [ObjectKey] = []
  package var updated: [ObjectKey] = []
  package var deleted: [ObjectKey] = []
  /// Objects whose rows at hand are out of date, without a word on what changed.
  package var invalidated: [ObjectKey] = []
  /// Whether owners of deleted rows may be missing among the updated ones, as in the result of a batch.
  package var isPartial = false

  package init(
    inserted: [ObjectKey] = [],
    updated: [ObjectKey] = [],
    deleted: [ObjectKey] = []
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }

  /// Whether no object is named.
  package var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && invalidated.isEmpty
  }

  /// Adds what a later save has changed.
  package mutating func append(_ later: SavedKeys) {
    inserted += later.inserted
    updated += later.updated
    deleted += later.deleted
    invalidated += later.invalidated
    isPartial = isPartial || later.isPartial
  }

  /// The same with each key once in each list.
  ///
  /// A key that was inserted and then updated counts as inserted: its row is read when it is merged.
  package var withoutRepetitions: SavedKeys {
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
