// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// One attempt to write a save to the stores.
///
/// Normally all stores commit their parts, or no store does. If only some stores commit, `write()` throws a
/// `StoreWriter.Failure`.
struct SaveAttempt: ~Copyable {
  private let context: NSManagedObjectContext
  private let plan: SavePlan
  private var writer: StoreWriter
  /// The saved objects, without new objects that were folded into stored objects.
  private(set) var saved: SavedObjects
  /// The position in the stores' histories after the write; nil if no store has a history.
  private(set) var historyToken: NSPersistentHistoryToken?

  /// Plans the rows that the save writes.
  ///
  /// If `foldsInserts` is true, and the merge policy is a built-in policy other than the error policy, a new
  /// object with the same unique values as a stored row is folded into that row.
  /// - Throws: `NSManagedObjectExternalRelationshipError` for a relationship to an object in another store;
  ///   `NSPersistentStoreOperationError` if no writable store holds a new object's entity, or if an object's
  ///   store was removed.
  init(of context: NSManagedObjectContext, foldsInserts: Bool) throws {
    let graph = context.graph
    var stores = StoreAssignment(context)
    try stores.checkRelationships()
    try Self.makePermanent(in: &stores, context)
    var plan = graph.planSave { stores.index(for: $0) }
    if foldsInserts, graph.hasConstraints, let rule = Self.builtInRule(of: context.mergePolicy) {
      graph.planFolds(&plan, by: rule)
    }
    let parts = try Self.parts(of: &plan, context)
    self.context = context
    self.plan = plan
    saved = SavedObjects(graph)
    writer = StoreWriter(parts)
  }

  /// Gives new objects in custom stores their permanent IDs, because the class of a custom store receives the
  /// objects of a save with permanent IDs.
  private static func makePermanent(
    in stores: inout StoreAssignment,
    _ context: NSManagedObjectContext
  ) throws {
    guard let coordinator = context.coordinator, coordinator.hasStoresOfProgram else { return }
    let new = context.graph.inserted.filter { object in
      let index = stores.index(for: object)
      return object.key.isTemporary && index >= 0 && coordinator.store(at: index)?.isCustom == true
    }
    if !new.isEmpty { try context.makePermanent(new.map(NSManagedObjectContext.managed)) }
  }

  /// Returns the rule of a built-in merge policy; nil for the error policy and for custom policies.
  private static func builtInRule(of policy: Any) -> MergeRule? {
    guard let policy = policy as? NSMergePolicy, type(of: policy) == NSMergePolicy.self else {
      return nil
    }
    return policy.mergeType.rule
  }

  /// Names the author of the save in each batch, and returns the batches with their stores.
  private static func parts(
    of plan: inout SavePlan,
    _ context: NSManagedObjectContext
  ) throws -> [StoreWriter.Part] {
    let author = context.historyAuthor
    var parts: [StoreWriter.Part] = []
    for index in plan.batches.stores {
      guard index >= 0, let store = context.coordinator?.store(at: index) else {
        let stored = plan.updated + plan.deleted
        throw (plan.inserted[index]?.first ?? stored.first { $0.key.store == index })
          .map(context.noStore) ?? noStoreOfCheckedObject
      }
      let rows = store.rows(for: context)
      if store.isReadOnly, !rows.isReadOnly { throw readOnly(store) }
      plan.batches[index, default: SaveBatch()].author = author
      parts.append(
        StoreWriter.Part(
          store: rows,
          batch: plan.batches[index, default: SaveBatch()],
          commitsWhileWriting: store.isCustom
        )
      )
    }
    return parts
  }

  private static func readOnly(_ store: NSPersistentStore) -> NSError {
    cocoaError(
      StoreError(
        .readOnly,
        "isReadOnly of the store \(store.locationInText) is true; set the property to false to save"
      )
    )
  }

  /// The error for an object that the save only checks for conflicts, and whose store was removed.
  private static var noStoreOfCheckedObject: NSError {
    coreDataError(
      NSPersistentStoreOperationError,
      "An object that was passed to detectConflicts(for:) cannot be checked, because its store was removed "
        + "from the coordinator. Discard the changes with rollback() or reset()."
    )
  }

