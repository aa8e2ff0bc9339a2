// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// The rows of an incremental store, for the calls of one context on the context's queue.
///
/// The store's class receives this context and, in a save, the objects of this context.
final class IncrementalView: ContextView, @unchecked Sendable {
  // Unchecked: the view is used only on the context's queue.
  let context: NSManagedObjectContext
  let all: IncrementalRows
  private let request: NSFetchRequest<NSFetchRequestResult>?

  init(
    _ all: IncrementalRows,
    _ context: NSManagedObjectContext,
    _ request: NSFetchRequest<NSFetchRequestResult>?
  ) {
    self.all = all
    self.context = context
    self.request = request
  }

  // MARK: Fetching

  /// Passes the fetch to the store's class.
  ///
  /// A fetch of rows returns keys, because the class returns objects without their values. The values are
  /// read when a fault fires. Source: documented, “execute(_:with:)”.
  func fetch(_ description: FetchDescription) throws -> FetchResult {
    try description.control?.check()
    let fetch = IncrementalFetch(description, all.frozen, like: request)
    return try all.calling { store in
      let found = try store.execute(fetch.request(for: store), with: context)
      try description.control?.check()
      let result = try fetch.result(of: found, in: context, from: store)
      if case .keys(let keys) = result { description.control?.reportRows(keys.count) }
      return result
    }
  }

  // MARK: Objects

  func rows(for keys: [ObjectKey]) throws -> FetchedRows {
    try all.calling { store in
      var reader = IncrementalReader(store, all.frozen, context, count: keys.count)
      for key in keys {
        guard let node = try reader.node(of: key) else { continue }
        let version = all.versions.version(of: identity(key), node: node.version)
        try reader.append(node, of: key, version: version)
      }
      return reader.rows
    }
  }

  func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    try all.calling { store in
      let reader = IncrementalReader(store, all.frozen, context)
      return try owners.map { try reader.members(of: $0, slot) }
    }
  }

  // MARK: Saving

  /// Writes the changes of the context's objects whose keys `batch` contains.
  func save(_ batch: SaveBatch, beforeCommit body: () throws -> Void) throws -> SaveOutcome {
    func objects(_ keys: some Sequence<ObjectKey>) -> [NSManagedObject] {
      keys.map { context.object(for: $0) }
    }
    let changes = IncrementalChanges(
      inserted: objects(batch.inserts.lazy.map(\.key)),
      updated: objects(batch.updates.lazy.map(\.key)),
      deleted: objects(batch.deletes.lazy.map(\.key)),
      locked: objects(batch.checks.lazy.filter { $0.expectedVersion != nil }.map(\.key))
    )
    return try write(changes, of: batch, beforeCommit: body)
  }

  /// Checks the versions in `batch`, and passes the changes to the store's class.
  ///
  /// `body` runs before the class writes, because a class writes and commits in one call.
  /// - Throws: `StoreError.conflict` if another save has changed or deleted a row, or if the class throws an
  ///   error with merge conflicts; other errors of the class.
  func write(
    _ changes: IncrementalChanges,
    of batch: SaveBatch,
    beforeCommit body: () throws -> Void
  ) throws -> SaveOutcome {
    try all.calling { store in
      try all.checkWritable(store)
      try check(batch)
      try body()
      let request = changes.request
      request.affectedStores = [store]
      do {
        _ = try store.execute(request, with: context)
      } catch {
        let objects = CustomStoreErrors.conflictingObjects(of: error)
        if objects.isEmpty { throw error }
        throw StoreError(
          .conflict,
          (error as NSError).localizedFailureReason ?? error.localizedDescription,
          keys: objects.map(\.key)
        )
      }
      // A store saves its metadata with each save request, so they need no request of their own.
      _ = store.consumeUnsavedMetadata()
      record(changes, batch)
      return SaveOutcome(insertedKeys: changes.inserted.map(\.key))
    }
  }

  private func record(_ changes: IncrementalChanges, _ batch: SaveBatch) {
    for object in changes.inserted {
      all.versions.remove(identity(object.key))
      all.versions.recordSave(of: identity(object.key))
    }
    // When a batch is replayed, `changes` also contains the partners of the updated objects. The save does
    // not increase their versions.
    for object in changes.updated { all.versions.forgetNode(of: identity(object.key)) }
    for update in batch.updates { all.versions.recordSave(of: identity(update.key)) }
    for delete in batch.deletes { all.versions.remove(identity(delete.key)) }
  }

  private func check(_ batch: SaveBatch) throws {
    var conflicts: [ObjectKey] = []
    func check(_ key: ObjectKey, _ expected: Int64?, needsRow: Bool) throws {
      if let expected {
        if all.versions.version(of: identity(key)) != expected { conflicts.append(key) }
      } else if needsRow, all.versions.version(of: identity(key)) == nil,
        try rows(for: [key]).keys.isEmpty
      {
        conflicts.append(key)
      }
    }
    for update in batch.updates {
      try check(update.key, update.expectedVersion, needsRow: update.needsRow)
    }
    for delete in batch.deletes {
      try check(delete.key, delete.expectedVersion, needsRow: false)
    }
    for row in batch.checks { try check(row.key, row.expectedVersion, needsRow: true) }
    if conflicts.isEmpty { return }
    throw StoreError(
      .conflict,
      "another save has changed or deleted \(CellText.objects(Set(conflicts).count)) of this save; refresh the "
        + "objects, or set a merge policy, and save again",
      keys: conflicts
    )
  }

  private func identity(_ key: ObjectKey) -> UInt64 {
    key.with(entity: model.entities[key.entity].root).raw
  }
}

/// The objects of one save in an incremental store.
struct IncrementalChanges {
  var inserted: [NSManagedObject]
  var updated: [NSManagedObject]
  var deleted: [NSManagedObject]
  var locked: [NSManagedObject] = []

  var request: NSSaveChangesRequest {
    NSSaveChangesRequest(
      inserted: Set(inserted),
      updated: Set(updated),
      deleted: Set(deleted),
      locked: Set(locked)
    )
  }
}
