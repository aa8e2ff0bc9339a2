// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Finds stores for contexts, and reports the writes of one context to the other contexts.
extension NSPersistentStoreCoordinator {
  /// Returns the rows of the store at `index`, for calls in `context`; nil if there is no such store.
  func rowStore(at index: Int, for context: NSManagedObjectContext) -> (any RowStore)? {
    index < 0 ? nil : store(at: index)?.rows(for: context)
  }

  /// Returns the stores that can hold objects of the entity or of one of its subentities.
  func stores(forEntity entity: EntityDefinition) -> [NSPersistentStore] {
    persistentStores.filter { store in
      store.entities.map { entities in entity.family.contains { entities.contains($0) } } ?? true
    }
  }

  // MARK: Custom stores

  private var rowsOfProgram: [any ContextualRows] {
    if !hasStoresOfProgram { return [] }
    return persistentStores.filter(\.isCustom).compactMap { $0.rows as? any ContextualRows }
  }

  /// Passes a request to the custom stores among its `affectedStores`.
  ///
  /// - Returns: the result of the store if there is one such store; an array of the elements of all results
  ///   if there are several; nil if there is no such store.
  /// - Throws: errors of the stores.
  func executeInStoresOfProgram(
    _ request: NSPersistentStoreRequest,
    _ context: NSManagedObjectContext
  ) throws -> Any? {
    let affected = request.affectedStores.map { Set($0.map(\.index)) }
    let stores = rowsOfProgram.filter { affected?.contains($0.index) ?? true }
    let results = try stores.map { try $0.execute(request, in: context) }
    return results.count > 1 ? results.flatMap { $0 as? [Any] ?? [$0] } : results.first
  }

  /// Asks each custom store to save its metadata if the program has set them since the last save.
  ///
  /// - Throws: errors of the stores.
  func saveMetadataOfProgram() throws {
    for rows in rowsOfProgram { try rows.saveMetadataIfNeeded() }
  }

  // MARK: Reports of writes

  /// Notes the changes of a save as unmerged in all contexts except `source`, and schedules a merge in those
  /// contexts that merge automatically.
  func didSave(
    _ saved: SavedObjects,
    by source: NSManagedObjectContext
  ) {
    if saved.isEmpty || isAlone(source) { return }
    let others = contexts.filter { $0 !== source }
    if others.isEmpty { return }
    let changed = (saved.updated + saved.deleted).map(\.key)
    for context in others { context.noteUnmerged(changed) }
    let merging = others.filter(\.automaticallyMergesChangesFromParent)
    if merging.isEmpty { return }
    let keys = saved.keys
    for context in merging { context.scheduleMerge(of: keys) }
  }

  /// Posts remote change notifications for writes of this coordinator, if the options of the store request
  /// them.
  func didWrite(_ writes: [StoreWrite]) {
    for write in writes {
      store(at: write.store)?.remoteChanges.withLock { $0 }?.post(write.transaction)
    }
  }

  // MARK: Batches

  private var batchFollowers: [NSManagedObjectContext] {
    let all = automaticallyMergesBatchChanges
    return contexts.filter { all || $0.automaticallyMergesBatchChanges }
  }

  var hasBatchFollowers: Bool { !batchFollowers.isEmpty }

  /// Notes the updated and deleted objects of a batch as unmerged in all contexts, and merges the outcome
  /// into the contexts that merge batch changes.
  ///
  /// Call this method on the queue of `source`.
  func didExecuteBatch(_ outcome: BatchOutcome, by source: NSManagedObjectContext) {
    if outcome.inserted.isEmpty, outcome.updated.isEmpty, outcome.deleted.isEmpty { return }
    for context in contexts { context.noteUnmerged(outcome.updated + outcome.deleted) }
    for context in batchFollowers {
      if context === source {
        context.mergeBatch(outcome)
      } else {
        context.queue.async { context.mergeBatch(outcome) }
      }
    }
  }
}