  // MARK: Writing

  /// Writes the parts of all stores; does not change the graph.
  ///
  /// Calls `pause` before the rows of a conflict are read, so that the merge policy gets new rows.
  ///
  /// - Returns: the conflict that prevented a store from writing its part; nil if all stores have committed.
  /// - Throws: `StoreWriter.Failure` if only some stores have committed; the caller then applies their parts
  ///   to the graph with `commit(only:)`. Throws the error of the failing store if no store has committed.
  mutating func write(pausing pause: () -> Void) throws -> SaveConflict? {
    do {
      defer { context.coordinator?.didWrite(writer.writes) }
      try writer.write()
      return nil
    } catch let failure as StoreWriter.Failure {
      if !failure.committed.isEmpty { throw failure }
      return try commitPartOrConflict(behind: failure, pause)
    }
  }

  private func commitPartOrConflict(
    behind failure: StoreWriter.Failure,
    _ pause: () -> Void
  ) throws -> SaveConflict {
    guard let error = failure.cause as? StoreError else { throw cocoaError(failure.cause) }
    if error.code == .conflict || error.code == .constraint { pause() }
    switch error.code {
    case .conflict:
      return try SaveConflict(of: error.keys, in: failure.store, with: context)
    case .constraint:
      let conflicts = try ConstraintFinder(context: context, store: failure.store).conflicts()
      if conflicts.isEmpty { throw cocoaError(error) }
      return SaveConflict(conflicts)
    default: throw cocoaError(error)
    }
  }

  /// Returns the error of an incomplete save.
  ///
  /// The error contains the stores that have not committed and the objects that are still unsaved.
  ///
  /// Must be called after `commit(only:)`, because the graph treats all objects as unsaved until then.
  func incompleteSave(_ failure: StoreWriter.Failure) -> NSError {
    let graph = context.graph
    let failed = plan.batches.stores.filter { !failure.committed.contains($0) }
    return MergeErrors.incomplete(
      failed.compactMap { context.coordinator?.store(at: $0) },
      (graph.inserted + graph.updated + graph.deleted).map(NSManagedObjectContext.managed),
      failure.cause
    )
  }

  // MARK: After the stores have committed

  /// Applies the write to the graph: the written objects get permanent keys, new versions and derived values,
  /// and have no more unsaved changes.
  ///
  /// `stores` contains the stores that have committed their parts; nil if all stores have committed. Changes
  /// for the other stores remain unsaved, and new objects remain assigned to their stores.
  mutating func commit(only stores: Set<Int>? = nil) {
    let graph = context.graph
    historyToken = context.coordinator?.historyToken(of: writer.writes)
    for folded in writer.folded {
      dropFolded(folded.value, of: plan.inserted[folded.store] ?? [])
    }
    graph.commit(plan, keys: writer.keys, stores: stores)
    graph.compactRows()
    if !writer.derived.isEmpty { context.refreshDerivedValues(writer.derived) }
    if stores == nil, !context.assignedStores.isEmpty { context.assignedStores = [:] }
    if !writer.folded.isEmpty {
      refreshSurvivors(writer.folded.flatMap { $0.value.values.compactMap { $0 } })
    }
  }

  private mutating func dropFolded(_ folded: [Int: ObjectKey?], of inserted: [GraphObject]) {
    let gone = folded.keys.sorted().map { inserted[$0] }
    context.graph.dropFolded(gone)
    let known = Set(gone.map(ObjectIdentifier.init))
    saved.inserted.removeAll { known.contains(ObjectIdentifier($0)) }
  }

  /// Refreshes stored objects that have received the values of folded new objects, and reports these stored
  /// objects as updated.
  private mutating func refreshSurvivors(_ keys: [ObjectKey]) {
    let graph = context.graph
    let survivors = Set(keys).sorted { $0.raw < $1.raw }.map { context.object(for: $0) }
    context.rebase(survivors.filter { !$0.isFault }.map(\.key), event: .mergePolicy)
    // Discards the cached rows of faults, which date from before the save.
    for object in survivors where object.isFault { graph.turnIntoFault(object) }
    saved.updated += survivors
    graph.dropUndoStep()
    context.endChangeEvent()
  }
}
