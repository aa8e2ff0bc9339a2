// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel

/// Saves of other contexts that wait until the context can merge them.
///
/// What comes while the context is busy is merged as one: one reading of rows, one round of changes.
final class PendingMerges: Sendable {
  struct Saved: Sendable {
    var inserted: [ObjectKey] = []
    var updated: [ObjectKey] = []
    var deleted: [ObjectKey] = []
    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
  }
  private let waiting = Mutex(Saved())

  /// Adds a save.
  ///
  /// - Returns: whether nothing waited before, so that somebody has to take it.
  func add(_ saved: Saved) -> Bool {
    waiting.withLock { waiting in
      let isFirst = waiting.isEmpty
      waiting.inserted += saved.inserted
      waiting.updated += saved.updated
      waiting.deleted += saved.deleted
      return isFirst
    }
  }

  /// What waits, each key once in each list.
  ///
  /// What was inserted and then changed is inserted: its row is read when it is merged.
  func take() -> Saved {
    var saved = waiting.withLock { waiting in
      defer { waiting = Saved() }
      return waiting
    }
    // Which of a deletion and an insertion came last, the store says when they are merged.
    var seen: Set<ObjectKey> = []
    saved.inserted = saved.inserted.filter { seen.insert($0).inserted }
    saved.updated = saved.updated.filter { seen.insert($0).inserted }
    seen = []
    saved.deleted = saved.deleted.filter { seen.insert($0).inserted }
    return saved
  }
}

extension NSManagedObjectContext {
  /// Merges a save of another context as soon as this one's queue is free.
  func mergeSoon(_ saved: PendingMerges.Saved) {
    guard !saved.isEmpty, pendingMerges.add(saved) else { return }
    queue.async { [self] in
      let saved = pendingMerges.take()
      mergeSaved(inserted: saved.inserted, updated: saved.updated, deleted: saved.deleted)
    }
  }
}
