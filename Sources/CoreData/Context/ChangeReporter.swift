// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel

/// What the next report of a context's changes contains besides the changes of the event.
struct PendingReport {
  /// Objects whose rows arrived without a change in this context; retained until they are reported.
  var arrivals: [NSManagedObject] = []
  /// The keys of objects that are reported as invalidated instead of refreshed.
  var invalidations: Set<ObjectKey> = []
  /// Whether rows were deleted without a list of the objects that had links to them.
  var hasLostRows = false

  var isEmpty: Bool { arrivals.isEmpty && !hasLostRows }

  /// Adds the contents of this report to `changes`, where objects with keys in `invalidations` are moved from
  /// `refreshed` to `invalidated`.
  func add(to changes: inout ContextChanges) {
    changes.arrived = arrivals
    changes.hasLostRows = hasLostRows
    if invalidations.isEmpty { return }
    changes.invalidated = changes.refreshed.filter { invalidations.contains($0.key) }
    changes.refreshed.removeAll { invalidations.contains($0.key) }
  }
}

/// Reports a context's changes to its observers, on the context's queue.
final class ChangeReporter {
  private struct WeakObserver { weak var target: (any ContextObserver)? }
  private var observers: [WeakObserver] = []
  /// The number of reports, including those made while there were no observers.
  private(set) var reports = 0
  /// The number of objects with pending changes when the current report began; nil between reports.
  ///
  /// `willEndEventOfObservers()` sets the number to 0.
  private var pendingBefore: Int?
  var pending = PendingReport()
  /// The observers of `hasChanges`; nil until the first one is added.
  var flagWatchers: ChangeFlagWatchers?
  var isEndOfEventScheduled = false

  var isObserved: Bool { !observers.isEmpty }

  /// Whether an observer reads rows of the entity.
  func isObserved(_ entity: Int) -> Bool {
    observers.contains { $0.target?.readEntities.contains(entity) ?? false }
  }

  /// Removes and returns what is pending; nil if nothing is pending.
  func removePending() -> PendingReport? {
    if pending.isEmpty && pending.invalidations.isEmpty { return nil }
    defer { pending = PendingReport() }
    return pending
  }

  func add(_ observer: any ContextObserver) {
    remove(observer)
    observers.append(WeakObserver(target: observer))
  }

  func remove(_ observer: any ContextObserver) {
    observers.removeAll { $0.target == nil || $0.target === observer }
  }

  func reportSave() {
    for observer in observers { observer.target?.contextDidSave() }
  }

  /// Counts a report of an event while there are no observers.
  func countReport() { reports += 1 }

  /// Reports an event to the observers.
  ///
  /// An observer may begin an event of its own. The observers that are called later then handle both events
  /// together.
  func report(_ changes: ContextChanges, of graph: ObjectGraph) {
    reports += 1
    let isNested = pendingBefore != nil
    if !isNested { pendingBefore = graph.pendingObjects.count }
    defer { if !isNested { pendingBefore = nil } }
    for observer in observers { observer.target?.contextDidChange(changes) }
    for observer in observers { observer.target?.actOnChanges() }
  }

  func observersHaveChanged(_ graph: ObjectGraph) -> Bool {
    pendingBefore.map { graph.pendingObjects.count > $0 } ?? false
  }

  /// Records that no object has pending changes, because the event that observers have begun is about to end.
  func willEndEventOfObservers() { pendingBefore = 0 }
}
