// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// The part of a save that meets the stores: plan, write, resolve conflicts, commit.
extension NSManagedObjectContext {
  /// How often a save is tried again after its conflicts were resolved.
  private static let resolutionLimit = 32

  /// Writes the unsaved changes, resolving conflicts by the merge policy.
  ///
  /// - Throws: 133010, what the policy leaves unresolved (133020, 133021), validation errors of merged
  ///   objects, 134040 where a commit failed after another store's, what a store says; except after
  ///   134040 the graph is as it was.
  func writeChanges() throws -> SavedObjects {
    if let parentSource { return try push(to: parentSource) }
    var round = 0
    while true {
      do {
        let saved = try writeOnce(folding: round == 0)
        graph.endMerge()
        advanceGeneration()
        // What a resolution has changed is told before the save is.
        if round > 0 {
          graph.dropUndoStep()
          endChangeEvent()
        }
        return saved
      } catch let conflict as SaveConflict {
        graph.beginMerge()
        round += 1
        do {
          if round > Self.resolutionLimit { throw conflict.error }
          // The rows that the save met are those of now, whatever the context reads otherwise.
          try readingNewest { try resolve(conflict) }
        } catch {
          graph.revertMerge()
          throw error is StoreError ? cocoaError(error) : error
        }
      } catch {
        graph.revertMerge()
        throw error
      }
    }
  }

  /// One attempt: all stores take their parts, or none does.
  ///
  /// Where `folding`, inserts that meet rows with equal unique values become part of them at once.
  private func writeOnce(folding: Bool) throws -> SavedObjects {
    let stores = StoreAssignment(self)
    try checkCrossings(stores)
    var plan = graph.planSave { stores.index(for: $0) }
    if folding, let rule = ownRule { graph.planFolds(&plan, by: rule) }
    var saved = SavedObjects(graph)
    var writer = StoreWriter(try parts(of: plan))
    do {
      defer { coordinator?.didWrite(writer.writes) }
      try writer.write()
    } catch let failure as StoreWriter.Failure {
      throw try self.failure(failure, plan, writer.keys)
    }
    saved.historyToken = coordinator?.historyToken(of: writer.writes)
    for (store, folded) in writer.folded {
      drop(folded, of: plan.inserted[store] ?? [], &saved)
    }
    graph.commit(plan, keys: writer.keys)
    graph.compactRows()
    refreshDerivedValues(writer.derived)
    assignedStores = [:]
    let survivors = writer.folded.values.flatMap(\.values).compactMap { $0 }
    if writer.folded.contains(where: { !$0.value.isEmpty }) { showSurvivors(survivors, &saved) }
    return saved
  }

  /// The rule of a policy that is Apple's own, which nobody has to be asked about.
  private var ownRule: MergeRule? {
    guard let policy = mergePolicy as? NSMergePolicy, type(of: policy) == NSMergePolicy.self else {
      return nil
    }
    return policy.mergeType.rule
  }

  // MARK: Folded inserts

  private func drop(
    _ folded: [Int: ObjectKey?],
    of inserted: [GraphObject],
    _ saved: inout SavedObjects
  ) {
    if folded.isEmpty { return }
    let gone = folded.keys.sorted().map { inserted[$0] }
    graph.dropFolded(gone)
    let known = Set(gone.map(ObjectIdentifier.init))
    saved.inserted.removeAll { known.contains(ObjectIdentifier($0)) }
  }

  /// Objects whose rows took the values of new ones: realised ones are read again, and all are told.
  ///
  /// - Complexity: one statement for some hundred realised objects, none for others.
  private func showSurvivors(_ keys: [ObjectKey], _ saved: inout SavedObjects) {
    let survivors = Set(keys).sorted { $0.raw < $1.raw }.map { object(for: $0) }
    rebase(survivors.filter { !$0.isFault }.map(\.key), event: .mergePolicy)
    // A row at hand is that of before.
    for object in survivors where object.isFault { graph.turnIntoFault(object) }
    saved.updated += survivors
    graph.dropUndoStep()
    endChangeEvent()
  }

  private func parts(of plan: SavePlan) throws -> [StoreWriter.Part] {
    try plan.batches.keys.sorted().compactMap { index in
      guard var batch = plan.batches[index] else { return nil }
      guard let store = coordinator?.rowStore(at: index) else {
        throw noStore(plan.inserted[index]?.first ?? plan.updated.first ?? graph.deleted[0])
      }
      batch.author = historyAuthor
      return StoreWriter.Part(store: store, batch: batch)
    }
  }

