// SPDX-License-Identifier: Apache-2.0

import CoreDataGraph
import CoreDataModel
import CoreDataStore
import Foundation

/// Pending changes: what they are, and who is told.
extension NSManagedObjectContext {
  func processChanges() {
    checkQueue("processPendingChanges()")
    guard isConnected, graph.hasPendingEvent else { return }
    report(graph.processPendingChanges(propagatingDeletions: propagatesDeletesAtEndOfEvent))
  }

  func report(_ summary: ChangeSummary) {
    if !summary.isEmpty {
      var changes = ContextChanges()
      changes.inserted = summary.inserted.map(Self.managed)
      changes.updated = summary.updated.map(Self.managed)
      changes.deleted = summary.deleted.map(Self.managed)
      changes.refreshed = summary.refreshed.map(Self.managed)
      tellObservers(changes)
      postChanges(changes)
    }
    graph.discard(summary)
  }

  private func postChanges(_ changes: ContextChanges) {
    ContextNotification.objectsDidChange.post(self) {
      var info: [AnyHashable: Any] = [:]
      info.add(NSInsertedObjectsKey, changes.inserted)
      info.add(NSUpdatedObjectsKey, changes.updated)
      info.add(NSDeletedObjectsKey, changes.deleted)
      info.add(NSRefreshedObjectsKey, changes.refreshed)
      return info
    }
  }

  // MARK: Dropping

  func dropChanges() {
    checkQueue("rollback()")
    guard isConnected else { return }
    let summary = graph.rollBack()
    if summary.isEmpty { return }
    var changes = ContextChanges()
    changes.inserted = summary.inserted.map(Self.managed)
    changes.updated = summary.updated.map(Self.managed)
    changes.deleted = summary.deleted.map(Self.managed)
    for object in changes.inserted + changes.updated {
      object.awake(fromSnapshotEvents: .rollback)
    }
    tellObservers(changes)
    postChanges(changes)
  }

  func forgetEverything() {
    checkQueue("reset()")
    guard isConnected else { return }
    let objects = registry.objects.map(Self.managed)
    let ids = objects.lazy.map { self.id(of: $0) }
    graph.reset()
    var changes = ContextChanges()
    changes.invalidatedAll = true
    tellObservers(changes)
    ContextNotification.objectsDidChange.post(self) { [NSInvalidatedAllObjectsKey: Array(ids)] }
  }

  // MARK: Refreshing

  func refreshValues(of object: NSManagedObject, merging: Bool) {
    checkQueue("refresh(_:mergeChanges:)", object)
    guard object.registry === registry, !object.isInserted, !object.isDeleted else { return }
    if merging {
      if !object.isFault { rebase([object.key]) }
    } else if object.isFault {
      // Its next use asks the store.
      graph.turnIntoFault(object)
    } else {
      object.willTurnIntoFault()
      graph.turnIntoFault(object)
      object.didTurnIntoFault()
    }
  }

  /// - Complexity: one statement for all objects with unsaved changes.
  func refreshEverything() {
    checkQueue("refreshAllObjects()")
    guard isConnected else { return }
    var changed: [ObjectKey] = []
    for object in registry.objects where !object.flags.contains(.inserted) {
      if object.flags.isDisjoint(with: .unsaved) {
        refreshValues(of: Self.managed(object), merging: false)
      } else if !object.flags.contains(.deleted) {
        changed.append(object.key)
      }
    }
    rebase(changed)
  }

  private func rebase(_ keys: [ObjectKey]) {
    read(keys) { object, chunk, row in
      self.graph.rebase(object, on: chunk, row: row)
      if !object.isFault { object.awake(fromSnapshotEvents: .refresh) }
    }
  }

  // MARK: Merging

  func merge(_ notification: Notification) {
    checkQueue("mergeChanges(fromContextDidSave:)")
    guard let info = notification.userInfo else { return }
    mergeSaved(
      inserted: keys(info, NSInsertedObjectsKey, NSInsertedObjectIDsKey),
      updated: keys(info, NSUpdatedObjectsKey, NSUpdatedObjectIDsKey),
      deleted: keys(info, NSDeletedObjectsKey, NSDeletedObjectIDsKey)
    )
  }

  private func keys(_ info: [AnyHashable: Any], _ objects: String, _ ids: String) -> [ObjectKey] {
    if let objects = info[objects] as? Set<NSManagedObject> { return objects.map(\.key) }
    let named = info[ids] ?? info[objects]
    if let ids = named as? Set<NSManagedObjectID> { return ids.map(\.key) }
    return (named as? [NSManagedObjectID])?.map(\.key) ?? []
  }

  /// Takes over what was saved elsewhere: new objects enter, realised ones are read again, deleted
  /// ones are deleted here too.
  ///
  /// - Complexity: one statement for all the objects that are read.
  func mergeSaved(inserted: [ObjectKey], updated: [ObjectKey], deleted: [ObjectKey]) {
    guard isConnected else { return }
    // A fault whose row is at hand counts: a results controller may show it by that row.
    let known = updated.filter { registry.object(for: $0)?.rowChunk != nil }
    rebase(known)
    // The event holds new objects until it is reported.
    read(inserted) { object, chunk, row in self.graph.admit(object, chunk: chunk, row: row) }
    for key in deleted {
      guard let object = registry.object(for: key), !object.flags.contains(.deleted) else {
        continue
      }
      graph.admitDeletion(of: object)
    }
    processChanges()
  }

  private func read(_ keys: [ObjectKey], _ body: (NSManagedObject, RowChunk, Int) -> Void) {
    if keys.isEmpty { return }
    for (_, members) in Dictionary(grouping: keys, by: \.store) {
      guard let rows = try? loadRows(members) else { continue }
      rows.forEach { key, chunk, row in body(object(for: key), chunk, row) }
    }
  }
}

extension [AnyHashable: Any] {
  /// A set of objects under `key`; nothing where there are none.
  mutating func add(_ key: String, _ objects: [NSManagedObject]) {
    if !objects.isEmpty { self[key] = Set(objects) }
  }
}
