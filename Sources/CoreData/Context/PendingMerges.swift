// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Saves of other contexts that are waiting to be merged into a context.
///
/// Saves that arrive while the context is busy are merged as one, which reads the rows once and reports
/// one event.
package final class PendingMerges: Sendable {
  private let waiting = Mutex(SavedKeys())

  /// Creates an empty list.
  package init() {}

  /// Adds a save.
  ///
  /// - Returns: true if this is the only waiting save; the caller must then schedule the merge.
  package func add(_ saved: SavedKeys) -> Bool {
    waiting.withLock { waiting in
      let isFirst = waiting.isEmpty
      waiting.append(saved)
      return isFirst
    }
  }

  /// Removes all waiting saves and returns their keys together, without repetitions; see
  /// `SavedKeys.withoutRepetitions`.
  package func removeAll() -> SavedKeys {
    let saved = waiting.withLock { waiting in
      defer { waiting = SavedKeys() }
      return waiting
    }
    return saved.withoutRepetitions
  }
}

extension NSManagedObjectContext {
  func scheduleMerge(of saved: SavedKeys) {
    let pending = related.incoming.pending
    guard !saved.isEmpty, pending.add(saved) else { return }
    queue.async { [self] in mergeSaved(pending.removeAll()) }
  }
}
