// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Finds stores for contexts, and reports the writes of one context to the other contexts.
extension NSPersistentStoreCoordinator {
  func rowStore(at index: Int) -> (any RowStore)? { index < 0 ? nil : store(at: index)?.rows }

  /// Returns the stores that can hold objects of the entity or of one of its subentities.
  func stores(forEntity entity: EntityDefinition) -> [NSPersistentStore] {
    persistentStores.filter { store in
      store.entities.map { entities in entity.family.contains { entities.contains($0) } } ?? true
    }
  }

  // MARK: Reports of writes

  /// Notes the changes of a save as unmerged in all contexts except `source`, and schedules a merge in those
  /// contexts that merge automatically.
  func didSave(
    _ saved: SavedObjects,
    by source: NSManagedObjectContext
  ) {
    if saved.isEmpty { return }
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
