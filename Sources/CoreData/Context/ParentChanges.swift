// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataGraph
import _CoreDataModel

/// Changes in a context's parent that no save reports, because the parent has not saved them or has reverted
/// them.
///
/// - Side effects of a merge in the parent: deletions by a delete rule, and objects that lose links.
/// - Deletions of new objects that the parent has not saved, and changes of other objects in the same event.
/// - Changes that a rollback, a reset or a discarding refresh reverts.
///
/// The context merges these changes together with the next save that it merges. Otherwise the context would
/// keep objects that its parent no longer has, and links to such objects.
package final class ParentChanges: Sendable {
  private struct State {
    var updated: Set<ObjectKey> = []
    var deleted: Set<ObjectKey> = []
  }
  private let state = Mutex(State())

  /// Creates an empty set of changes.
  package init() {}

  /// Adds the updated and deleted keys of `changes`, and ignores its other keys.
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
  /// Adds changes of this context to the changes that its children merge next.
  func passToChildren(_ changes: SavedKeys) {
    if changes.isEmpty { return }
    for child in related.children.living { child.related.incoming.parentChanges.add(changes) }
  }

  /// Passes to the children the keys of the new objects that an event deleted, and of the objects that it
  /// updated.
  ///
  /// Does nothing if the event deleted no new objects. Each child merges these changes together with the next
  /// save that it merges. Deletions of stored objects are not passed, because the next save reports them. If
  /// this context is receiving the save of a child, that child gets only the keys that its save does not
  /// contain.
  ///
  /// - Complexity: O(objects of the event) if the event deleted new objects and there are children, otherwise
  ///   O(1).
  func passDiscardedToChildren(_ summary: ChangeSummary) {
    if summary.discarded.isEmpty { return }
    let pushing = related.pushingChild
    let saved = pushing.map { $0.graph.inserted + $0.graph.updated + $0.graph.deleted } ?? []
    let own = Set(saved.map(\.key))
    for child in related.children.living {
      func isNew(_ object: GraphObject) -> Bool { child !== pushing || !own.contains(object.key) }
      child.related.incoming.parentChanges.add(
        SavedKeys(
          updated: summary.updated.filter(isNew).map(\.key),
          deleted: summary.discarded.filter(isNew).map(\.key)
        )
      )
    }
  }

  /// Returns the keys of the objects that changed in the current event and are not in `saved`; empty if the
  /// context has no children.
  ///
  /// - Complexity: O(objects of the event) where there are children, otherwise O(1).
  func changes(besides saved: SavedKeys) -> SavedKeys {
    if related.children.living.isEmpty { return SavedKeys() }
    let deleted = Set(saved.deleted)
    let named = deleted.union(saved.updated).union(saved.inserted).union(saved.invalidated)
    var changes = SavedKeys()
    for object in graph.pendingObjects {
      if object.flags.contains(.deletedInEvent) {
        // The object is deleted even if `saved` lists its key as inserted or updated.
        if !deleted.contains(object.key) { changes.deleted.append(object.key) }
      } else if !named.contains(object.key) {
        changes.updated.append(object.key)
      }
    }
    return changes
  }
}
