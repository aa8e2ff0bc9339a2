// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// One merge, into a context, of changes that were saved elsewhere.
///
/// Inserted objects are registered. Updated objects are read again if the context has their values or
/// members, or if their entity is observed; unsaved changes are kept. Deleted objects are deleted in this
/// context too or, if a later save has inserted their rows again, read again. Invalidated objects with
/// unsaved changes are treated as updated; other invalidated objects become faults.
struct ContextMerge {
  typealias Step = @Sendable (inout ContextMerge) -> Void

  /// The steps in the order in which they run.
  ///
  /// All keys are classified before a step registers objects, because the classification depends on which
  /// objects the context already has.
  static let steps: [Step] = [
    { $0.keepUnsavedChangesOfInvalidated() }, { $0.adoptKeysOfParent() },
    { $0.addParentChanges() }, { $0.endEventBefore() }, { $0.consumeOwnChanges() },
    { $0.findReinsertedRows() }, { $0.reportSaveOfParent() },
    { $0.classifyUpdated() }, { $0.rebaseUpdated() }, { $0.renewDeletions() },
    { $0.registerInserted() }, { $0.deleteGone() }, { $0.readRowsForObservers() },
    { $0.invalidate() }, { $0.cutLinksToLost() }, { $0.endEvent() }, { $0.postNotification() },
    { $0.graph.releaseMergedDeletions() },
  ]

  private let context: NSManagedObjectContext
  private var saved: SavedKeys
  /// Objects that the context's own save has changed and that no other context has changed since.
  private var own: Set<ObjectKey> = []
  private var updated = UpdatedObjects()
  /// Inserted objects whose values or members the context already has.
  private var knownInserted: Set<ObjectKey> = []
  /// Registered objects that were deleted and whose rows exist again.
  private var reinserted: [ObjectKey] = []
  /// Registered objects that were deleted and whose rows do not exist any more.
  private var gone: [ObjectKey] = []
  /// Changes in the parent context that no save reports; see `ParentChanges`.
  private var parentChanges = SavedKeys()

  private struct UpdatedObjects {
    /// Objects to read again, with their unsaved changes reapplied to the new rows.
    var rebased: [ObjectKey] = []
    /// Objects with an unsaved deletion, which is kept and now applies to the new row.
    var deleted: Set<ObjectKey> = []
    /// Objects whose rows the context has not read and whose entities are observed.
    var observed: [ObjectKey] = []
  }

  init(of saved: SavedKeys, into context: NSManagedObjectContext) {
    self.context = context
    self.saved = saved
  }

  mutating func run() {
    for step in Self.steps { step(&self) }
  }

  private var graph: ObjectGraph { context.graph }
  private var registry: ObjectRegistry { context.registry }

  // MARK: Before the rows

  /// Treats invalidated objects with unsaved changes as updated, so that the changes are reapplied to the new
  /// rows.
  private mutating func keepUnsavedChangesOfInvalidated() {
    if saved.invalidated.isEmpty { return }
    let registry = registry
    func isChangedHere(_ key: ObjectKey) -> Bool {
      registry.object(for: key)?.flags.isDisjoint(with: .unsaved) == false
    }
    saved.updated += saved.invalidated.filter(isChangedHere)
    saved.invalidated.removeAll(where: isChangedHere)
  }

  private func adoptKeysOfParent() { context.parentSource?.adoptKeys() }

  private mutating func addParentChanges() {
    if context.parentSource == nil { return }
    var changes = context.related.incoming.parentChanges.removeAll()
    if changes.isEmpty { return }
    changes.updated = changes.updated.map(context.graph.currentKey)
    changes.deleted = changes.deleted.map(context.graph.currentKey)
    parentChanges = changes
    saved.append(changes)
    saved = saved.withoutRepetitions
  }

  /// Advances the query generation and ends the current event, because changes saved elsewhere cannot be
  /// undone and must not be part of the preceding event.
  private func endEventBefore() {
    context.advanceGeneration()
    context.endChangeEvent()
  }

  private mutating func consumeOwnChanges() {
    own = context.consumeKeysOnlyChangedHere(updated: saved.updated, inserted: saved.inserted)
    context.unmerged.remove(saved.updated)
    context.unmerged.remove(saved.deleted)
  }

  private mutating func findReinsertedRows() {
    let registered = saved.deleted.filter { registry.object(for: $0) != nil }
    if registered.isEmpty { return }
    var present: Set<ObjectKey> = []
    context.readRows(of: registered) { object, _, _ in present.insert(object.key) }
    reinserted = registered.filter(present.contains)
    gone = registered.filter { !present.contains($0) }
  }

