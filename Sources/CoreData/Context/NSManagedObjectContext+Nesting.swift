// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// Contexts above and below each other.
extension NSManagedObjectContext {
  // MARK: The parent

  /// A child begins to read from here.
  func adopt(child: NSManagedObjectContext) { related.children.add(child.ticket) }

  /// Children that merge by themselves merge what was saved here as soon as their queues are free.
  func scheduleMergesInChildren(of saved: SavedObjects) {
    if saved.isEmpty { return }
    // The event that reported the changes has noted them already, except what a child pushed itself.
    noteUnmergedInChildren(saved.deleted.map(\.key))
    let merging = related.children.living.filter(\.automaticallyMergesChangesFromParent)
    if merging.isEmpty { return }
    let keys = saved.keys
    for child in merging { child.scheduleMerge(of: keys) }
  }

  // MARK: The child

  /// The author that the history records: a child's changes are its outermost parent's.
  var historyAuthor: HistoryAuthor {
    if let parent = parentSource?.parent { return parent.queue.sync { parent.historyAuthor } }
    return HistoryAuthor(author: transactionAuthor, contextName: name)
  }

  /// Of the objects that the parent has saved, those that only this child has changed: it pushed them to
  /// the parent, and no other context has changed them since.
  ///
  /// Objects that the parent has inserted are no longer noted as pushed.
  func keysOnlyChangedHere(updated: [ObjectKey], inserted: [ObjectKey]) -> Set<ObjectKey> {
    if parentSource == nil { return [] }
    let own = unmerged.merged(updated)
    return own.union(
      unmerged.removePushed(savedAs: Set(inserted)) { key in
        if let permanent = graph.permanentKey(for: key) { return permanent }
        // An object that is not registered is read again anyway.
        return registry.contains(key) ? key : nil
      }
    )
  }

  /// Permanent IDs of objects that are new in the parent; nothing in a context of a coordinator.
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
