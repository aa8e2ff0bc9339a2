// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// Pending changes: what they are, and who is told.
extension NSManagedObjectContext {
  func processChanges() {
    checkQueue("processPendingChanges()")
    guard isConnected else { return }
    guard graph.hasPendingEvent else { return tellArrivals() }
    let summary = graph.processPendingChanges(propagatingDeletions: propagatesDeletesAtEndOfEvent)
    registerUndoStep()
    report(summary)
    tellHasChanges()
  }

  func report(_ summary: ChangeSummary) {
    if !summary.isEmpty {
      var changes = ContextChanges()
      changes.inserted = summary.inserted.map(Self.managed)
      changes.updated = summary.updated.map(Self.managed)
      changes.deleted = summary.deleted.map(Self.managed)
      changes.refreshed = summary.refreshed.map(Self.managed)
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
      tellArrivals()
    }
    graph.discard(summary)
  }

  /// Tells observers alone: nothing changed in this context.
  private func tellArrivals() {
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

  func dropChanges() {
    checkQueue("rollback()")
    guard isConnected else { return }
    let summary = graph.rollBack()
    clearUndo()
    tellHasChanges()
    if summary.isEmpty { return }
    var changes = ContextChanges()
    changes.inserted = summary.inserted.map(Self.managed)
    changes.updated = summary.updated.map(Self.managed)
    changes.deleted = summary.deleted.map(Self.managed)
    changes.refreshed = summary.refreshed.map(Self.managed)
    noteUnmergedInChildren((changes.updated + changes.inserted + changes.deleted).map(\.key))
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

  /// Reads objects again, and lays their unsaved changes over their rows.
  ///
  /// Of `own`, which others are known not to have changed, nothing is told where the row says what the
  /// object says.
  func rebase(
    _ keys: [ObjectKey],
    event: NSSnapshotEventType = .refresh,
    own: Set<ObjectKey> = []
  ) {
    var changed: [(object: NSManagedObject, former: ObjectGraph.Place)] = []
    read(keys) { object, chunk, row in
      if own.contains(object.key), graph.adoptVersion(object, of: chunk, row: row) { return }
      let former = object.flags.contains(.updated) ? object.detail?.base : nil
      try self.graph.rebase(object, on: chunk, row: row)
      if let former { changed.append((object, former)) }
      if !object.isFault { object.awake(fromSnapshotEvents: event) }
    }
    for (object, former) in changed { graph.reconcileKeptReferences(of: object, since: former) }
  }

  /// Reads again what the store has computed in objects that are realised here.
  ///
  /// - Complexity: one statement for all of them, none where nothing is derived.
  func takeDerivedValues(_ keys: [ObjectKey]) {
    rebase(keys.filter { registry.object(for: $0)?.rowChunk != nil })
  }

  // MARK: Merging

  func merge(_ notification: Notification) {
    checkQueue("mergeChanges(fromContextDidSave:)")
    guard let info = notification.userInfo, isConnected else { return }
    let changes = RemoteChanges(info, in: self)
    mergeSaved(
      inserted: changes.inserted,
      updated: changes.updated,
      deleted: changes.deleted,
      invalidated: changes.invalidated,
      // A save that deletes destinations names their owners too.
      isPartial: changes.updated.isEmpty
    )
  }

  /// Takes over what was saved elsewhere: new objects enter, realised ones are read again, deleted
  /// ones are deleted here too, invalidated ones without unsaved changes become faults.
  ///
  /// A deletion counts only while the row is gone: a later save may have inserted it again, and then it is
  /// read again. `isPartial` says that owners of deleted rows may be missing among the updated ones, as
  /// they are in the result of a batch.
  /// - Returns: what follows for unsaved changes: objects whose links to deleted ones were cut.
  /// - Complexity: one statement for all the objects that are read, and one for registered ones that are
  ///   deleted; where a partial merge deletes, `ObjectGraph.cutLostLinks()` besides.
  @discardableResult
  func mergeSaved(
    inserted: [ObjectKey],
    updated: [ObjectKey],
    deleted: [ObjectKey],
    invalidated: [ObjectKey] = [],
    isPartial: Bool = false
  ) -> [ObjectKey] {
    checkQueue("mergeChanges(fromContextDidSave:)")
    guard isConnected else { return [] }
    // Unsaved changes are kept, over what the store has now.
    let updated = updated + invalidated.filter(isChangedHere)
    let invalidated = invalidated.filter { !isChangedHere($0) }
    parentSource?.adoptKeys()
    advanceGeneration()
    // What others have saved cannot be undone here, so it is no part of the event before.
    processChanges()
    let own = ownKeys(updated, inserted)
    unmerged.remove(updated)
    unmerged.remove(deleted)
    let known = deleted.filter { registry.object(for: $0) != nil }
    let present = keysWithRows(known)
    takeOver(
      inserted: inserted,
      updated: updated + known.filter(present.contains),
      gone: known.filter { !present.contains($0) },
      own: own
    )
    invalidate(invalidated)
    if isPartial && !deleted.isEmpty {
      graph.noteLost(deleted.filter { !present.contains($0) })
      graph.cutLostLinks()
      hasLostRows = isObserved
    }
    if propagatesDeletesAtEndOfEvent { graph.propagateDeletions() }
    graph.dropUndoStep()
    let followers = graph.pendingObjects.filter { $0.flags.contains(.updatedInEvent) }.map(\.key)
    processChanges()
    graph.compactRows()
    postMerge(
      inserted: inserted,
      updated: updated,
      deleted: deleted,
      invalidated: invalidated
    )
    return followers
  }

  /// The objects of a merge: changed ones are read again, new ones enter, gone ones are deleted.
  private func takeOver(
    inserted: [ObjectKey],
    updated: [ObjectKey],
    gone: [ObjectKey],
    own: Set<ObjectKey>
  ) {
    // The keys of a child's new objects became permanent with the parent's save.
    if parentSource != nil, !inserted.isEmpty { tellObserversOfSave() }
    // A fault whose row is at hand counts: a results controller may show it by that row. So does one
    // that has read its members.
    let known = updated.filter {
      guard let object = registry.object(for: $0) else { return false }
      return object.rowChunk != nil || object.detail != nil
    }
    let deleted = Set(known.filter { registry.object(for: $0)?.flags.contains(.deleted) == true })
    let wanted = isObserved ? unknownRows(updated) : []
    rebase(deleted.isEmpty ? known : known.filter { !deleted.contains($0) }, own: own)
    read(Array(deleted)) { object, chunk, row in
      if object.flags.contains(.inaccessible) {
        graph.admit(object, chunk: chunk, row: row)
      } else {
        graph.renewDeletion(of: object, chunk: chunk, row: row)
      }
    }
    // The event holds new objects until it is reported.
    read(inserted) { object, chunk, row in
      if own.contains(object.key), graph.adoptVersion(object, of: chunk, row: row) { return }
      graph.admit(object, chunk: chunk, row: row)
    }
    for key in gone {
      if let object = registry.object(for: key) { graph.admitDeletion(of: object) }
    }
    read(wanted) { object, chunk, row in
      if object.flags.contains(.fault) { self.graph.fill(object, from: chunk, row: row) }
      self.arrivals.append(object)
    }
  }

  /// Of what a parent has saved, what this child pushed to it and nobody has changed since.
  private func ownKeys(_ updated: [ObjectKey], _ inserted: [ObjectKey]) -> Set<ObjectKey> {
    if parentSource == nil { return [] }
    var own = unmerged.merged(updated)
    if pushed.isEmpty { return own }
    let saved = Set(inserted)
    for key in pushed {
      guard let permanent = graph.permanentKey(for: key) else {
        // An object that is not registered is read again anyway.
        if !registry.contains(key) { pushed.remove(key) }
        continue
      }
      if !saved.contains(permanent) { continue }
      pushed.remove(key)
      own.insert(permanent)
    }
    return own
  }

  /// Those of `keys` that have rows.
  private func keysWithRows(_ keys: [ObjectKey]) -> Set<ObjectKey> {
    var present: Set<ObjectKey> = []
    read(keys) { object, _, _ in present.insert(object.key) }
    return present
  }

  private func isChangedHere(_ key: ObjectKey) -> Bool {
    registry.object(for: key)?.flags.isDisjoint(with: .unsaved) == false
  }

  /// Turns those that are known here into faults.
  private func invalidate(_ keys: [ObjectKey]) {
    for key in keys {
      guard let object = registry.object(for: key) else { continue }
      refreshValues(of: Self.managed(object), merging: false)
      invalidations.insert(key)
    }
  }

  /// Keys of rows that an observer reads and that no object has at hand.
  private func unknownRows(_ keys: [ObjectKey]) -> [ObjectKey] {
    keys.filter { isObserved($0.entity) && registry.object(for: $0)?.rowChunk == nil }
  }

  private func postMerge(
    inserted: [ObjectKey],
    updated: [ObjectKey],
    deleted: [ObjectKey],
    invalidated: [ObjectKey]
  ) {
    var info: [AnyHashable: Any] = [:]
    for (name, keys) in [
      (NSInsertedObjectIDsKey, inserted), (NSUpdatedObjectIDsKey, updated),
      (NSDeletedObjectIDsKey, deleted), (NSInvalidatedObjectIDsKey, invalidated),
    ] where !keys.isEmpty {
      info[name] = Set(keys.map(id(for:)))
    }
    info[NSManagedObjectContextQueryGenerationKey] = newGenerationToken
    NotificationCenter.default.post(
      name: .NSManagedObjectContextDidMergeChangesObjectIDs,
      object: self,
      userInfo: info
    )
  }

  private func read(_ keys: [ObjectKey], _ body: (NSManagedObject, RowChunk, Int) throws -> Void) {
    if keys.isEmpty { return }
    for (_, members) in Dictionary(grouping: keys, by: \.store) {
      do {
        try loadRows(members).forEach { key, chunk, row in
          try body(object(for: key), chunk, row)
        }
      } catch {
        readFailed(members, error)
      }
    }
  }

  /// Nobody can be told by an error here: unchanged objects ask the store at their next use, changed
  /// ones keep their values, and the standard error says why.
  func readFailed(_ keys: [ObjectKey], _ error: any Error) {
    ContextLog.error("\(keys.count) objects could not be read again: \(cocoaError(error))")
    for key in keys {
      guard let object = registry.object(for: key), object.flags.isDisjoint(with: .unsaved) else {
        continue
      }
      refreshValues(of: Self.managed(object), merging: false)
    }
  }
}

extension [AnyHashable: Any] {
  /// A set of objects under `key`; nothing where there are none.
  mutating func add(_ key: String, _ objects: [NSManagedObject]) {
    if !objects.isEmpty { self[key] = Set(objects) }
  }
}
