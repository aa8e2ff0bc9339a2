// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

extension NSManagedObjectContext {
  /// Ends the change event: processes the pending changes, registers the undo step, and reports the changes.
  ///
  /// Without pending changes, reports only `reporter.pending` to the observers. Implements
  /// `processPendingChanges()`; a call of this method does not call a subclass's override.
  func endChangeEvent() {
    checkQueue("processPendingChanges()")
    guard isConnected else { return }
    guard graph.needsProcessing else { return reportArrivals() }
    let summary = graph.processPendingChanges(propagatingDeletions: propagatesDeletesAtEndOfEvent)
    registerUndoStep()
    report(summary)
    reportHasChanges()
  }

  /// Reports the changes of an event to the children and the observers, and posts the notification; without
  /// changes, reports only `reporter.pending` to the observers.
  func report(_ summary: ChangeSummary) {
    if !summary.isEmpty {
      noteUnmergedInChildren(
        (summary.updated + summary.refreshed + summary.deleted).map(\.key),
        pushing: related.pushingChild
      )
      let pending = reporter.removePending()
      if reporter.isObserved || ContextNotification.objectsDidChange.mayBeObserved {
        let changes = ContextChanges(summary, pending)
        reporter.report(changes, of: graph)
        postChanges(changes)
      } else {
        reporter.countReport()
        ContextNotification.objectsDidChange.post(self)
      }
    } else {
      reportArrivals()
    }
    passDiscardedToChildren(summary)
    graph.discard(summary)
  }

  /// Reports `reporter.pending` to observers only, because nothing changed in this context.
  private func reportArrivals() {
    if reporter.pending.isEmpty { return }
    var changes = ContextChanges()
    reporter.removePending()?.add(to: &changes)
    reporter.report(changes, of: graph)
  }

  private func postChanges(_ changes: ContextChanges) {
    ContextNotification.objectsDidChange.post(self) {
      var info: [AnyHashable: Any] = [:]
      info.add(NSInsertedObjectsKey, changes.inserted)
      info.add(NSUpdatedObjectsKey, changes.updated)
      info.add(NSDeletedObjectsKey, changes.deleted)
      info.add(NSRefreshedObjectsKey, changes.refreshed)
      info.add(NSInvalidatedObjectsKey, changes.invalidated)
      return info
    }
  }

  // MARK: Observers

  /// Adds an observer, which is held weakly and called after the existing observers.
  package func addObserver(_ observer: any ContextObserver) {
    reporter.add(observer)
    unmerged.keep(true)
  }

  package func removeObserver(_ observer: any ContextObserver) {
    reporter.remove(observer)
    if !reporter.isObserved { unmerged.keep(false) }
  }

  var reportCount: Int { reporter.reports }

  /// Ends the change event that observers have begun during the current report.
  ///
  /// Does nothing if the observers have not changed any object. During an undo or a redo the event is not
  /// ended, and the changes stay pending.
  func endChangeEventOfObservers() {
    let isUndoing = undoing.map { $0.manager.isUndoing || $0.manager.isRedoing } ?? false
    guard isConnected, !isUndoing, reporter.observersHaveChanged(graph) else { return }
    reporter.willEndEventOfObservers()
    endChangeEvent()
  }

  // MARK: Rolling back and resetting

  func rollBackChanges() {
    checkQueue("rollback()")
    guard isConnected else { return }
    let summary = graph.rollBack()
    clearUndo()
    reportHasChanges()
    if summary.isEmpty { return }
    passToChildren(
      SavedKeys(
        updated: (summary.updated + summary.inserted + summary.refreshed).map(\.key),
        deleted: summary.deleted.map(\.key)
      )
    )
    let changes = ContextChanges(summary)
    noteUnmergedInChildren((changes.updated + changes.inserted + changes.deleted).map(\.key))
    for object in changes.inserted + changes.updated {
      object.awake(fromSnapshotEvents: .rollback)
    }
    reporter.report(changes, of: graph)
    postChanges(changes)
  }

  func resetAllObjects() {
    checkQueue("reset()")
    guard isConnected else { return }
    let objects = registry.objects.map(Self.managed)
    let ids = objects.lazy.map { self.id(of: $0) }
    passToChildren(
      SavedKeys(
        updated: (graph.updated + graph.deleted).map(\.key),
        deleted: graph.inserted.map(\.key)
      )
    )
    graph.reset()
    reporter.pending = PendingReport()
    unmerged.clear()
    _ = related.incoming.parentChanges.removeAll()
    clearUndo()
    reportHasChanges()
    advanceGeneration()
    var changes = ContextChanges()
    changes.invalidatedAll = true
    reporter.report(changes, of: graph)
    ContextNotification.objectsDidChange.post(self) { [NSInvalidatedAllObjectsKey: Array(ids)] }
  }
}

extension [AnyHashable: Any] {
  mutating func add(_ key: String, _ objects: [NSManagedObject]) {
    if !objects.isEmpty { self[key] = Set(objects) }
  }
}
