// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataModel

/// The rows that other contexts have changed and this context has not merged yet.
///
/// Until the merge, a fault reads a newer row than realised objects have. This matters to observers, which
/// compare objects with each other, so keys are recorded only while there are observers.
final class UnmergedSaves: Sendable {
  private struct State {
    var isKept = false
    var keys: Set<ObjectKey> = []
    /// Temporary keys of new objects that this child has pushed to its parent, that are not stored yet, and
    /// that no other context has changed in the parent since.
    ///
    /// Without these keys, the child's own changes would be reported to its observers again.
    var pushed: Set<ObjectKey> = []
    /// Whether the number of keys exceeded `limit`; individual keys are then no longer recorded.
    var isFull = false
  }
  /// The maximum number of recorded keys.
  private static let limit = 1 << 20
  private let state = Mutex(State())

  /// Whether there are no unmerged changes; meaningful only while changes are recorded.
  var isEmpty: Bool { state.withLock { $0.keys.isEmpty && !$0.isFull } }

  /// Returns the keys among `keys` that are known to have no unmerged changes; empty if changes are not
  /// recorded or exceed the limit.
  func merged(_ keys: [ObjectKey]) -> Set<ObjectKey> {
    state.withLock { state in
      guard state.isKept, !state.isFull else { return [] }
      return Set(
        keys.filter { $0.isTemporary ? state.pushed.contains($0) : !state.keys.contains($0) }
      )
    }
  }

  /// Starts recording if `isKept` is true; otherwise stops recording and removes all keys.
  func keep(_ isKept: Bool) {
    state.withLock { state in
      state.isKept = isKept
      if !isKept { state = State() }
    }
  }

  /// Removes all keys; called when the context has no objects.
  func clear() { state.withLock { $0 = State(isKept: $0.isKept) } }

  // MARK: New objects that were pushed to the parent

  /// Records the temporary keys among `keys`; does nothing unless changes are recorded.
  func notePushed(_ keys: [ObjectKey]) {
    state.withLock { if $0.isKept { $0.pushed.formUnion(keys.lazy.filter(\.isTemporary)) } }
  }

  /// Removes the pushed objects that are now stored, and the pushed objects for which `current` returns nil.
  ///
  /// - Parameters:
  ///   - saved: keys of objects that the parent has inserted and saved.
  ///   - current: returns the present key of the object that was pushed under a temporary key; nil if the
  ///     temporary key is no longer needed.
  /// - Returns: the keys of the saved objects that no other context has changed.
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
        // The key is still temporary if the parent is itself a child: the parent has then saved the object to
        // its own parent, but the object is not stored yet.
        if !current.isTemporary { state.pushed.remove(key) }
        if !state.isFull, !state.keys.contains(current) { unchanged.insert(current) }
      }
      return unchanged
    }
  }

  // MARK: Changes of other contexts

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

  func noteUnmergedInChildren(
    _ keys: @autoclosure () -> [ObjectKey],
    pushing: NSManagedObjectContext? = nil
  ) {
    if related.children.isEmpty { return }
    let keys = keys()
    for child in related.children.living where child !== pushing { child.noteUnmerged(keys) }
  }
}
