// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

/// The changes that one event reports, each object in one list.
package struct ContextChanges {
  package var inserted: [NSManagedObject] = []
  package var updated: [NSManagedObject] = []
  package var deleted: [NSManagedObject] = []
  /// Values came from the store or from a merge.
  package var refreshed: [NSManagedObject] = []
  /// Became faults because a merge named them as invalidated.
  package var invalidated: [NSManagedObject] = []
  /// Newer rows of faults, and rows that an observer asked for: no change of this context.
  package var arrived: [NSManagedObject] = []
  /// Rows are gone of which it is not known what led to them: lists that read links look at all rows.
  package var hasLostRows = false
  /// Every object was forgotten (`reset`).
  package var invalidatedAll = false
  package init() {}
  /// The changes of an event of the graph.
  init(_ summary: ChangeSummary) {
    inserted = summary.inserted.map(NSManagedObjectContext.managed)
    updated = summary.updated.map(NSManagedObjectContext.managed)
    deleted = summary.deleted.map(NSManagedObjectContext.managed)
    refreshed = summary.refreshed.map(NSManagedObjectContext.managed)
  }
  package var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
      && invalidated.isEmpty && !invalidatedAll && !hasLostRows
  }
}

/// Told about a context's changes on the context's queue, before the notification is posted.
package protocol ContextObserver: AnyObject {
  /// Entities whose rows count although no object of the context stands for them yet: a merge reads
  /// what was changed elsewhere.
  var readEntities: Set<Int> { get }
  /// The context has saved; new objects have permanent IDs now.
  func contextDidSave()
  /// Takes note of changes, and calls nobody: every observer hears of an event before one acts on it.
  func contextDidChange(_ changes: ContextChanges)
  /// Acts on the changes that were noted; nothing where that is under way.
  func actOnChanges()
}
