// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataModel

/// The rows that other contexts have changed and this context has not merged yet.
///
/// Until the merge, faults read newer rows than those of realised objects. The keys are recorded for
/// observers, which compare objects with each other, and only while there are observers.
final class UnmergedSaves: Sendable {
  private struct State {
    var isKept = false
    var keys: Set<ObjectKey> = []
    /// Whether the limit was exceeded, so that single keys are no longer recorded; happens in a context
    /// that never merges.
    var isFull = false
  }
  /// Large enough for a save of all rows of a large list; at most 16 MB in a context that never merges.
  private static let limit = 1 << 20
  private let state = Mutex(State())

  /// Whether there are no unmerged changes; meaningful only while changes are recorded.
  var isEmpty: Bool { state.withLock { $0.keys.isEmpty && !$0.isFull } }

  /// Returns the keys among `keys` that are known to have no unmerged changes; empty if changes are not
  /// recorded.
  func merged(_ keys: [ObjectKey]) -> Set<ObjectKey> {
    state.withLock { state in
      guard state.isKept, !state.isFull else { return [] }
      return Set(keys.filter { !state.keys.contains($0) })
    }
  }

  /// Starts or stops recording.
  func keep(_ isKept: Bool) {
    state.withLock { state in
      state.isKept = isKept
      if !isKept { (state.keys, state.isFull) = ([], false) }
    }
  }

  /// Removes all keys, because no object of the context has older values.
  func clear() { state.withLock { ($0.keys, $0.isFull) = ([], false) } }

  func add(_ keys: [ObjectKey]) {
    state.withLock { state in
      guard state.isKept, !state.isFull else { return }
      for key in keys where !key.isTemporary { state.keys.insert(key) }
      if state.keys.count > Self.limit { (state.keys, state.isFull) = ([], true) }
    }
  }

  func remove(_ keys: [ObjectKey]) {
    state.withLock { state in
      if state.keys.isEmpty { return }
      for key in keys { state.keys.remove(key) }
      // Assigning a new set releases the storage.
      if state.keys.isEmpty { state.keys = [] }
    }
  }
}

extension NSManagedObjectContext {
  var unmerged: UnmergedSaves { related.incoming.unmerged }

  /// Records that other contexts have changed or deleted these rows in the source of this context.
  ///
  /// The children read through this context, so the rows are recorded in the children too, except in
  /// `pushing`, the child that made the changes.
  func noteUnmerged(_ keys: [ObjectKey], pushing: NSManagedObjectContext? = nil) {
    unmerged.add(keys)
    noteUnmergedInChildren(keys, pushing: pushing)
  }

  func noteUnmergedInChildren(_ keys: [ObjectKey], pushing: NSManagedObjectContext? = nil) {
    for child in related.children.living where child !== pushing { child.noteUnmerged(keys) }
  }
}
