// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// Pending changes: what they are, and which observers they are reported to.
extension NSManagedObjectContext {
  /// Ends the change event: propagates deletions, registers the undo step, reports the changes.
  ///
  /// What `processPendingChanges()` does, without calling a subclass's override.
  func endChangeEvent() {
    checkQueue("processPendingChanges()")
    guard isConnected else { return }
    guard graph.hasPendingEvent else { return reportArrivals() }
    let summary = graph.processPendingChanges(propagatingDeletions: propagatesDeletesAtEndOfEvent)
    registerUndoStep()
    report(summary)
    tellHasChanges()
  }

  /// Reports the changes of an event to observers and by the notification.
  func report(_ summary: ChangeSummary) {
    if !summary.isEmpty {
      var changes = ContextChanges(summary)
      changes.arrived = takeArrivals()
      changes.hasLostRows = takeLostRows()
      noteUnmergedInChildren(
        (changes.updated + changes.refreshed + changes.deleted).map(\.key),
        pushing: pushingChild
      )
      takeInvalidations(&changes)
      tellObservers(changes)
      postChanges(changes)
    } else {
      reportArrivals()
    }
    graph.discard(summary)
  }

  /// Reports to observers alone, because nothing changed in this context.
  private func reportArrivals() {
    if arrivals.isEmpty && !hasLostRows { return }
    var changes = ContextChanges()
    changes.arrived = takeArrivals()
    changes.hasLostRows = takeLostRows()
    tellObservers(changes)
  }

  private func takeArrivals() -> [NSManagedObject] {
    defer { arrivals = [] }
    return arrivals
  }

  private func takeLostRows() -> Bool {
    defer { hasLostRows = false }
    return hasLostRows
  }

  private func takeInvalidations(_ changes: inout ContextChanges) {
    if invalidations.isEmpty { return }
    changes.invalidated = changes.refreshed.filter { invalidations.contains($0.key) }
    changes.refreshed.removeAll { invalidations.contains($0.key) }
    invalidations = []
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

  // MARK: Dropping

  func rollBackChanges() {
    checkQueue("rollback()")
    guard isConnected else { return }
    let summary = graph.rollBack()
    clearUndo()
    tellHasChanges()
    if summary.isEmpty { return }
    let changes = ContextChanges(summary)
    noteUnmergedInChildren((changes.updated + changes.inserted + changes.deleted).map(\.key))
    for object in changes.inserted + changes.updated {
      object.awake(fromSnapshotEvents: .rollback)
    }
    tellObservers(changes)
    postChanges(changes)
  }

  func forgetAllObjects() {
    checkQueue("reset()")
    guard isConnected else { return }
    let objects = registry.objects.map(Self.managed)
    let ids = objects.lazy.map { self.id(of: $0) }
    graph.reset()
    arrivals = []
    hasLostRows = false
    pushed = []
    invalidations = []
    unmerged.clear()
    clearUndo()
    tellHasChanges()
    advanceGeneration()
    var changes = ContextChanges()
    changes.invalidatedAll = true
    tellObservers(changes)
    ContextNotification.objectsDidChange.post(self) { [NSInvalidatedAllObjectsKey: Array(ids)] }
  }
}

extension [AnyHashable: Any] {
  /// A set of objects under `key`; nothing where there are none.
  mutating func add(_ key: String, _ objects: [NSManagedObject]) {
    if !objects.isEmpty { self[key] = Set(objects) }
  }
}