  /// What the history says of who writes: a child's changes are its outermost parent's.
  var historyAuthor: HistoryAuthor {
    if let parent = parentSource?.parent { return parent.queue.sync { parent.historyAuthor } }
    return HistoryAuthor(author: transactionAuthor, contextName: name)
  }

  /// What a failed attempt means: conflicts to resolve, a save in parts, or the store's own error.
  private func failure(
    _ failure: StoreWriter.Failure,
    _ plan: SavePlan,
    _ keys: [Int: [ObjectKey]]
  ) throws -> any Error {
    if !failure.committed.isEmpty { return incomplete(failure, plan, keys) }
    guard let error = failure.cause as? StoreError else { return cocoaError(failure.cause) }
    switch error.code {
    case .conflict:
      return SaveConflict(versions: try versionConflicts(error.keys, failure.store))
    case .constraint:
      let conflicts = try ConstraintFinder(context: self, store: failure.store).conflicts()
      return conflicts.isEmpty ? cocoaError(error) : SaveConflict(constraints: conflicts)
    default: return cocoaError(error)
    }
  }

  /// The parts that are kept are saved here too; the others stay unsaved.
  private func incomplete(
    _ failure: StoreWriter.Failure,
    _ plan: SavePlan,
    _ keys: [Int: [ObjectKey]]
  ) -> NSError {
    let kept = Set(failure.committed)
    graph.commit(plan, keys: keys, stores: kept)
    graph.endMerge()
    let failed = plan.batches.keys.filter { !kept.contains($0) }.sorted()
    return MergeErrors.incomplete(
      failed.compactMap { coordinator?.store(at: $0) },
      (graph.inserted + graph.updated + graph.deleted).map(Self.managed),
      failure.cause
    )
  }

  // MARK: Conflicts

  /// Thrown inside a save where the merge policy decides.
  private struct SaveConflict: Error, @unchecked Sendable {
    // Unchecked: thrown and caught on one thread.
    var versions: [NSMergeConflict] = []
    var constraints: [NSConstraintConflict] = []

    var list: [Any] { versions + constraints }
    var error: NSError {
      versions.isEmpty ? MergeErrors.constraints(constraints) : MergeErrors.versions(versions)
    }
  }

  private func resolve(_ conflict: SaveConflict) throws {
    guard let policy = mergePolicy as? NSMergePolicy else { throw conflict.error }
    try graph.merging.readNewest(around: conflict.versions.map { ($0.sourceObject, $0.newerRow) })
    try policy.resolve(mergeConflicts: conflict.list)
    graph.propagateDeletions()
    graph.cutUnsavedLinksToDeleted()
    try graph.merging.pairPartners(by: policy.mergeType.rule ?? .objectTrump)
    try validateChanges()
  }

  private func versionConflicts(
    _ keys: [ObjectKey],
    _ store: any RowStore
  ) throws -> [NSMergeConflict] {
    let stored: FetchedRows
    do { stored = try store.rows(for: keys) } catch { throw cocoaError(error) }
    var places: [UInt64: (chunk: RowChunk, row: Int)] = [:]
    stored.forEach { key, chunk, row in places[registry.identity(key)] = (chunk, row) }
    return keys.map { key in
      // A destination of a link without inverse may not be registered.
      NSMergeConflict(object(for: key), stored: places[registry.identity(key)])
    }
  }

  /// Ends one conflict as the rule says.
  func resolve(_ conflict: NSMergeConflict, by rule: MergeRule) throws {
    let object = conflict.sourceObject
    guard object.registry === registry else { return }
    do {
      try graph.merging.resolve(object, stored: conflict.newerRow, by: rule)
    } catch {
      throw cocoaError(error)
    }
    if !object.isDeleted { object.awake(fromSnapshotEvents: .mergePolicy) }
  }

  /// Makes one object of those that have equal values; the first, or that of the store, survives.
  func resolve(_ conflict: NSConstraintConflict, by rule: MergeRule) throws {
    let objects = conflict.conflictingObjects.filter {
      $0.registry === registry && !$0.isDeleted
    }
    let stored = conflict.databaseObject.flatMap { $0.registry === registry ? $0 : nil }
    guard let survivor = stored ?? objects.first(where: { !$0.isInserted }) ?? objects.first else {
      return
    }
    for object in objects where object !== survivor {
      graph.merging.fold(object, into: survivor, conflict.constraint, by: rule)
    }
    if !survivor.isDeleted { survivor.awake(fromSnapshotEvents: .mergePolicy) }
  }
}
