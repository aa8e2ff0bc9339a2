// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataPostgres
import _CoreDataStore

/// A store that evaluates in memory the fetches that SQL cannot express, as a context does with
/// `RowOrigin.divided`.
final class DividingStore: RowStore, Sendable {
  let store: PostgresStore

  init(_ store: PostgresStore) { self.store = store }

  var identifier: String { store.identifier }
  var type: String { store.type }
  var model: ModelDefinition { store.model }
  var index: Int { store.index }
  var isReadOnly: Bool { store.isReadOnly }

  func fetch(_ description: FetchDescription) throws -> FetchResult {
    do {
      return try store.fetch(description)
    } catch let error as StoreError where error.code == .inexpressible {
      return try copy().fetch(description)
    }
  }

  /// Returns a copy of all rows in memory.
  private func copy() throws -> MemoryStore {
    try MemoryStore(
      ContentTransfer(of: store, model: model, metadata: StoreMetadata(), lastNumbers: [:]),
      index: index
    )
  }

  func divided(_ description: FetchDescription) throws -> DividedFetch {
    try store.divided(description)
  }
  func rows(for keys: [ObjectKey]) throws -> FetchedRows { try store.rows(for: keys) }
  func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    try store.members(of: owners, slot: slot)
  }
  func related(to owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    try store.related(to: owners, slot: slot)
  }
  func metadata() throws -> StoreMetadata { try store.metadata() }
  func setMetadata(_ metadata: StoreMetadata) throws { try store.setMetadata(metadata) }
  func reserveKeys(for entities: [Int]) throws -> [ObjectKey] {
    try store.reserveKeys(for: entities)
  }
  func save(_ batch: SaveBatch, beforeCommit body: () throws -> Void) throws -> SaveOutcome {
    try store.save(batch, beforeCommit: body)
  }
  func close() { store.close() }
}
#endif
