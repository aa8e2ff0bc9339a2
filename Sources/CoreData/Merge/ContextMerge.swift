// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// One merge of changes saved elsewhere into a context.
///
/// Inserted objects are registered, updated ones of which the context has values or members are read again,
/// deleted ones are deleted in this context too, and invalidated ones without unsaved changes become faults.
/// A deletion applies only if the row does not exist any more: if a later save has inserted the row again,
/// the object is read again.
///
/// - Complexity: at most one call of `readRows(of:_:)` for each of: inserted objects, updated objects,
///   updated objects with an unsaved deletion, objects read for an observer, and registered objects that are
///   deleted. If `SavedKeys.isPartial` is true and objects were deleted, also the statements of
///   `ObjectGraph.cutLinksToLost()`.
struct ContextMerge {
  typealias Step = @Sendable (inout ContextMerge) -> Void

  /// Reading rows registers objects, so the treatment of every key is determined before an object is
  /// registered.
  static let steps: [Step] = [
    { $0.keepUnsavedChangesOfInvalidated() }, { $0.adoptKeysOfParent() },
    { $0.addParentChanges() }, { $0.endEventBefore() }, { $0.consumeOwnChanges() },
    { $0.findReinsertedRows() }, { $0.reportSaveOfParent() },
    { $0.classifyUpdated() }, { $0.rebaseUpdated() }, { $0.renewDeletions() },
    { $0.registerInserted() }, { $0.deleteGone() }, { $0.readRowsForObservers() },
    { $0.invalidate() }, { $0.cutLinksToLost() }, { $0.endEvent() }, { $0.postNotification() },
  ]

  private let context: NSManagedObjectContext
  private var saved: SavedKeys
  /// Objects that the context's own save has changed and that no other context has changed since.
  private var own: Set<ObjectKey> = []
  /// Updated objects, grouped by how the context handles their new rows.
  private var updated = UpdatedObjects()
  /// Inserted objects of which the context already has values or members.
  private var knownInserted: Set<ObjectKey> = []
  /// Registered objects that were deleted and whose rows exist again.
  private var reinserted: [ObjectKey] = []
  /// Registered objects whose rows do not exist any more.
  private var gone: [ObjectKey] = []
  /// Keys that earlier merges have changed in the parent besides those that the saves named.
  private var parentChanges = SavedKeys()

  private struct UpdatedObjects {
    /// Objects to read again, with their unsaved changes reapplied to the new rows.
    var rebased: [ObjectKey] = []
    /// Objects with an unsaved deletion; the deletion stays and now applies to the new row.
    var deleted: Set<ObjectKey> = []
    /// Objects without a row whose entity an observer reads.
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

  /// Treats invalidated objects with unsaved changes as updated, so that their changes are reapplied to
  /// the new row.
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

  /// The undo manager cannot undo changes saved elsewhere, so they must not be part of the preceding
  /// event.
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

  /// The parent's save made the keys of the child's new objects permanent.
  private func reportSaveOfParent() {
    if context.parentSource != nil, !saved.inserted.isEmpty { context.reporter.reportSave() }
  }

  private mutating func classifyUpdated() {
    let registry = registry
    // A fault that has a row is included because a results controller may show it by that row. So is a
    // fault whose to-many members were read or changed, or whose properties are observed.
    let concerned = saved.updated + reinserted
    func isRead(_ key: ObjectKey) -> Bool {
      guard let object = registry.object(for: key), !object.flags.contains(.inserted) else {
        return false
      }
      return object.chunk != nil || object.detail?.isEmpty == false
    }
    // What the context has pushed to its parent, or read before this merge.
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

  /// Registers the inserted objects; the event retains them until it is reported.
  private func registerInserted() {
    if knownInserted.isEmpty { return register(saved.inserted) }
    register(saved.inserted.filter { !knownInserted.contains($0) })
    // These were read again with the updated ones, except where nothing differs.
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

  /// Turns registered objects whose rows are out of date into faults.
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
    // The children may have objects that are not registered here, so this context's changes are passed on.
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
