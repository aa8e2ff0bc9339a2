// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataGraph
import _CoreDataModel

/// What followed in a context's parent from merges and saves, without being named by them.
///
/// That is objects that were deleted there by a delete rule, and those that lost links. The context takes it
/// over with its next merge. Such changes are unsaved in the parent, so no save names them; but a deletion that the context merges
/// would otherwise leave it with objects that its parent does not have any more.
package final class ParentChanges: Sendable {
  private struct State {
    var updated: Set<ObjectKey> = []
    var deleted: Set<ObjectKey> = []
  }
  private let state = Mutex(State())

  /// No changes.
  package init() {}

  /// Adds changes of the parent.
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
  /// Leaves changes of this context to its children's next merges.
  func passToChildren(_ changes: SavedKeys) {
    if changes.isEmpty { return }
    for child in related.children.living { child.related.incoming.parentChanges.add(changes) }
  }

  /// The unsaved changes of the open event that `saved` does not name.
  ///
  /// - Complexity: O(objects of the event) where there are children, otherwise O(1).
  func changes(besides saved: SavedKeys) -> SavedKeys {
    if related.children.living.isEmpty { return SavedKeys() }
    let deleted = Set(saved.deleted)
    let named = deleted.union(saved.updated).union(saved.inserted).union(saved.invalidated)
    var changes = SavedKeys()
    for object in graph.pendingObjects {
      if object.flags.contains(.deletedInEvent) {
        // Named as inserted or updated, it is deleted all the same.
        if !deleted.contains(object.key) { changes.deleted.append(object.key) }
      } else if !named.contains(object.key) {
        changes.updated.append(object.key)
      }
    }
    return changes
  }
}
