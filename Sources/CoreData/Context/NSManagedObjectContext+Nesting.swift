// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

extension NSManagedObjectContext {
  // MARK: As a parent

  func addChild(_ child: NSManagedObjectContext) { related.children.add(child.ticket) }

  /// Records the deleted objects as unmerged in every child, and schedules a merge of the save in each child
  /// that merges saves automatically.
  func scheduleMergesInChildren(of saved: SavedObjects) {
    if saved.isEmpty || related.children.isEmpty { return }
    // When this context reported its changes, the deleted objects were recorded in every child except the
    // child that pushed the deletion. Here they are recorded in that child too.
    noteUnmergedInChildren(saved.deleted.map(\.key))
    let merging = related.children.living.filter(\.automaticallyMergesChangesFromParent)
    if merging.isEmpty { return }
    let keys = saved.keys
    for child in merging { child.scheduleMerge(of: keys) }
  }

  // MARK: As a child

  /// The author and the context name that the history records; for a child context, those of its outermost
  /// parent.
  var historyAuthor: HistoryAuthor {
    if let parent = parentSource?.parent { return parent.queue.sync { parent.historyAuthor } }
    return HistoryAuthor(author: transactionAuthor, contextName: name)
  }

  /// Returns the keys of saved objects that this context has pushed to its parent and that no other context
  /// has changed since; empty if the context has no parent context.
  ///
  /// Also removes the records of pushed objects that are now stored.
  func consumeKeysOnlyChangedHere(updated: [ObjectKey], inserted: [ObjectKey]) -> Set<ObjectKey> {
    if parentSource == nil { return [] }
    let own = unmerged.merged(updated)
    return own.union(
      unmerged.removePushed(savedAs: Set(inserted)) { key in
        if let permanent = graph.permanentKey(for: key) { return permanent }
        // The key of an object that is not registered is not needed, because such an object reads its row
        // again anyway.
        return registry.contains(key) ? key : nil
      }
    )
  }

  /// Obtains permanent IDs for those of `objects` that this context has saved to its parent but that are not
  /// yet in a store.
  ///
  /// Does nothing if the context has no parent context.
  func makePermanentInParent(_ objects: [NSManagedObject]) throws {
    guard let parentSource else { return }
    let pushed = objects.filter {
      $0.registry === registry && $0.key.isTemporary && !$0.isInserted
    }
    if pushed.isEmpty { return }
    let parent = parentSource.parent
    try parentSource.inParent {
      try parent.makePermanent(
        pushed.compactMap { parent.registry.object(for: $0.key).map(Self.managed) }
      )
    }
    parentSource.adoptKeys()
  }
}
