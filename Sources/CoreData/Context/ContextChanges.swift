// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

/// The changes of a context that are reported to observers together.
package struct ContextChanges {
  package var inserted: [NSManagedObject] = []
  package var updated: [NSManagedObject] = []
  package var deleted: [NSManagedObject] = []
  /// Objects whose values were read again or discarded.
  package var refreshed: [NSManagedObject] = []
  /// Objects that became faults because merged changes listed them as invalidated.
  package var invalidated: [NSManagedObject] = []
  /// Objects whose rows were read without a change in this context: by a merge, because an observer reads
  /// rows of their entity, or by a fetch that found a newer row of a fault.
  package var arrived: [NSManagedObject] = []
  /// Whether rows were deleted without a list of the objects that had links to them.
  ///
  /// Lists that read links must then check all rows.
  package var hasLostRows = false
  /// Whether `reset()` removed every object from the context.
  package var invalidatedAll = false
  package init() {}
  init(_ summary: ChangeSummary) {
    inserted = summary.inserted.map(NSManagedObjectContext.managed)
    updated = summary.updated.map(NSManagedObjectContext.managed)
    deleted = summary.deleted.map(NSManagedObjectContext.managed)
    refreshed = summary.refreshed.map(NSManagedObjectContext.managed)
  }
  init(_ summary: ChangeSummary, _ pending: PendingReport?) {
    self.init(summary)
    pending?.add(to: &self)
  }
  /// Whether the only changes, if any, are those in `arrived`.
  package var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
      && invalidated.isEmpty && !invalidatedAll && !hasLostRows
  }
}

/// An observer of a context's changes, called on the context's queue.
package protocol ContextObserver: AnyObject {
  /// The entities whose rows the observer reads.
  ///
  /// A merge reads changed rows of these entities even if the context has no objects for them.
  var readEntities: Set<Int> { get }
  /// Called after a save of the context or of its parent has inserted objects, whose keys may have become
  /// permanent.
  func contextDidSave()
  /// Notes the changes without calling other code, so that every observer has received an event before the
  /// first observer acts on it.
  func contextDidChange(_ changes: ContextChanges)
  /// Acts on the noted changes; does nothing if a call is already in progress.
  func actOnChanges()
}
