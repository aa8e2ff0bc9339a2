// SPDX-License-Identifier: Apache-2.0

import _CoreDataStore

extension NSManagedObjectContext {
  /// Merges the changes of a batch request, and schedules the same merge in the children that merge batch
  /// changes automatically.
  ///
  /// Must be called on the context's queue.
  func mergeBatch(_ outcome: BatchOutcome) {
    mergeSaved(
      SavedKeys(
        inserted: outcome.inserted,
        updated: outcome.updated,
        deleted: outcome.deleted
      )
    )
    let all = coordinator?.automaticallyMergesBatchChanges ?? false
    for child in related.children.living where all || child.automaticallyMergesBatchChanges {
      child.queue.async { [outcome] in child.mergeBatch(outcome) }
    }
  }
}
