// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

extension NSManagedObjectContext {
  /// Turns the object into a fault or, if `merging` is true, reads its row again and reapplies its unsaved
  /// changes.
  ///
  /// Does nothing if the object is inserted, deleted or not in this context, or if `merging` is true and the
  /// object is a fault.
  func refreshValues(of object: NSManagedObject, merging: Bool) {
    checkQueue("refresh(_:mergeChanges:)", object)
    if object.registry !== registry, object.isManaged {
      Misuse.objectOfOtherContext(object, "refresh")
    }
    guard object.registry === registry, !object.isInserted, !object.isDeleted else { return }
    if merging {
      if !object.isFault { rebase([object.key]) }
    } else if object.isFault {
      // Discards the fault's cached row, so that the fault reads the store at its next use.
      graph.turnIntoFault(object)
    } else {
      if object.hasChanges { passToChildren(SavedKeys(updated: [object.key])) }
      object.willTurnIntoFault()
      graph.turnIntoFault(object)
      object.didTurnIntoFault()
    }
  }

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

  /// Reads the objects' rows again and reapplies their unsaved changes.
  ///
  /// `own` contains the keys of objects that no other context has changed. If the row of such an object has
  /// the same values as the object, only the row's version is copied, and no change is reported.
  func rebase(
    _ keys: [ObjectKey],
    event: NSSnapshotEventType = .refresh,
    own: Set<ObjectKey> = []
  ) {
    var changed: [(object: NSManagedObject, former: ChunkRow)] = []
    readRows(of: keys) { object, chunk, row in
      if own.contains(object.key), graph.adoptVersion(object, of: chunk, row: row) { return }
      let former = object.flags.contains(.updated) ? object.detail?.base : nil
      try self.graph.rebase(object, on: chunk, row: row)
      if let former { changed.append((object, former)) }
      if !object.isFault { object.awake(fromSnapshotEvents: event) }
    }
    for (object, former) in changed { graph.reconcileKeptReferences(of: object, since: former) }
  }

  /// Reads the rows of objects again, because the store has computed derived attributes; objects whose rows
  /// have not been read are skipped.
  func refreshDerivedValues(_ keys: [ObjectKey]) {
    rebase(keys.filter { registry.object(for: $0)?.chunk != nil })
  }

  /// Reads the rows of objects again and calls `body` with each object and its row.
  ///
  /// If the rows of a store cannot be read, or if `body` throws for one of these rows, calls
  /// `reportUnread(_:_:)` with all keys of that store. Keys without rows are skipped.
  ///
  /// - Complexity: one statement for each store, entity hierarchy and block of a few hundred keys.
  func readRows(
    of keys: [ObjectKey],
    _ body: (NSManagedObject, RowChunk, Int) throws -> Void
  ) {
    if keys.isEmpty { return }
    for (_, members) in Dictionary(grouping: keys, by: \.store) {
      do {
        try loadRows(members).forEach { key, chunk, row in
          try body(object(for: key), chunk, row)
        }
      } catch {
        reportUnread(members, error)
      }
    }
  }

  /// Writes to standard error that objects could not be read again, because no caller can receive the
  /// error.
  ///
  /// Unchanged objects become faults, which read their rows at their next use. Changed objects keep their
  /// values.
  func reportUnread(_ keys: [ObjectKey], _ error: any Error) {
    Diagnostics.error(
      "\(CellText.objects(keys.count)) could not be refreshed; an unchanged object is read again at its next "
        + "use, and a changed object keeps its values. The error was: \(cocoaError(error))"
    )
    for key in keys {
      guard let object = registry.object(for: key), object.flags.isDisjoint(with: .unsaved) else {
        continue
      }
      refreshValues(of: Self.managed(object), merging: false)
    }
  }
}