  /// Reports the parent's save to observers, because the save may have made keys of this context permanent.
  private func reportSaveOfParent() {
    if context.parentSource != nil, !saved.inserted.isEmpty { context.reporter.reportSave() }
  }

  private mutating func classifyUpdated() {
    let registry = registry
    // `isRead` is true for a fault with a row, because a results controller may show the row. It is also true
    // for a fault with a detail, because the members of a to-many may have been read, or a property may be
    // observed.
    let concerned = saved.updated + reinserted
    func isRead(_ key: ObjectKey) -> Bool {
      guard let object = registry.object(for: key), !object.flags.contains(.inserted) else {
        return false
      }
      return object.chunk != nil || object.detail?.isEmpty == false
    }
    knownInserted = Set(saved.inserted.filter(isRead)).subtracting(reinserted)
    let known = concerned.filter(isRead) + saved.inserted.filter(knownInserted.contains)
    let deleted = Set(known.filter { registry.object(for: $0)?.flags.contains(.deleted) == true })
    updated.deleted = deleted
    updated.rebased = deleted.isEmpty ? known : known.filter { !deleted.contains($0) }
    let reporter = context.reporter
    if reporter.isObserved {
      updated.observed = concerned.filter {
        reporter.isObserved($0.entity) && registry.object(for: $0)?.chunk == nil
      }
    }
  }

  // MARK: Rows

  private func rebaseUpdated() { context.rebase(updated.rebased, own: own) }

  private func renewDeletions() {
    context.readRows(of: Array(updated.deleted)) { object, chunk, row in
      if object.flags.contains(.inaccessible) {
        graph.mergeInsertion(of: object, chunk: chunk, row: row)
      } else {
        graph.renewDeletion(of: object, chunk: chunk, row: row)
      }
    }
  }

  /// Merges the inserted objects, which the current event retains until observers receive the event.
  private func registerInserted() {
    if knownInserted.isEmpty { return register(saved.inserted) }
    register(saved.inserted.filter { !knownInserted.contains($0) })
    // `rebaseUpdated()` has read these objects again; objects without differences need no merge.
    for key in saved.inserted where knownInserted.contains(key) {
      guard let object = registry.object(for: key), object.flags.contains(.refreshedInEvent),
        let chunk = object.chunk
      else { continue }
      graph.mergeInsertion(of: object, chunk: chunk, row: object.rowIndex)
    }
  }

  private func register(_ inserted: [ObjectKey]) {
    context.readRows(of: inserted) { object, chunk, row in
      graph.mergeInsertion(of: object, chunk: chunk, row: row)
    }
  }

  private func deleteGone() {
    for key in gone {
      if let object = registry.object(for: key) { graph.mergeDeletion(of: object) }
    }
  }

  private func readRowsForObservers() {
    context.readRows(of: updated.observed) { object, chunk, row in
      if object.flags.contains(.fault) { graph.fill(object, from: chunk, row: row) }
      context.reporter.pending.arrivals.append(object)
    }
  }

  // MARK: After the rows

  private func invalidate() {
    for key in saved.invalidated {
      guard let object = registry.object(for: key) else { continue }
      context.refreshValues(of: NSManagedObjectContext.managed(object), merging: false)
      context.reporter.pending.invalidations.insert(key)
    }
  }

  private func cutLinksToLost() {
    guard saved.isPartial, !saved.deleted.isEmpty else { return }
    let present = Set(reinserted)
    graph.recordLostKeys(saved.deleted.filter { !present.contains($0) })
    graph.cutLinksToLost()
    context.reporter.pending.hasLostRows = context.reporter.isObserved
  }

  private mutating func endEvent() {
    graph.applyDeletions(propagating: context.propagatesDeletesAtEndOfEvent)
    graph.dropUndoStep()
    // The children may have objects that are not registered here, so all changes are passed on to the
    // children.
    context.passToChildren(parentChanges)
    context.passToChildren(context.changes(besides: saved))
    context.endChangeEvent()
    graph.compactRows()
  }

  private func postNotification() {
    var info: [AnyHashable: Any] = [:]
    for (name, keys) in [
      (NSInsertedObjectIDsKey, saved.inserted), (NSUpdatedObjectIDsKey, saved.updated),
      (NSDeletedObjectIDsKey, saved.deleted), (NSInvalidatedObjectIDsKey, saved.invalidated),
    ] where !keys.isEmpty {
      info[name] = Set(keys.map { context.id(for: $0) })
    }
    info[NSManagedObjectContextQueryGenerationKey] = context.newGenerationToken
    NotificationCenter.default.post(
      name: .NSManagedObjectContextDidMergeChangesObjectIDs,
      object: context,
      userInfo: info
    )
  }
}
