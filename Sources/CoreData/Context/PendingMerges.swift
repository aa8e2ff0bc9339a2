// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Saves of other contexts that wait until the context can merge them.
///
/// Saves that arrive while the context is busy are merged as one: one reading of rows, one round of
/// changes.
final class PendingMerges: Sendable {
  private let waiting = Mutex(SavedKeys())

  /// Adds a save.
  ///
  /// - Returns: whether no save waited before, so that the caller has to schedule the merge.
  func add(_ saved: SavedKeys) -> Bool {
    waiting.withLock { waiting in
      let isFirst = waiting.isEmpty
      waiting.append(saved)
      return isFirst
    }
  }

  /// Removes and returns all waiting saves as one, each key once in each list.
  func removeAll() -> SavedKeys {
    let saved = waiting.withLock { waiting in
      defer { waiting = SavedKeys() }
      return waiting
    }
    return saved.withoutRepetitions
  }
}

extension NSManagedObjectContext {
  /// Merges a save of another context as soon as this one's queue is free.
  func scheduleMerge(of saved: SavedKeys) {
    guard !saved.isEmpty, pendingMerges.add(saved) else { return }
    queue.async { [self] in mergeSaved(pendingMerges.removeAll()) }
  }
}
