// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The keys of the objects that were saved by another context or another process, or changed by a batch
/// request.
package struct SavedKeys: Sendable, Equatable {
  package var inserted: [ObjectKey] = []
  package var updated: [ObjectKey] = []
  package var deleted: [ObjectKey] = []
  /// The keys of objects whose cached rows are out of date, without information about what changed.
  package var invalidated: [ObjectKey] = []
  /// Whether `updated` may lack objects that had links to deleted rows, as in the result of a batch delete.
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

  /// Whether all four arrays of keys are empty.
  package var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && invalidated.isEmpty
  }

  /// Appends the keys of a later save.
  package mutating func append(_ later: SavedKeys) {
    inserted += later.inserted
    updated += later.updated
    deleted += later.deleted
    invalidated += later.invalidated
    isPartial = isPartial || later.isPartial
  }

  /// The same keys, each at most once in `inserted` and `updated` together, and at most once in `deleted`;
  /// `invalidated` is unchanged.
  ///
  /// A key that was inserted and then updated counts as inserted, because its row is read during the merge.
  package var withoutRepetitions: SavedKeys {
    var unique = self
    // A key can be in both `inserted` and `deleted`; the merge reads the store to find out whether the row
    // exists.
    var seen: Set<ObjectKey> = []
    unique.inserted = inserted.filter { seen.insert($0).inserted }
    unique.updated = updated.filter { seen.insert($0).inserted }
    seen = []
    unique.deleted = deleted.filter { seen.insert($0).inserted }
    return unique
  }
}
