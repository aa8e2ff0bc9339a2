// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataGraph
import _CoreDataModel

/// Changes that merges caused in a context's parent without naming the objects, for example deletions by a
/// delete rule.
///
/// The context merges these changes together with the next save that it merges. They are unsaved in the
/// parent, so no save names them. Without them the context would keep objects that its parent no longer has.
package final class ParentChanges: Sendable {
  private struct State {
    var updated: Set<ObjectKey> = []
    var deleted: Set<ObjectKey> = []
  }
  private let state = Mutex(State())

  /// Creates an empty set of changes.
  package init() {}

  /// Adds the updated and deleted keys of `changes`.
  package func add(_ changes: SavedKeys) {
    state.withLock { state in
      state.updated.formUnion(changes.updated)
      state.deleted.formUnion(changes.deleted)
    }
  }

  /// Removes and returns all changes.
  package func removeAll() -> SavedKeys {
    let removed = state.withLock { state in
      defer { state = State() }
      return state
    }
    return SavedKeys(
      updated: removed.updated.sorted { $0.raw < $1.raw },
      deleted: removed.deleted.sorted { $0.raw < $1.raw }
    )
  }
}

extension NSManagedObjectContext {
  /// Adds changes of this context to those that its children merge next.
  func passToChildren(_ changes: SavedKeys) {
    if changes.isEmpty { return }
    for child in related.children.living { child.related.incoming.parentChanges.add(changes) }
  }

  /// Returns the changes of the open event that `saved` does not name; empty if the context has no children.
  ///
  /// - Complexity: O(objects of the event) where there are children, otherwise O(1).
  func changes(besides saved: SavedKeys) -> SavedKeys {
    if related.children.living.isEmpty { return SavedKeys() }
    let deleted = Set(saved.deleted)
    let named = deleted.union(saved.updated).union(saved.inserted).union(saved.invalidated)
    var changes = SavedKeys()
    for object in graph.pendingObjects {
      if object.flags.contains(.deletedInEvent) {
        // The object is deleted even if `saved` names it as inserted or updated.
        if !deleted.contains(object.key) { changes.deleted.append(object.key) }
      } else if !named.contains(object.key) {
        changes.updated.append(object.key)
      }
    }
    return changes
  }
}
