// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataModel

/// Which rows others have changed that the context has not merged yet.
///
/// Until it does, faults read newer rows than the objects that are realised have. Kept for the sake of
/// observers, who compare objects with each other, and only while there are any.
final class UnmergedSaves: Sendable {
  private struct State {
    var isKept = false
    var keys: Set<ObjectKey> = []
    /// Temporary keys of new objects that this child has pushed to its parent and that nothing has changed
    /// there since, until the parent saves them.
    ///
    /// The child's own changes are not reported to its observers again.
    var pushed: Set<ObjectKey> = []
    /// More than are kept one by one; some context never merges.
    var isFull = false
  }
  /// A save of all rows of a large list has to fit in; at most 16 MB for a context that never merges.
  private static let limit = 1 << 20
  private let state = Mutex(State())

  /// Whether nothing that the context can read differs from what it has merged.
  var isEmpty: Bool { state.withLock { $0.keys.isEmpty && !$0.isFull } }

  /// Those of `keys` that are known not to differ from what the context has merged.
  func merged(_ keys: [ObjectKey]) -> Set<ObjectKey> {
    state.withLock { state in
      guard state.isKept, !state.isFull else { return [] }
      return Set(
        keys.filter { $0.isTemporary ? state.pushed.contains($0) : !state.keys.contains($0) }
      )
    }
  }

  /// Begins or ends to take notes.
  func keep(_ isKept: Bool) {
    state.withLock { state in
      state.isKept = isKept
      if !isKept { state = State() }
    }
  }

  /// Forgets all: nothing in the context is older than this.
  func clear() { state.withLock { $0 = State(isKept: $0.isKept) } }

  // MARK: New objects that were pushed to the parent

  func notePushed(_ keys: [ObjectKey]) {
    state.withLock { if $0.isKept { $0.pushed.formUnion(keys.lazy.filter(\.isTemporary)) } }
  }

  /// Removes the pushed objects that are stored by now, and those for which `current` returns nil.
  ///
  /// - Parameters:
  ///   - saved: keys of objects that the parent has inserted and saved.
  ///   - current: returns the key that replaced a temporary one.
  /// - Returns: the keys of the saved ones that nothing has changed besides.
  func removePushed(
    savedAs saved: Set<ObjectKey>,
    current: (ObjectKey) -> ObjectKey?
  ) -> Set<ObjectKey> {
    state.withLock { state in
      var unchanged: Set<ObjectKey> = []
      for key in state.pushed {
        guard let current = current(key) else {
          state.pushed.remove(key)
          continue
        }
        guard saved.contains(current) else { continue }
        // A parent that is a child itself has saved it under its temporary key, and it is not stored yet.
        if !current.isTemporary { state.pushed.remove(key) }
        if !state.isFull, !state.keys.contains(current) { unchanged.insert(current) }
      }
      return unchanged
    }
  }

  // MARK: Changes of others

  func add(_ keys: [ObjectKey]) {
    state.withLock { state in
      guard state.isKept else { return }
      if !state.pushed.isEmpty {
        for key in keys where key.isTemporary { state.pushed.remove(key) }
      }
      if state.isFull { return }
      for key in keys where !key.isTemporary { state.keys.insert(key) }
      if state.keys.count > Self.limit { (state.keys, state.isFull) = ([], true) }
    }
  }

  func remove(_ keys: [ObjectKey]) {
    state.withLock { state in
      if state.keys.isEmpty { return }
      for key in keys { state.keys.remove(key) }
      // An empty set gives its memory back.
      if state.keys.isEmpty { state.keys = [] }
    }
  }
}

extension NSManagedObjectContext {
  var unmerged: UnmergedSaves { related.incoming.unmerged }

  /// Others have changed or deleted these rows, where this context reads.
  ///
  /// The children read through it; `pushing` is the one that has made the changes itself.
  func noteUnmerged(_ keys: [ObjectKey], pushing: NSManagedObjectContext? = nil) {
    unmerged.add(keys)
    noteUnmergedInChildren(keys, pushing: pushing)
  }

  func noteUnmergedInChildren(_ keys: [ObjectKey], pushing: NSManagedObjectContext? = nil) {
    for child in related.children.living where child !== pushing { child.noteUnmerged(keys) }
  }
}
