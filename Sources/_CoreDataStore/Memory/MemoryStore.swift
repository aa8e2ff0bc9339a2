// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel

/// A store in memory; chunks contain its rows, and lists contain the members of its to-manys.
///
/// A read uses a snapshot, so it blocks neither other reads nor saves; but a read that begins during a save
/// waits until the save ends. The content is lost when the store is closed.
/// Source: documented, “NSInMemoryStoreType”.
package final class MemoryStore: RowStore {
  private struct Content {
    var state: MemoryState
    /// Root entity → the last primary key assigned; no primary key is assigned twice.
    var numbers: [Int64]
    var metadata: StoreMetadata
    var isClosed = false
  }

  package let identifier: String
  package let type = "InMemory"
  package let model: ModelDefinition
  package let index: Int
  package let isReadOnly = false
  private let schema: MemorySchema
  private let content: Mutex<Content>

  /// Creates an empty store.
  package init(
    model: ModelDefinition,
    index: Int,
    identifier: String = UUID().uuidString
  ) {
    self.model = model
    self.index = index
    self.identifier = identifier
    schema = MemorySchema(model)
    content = Mutex(
      Content(
        state: MemoryState(schema: schema, index: index),
        numbers: Array(repeating: 0, count: model.entities.count),
        metadata: Self.metadata(model, identifier)
      )
    )
  }

  package func metadata() throws -> StoreMetadata {
    try content.withLock { content in
      try checkOpen(content)
      return content.metadata
    }
  }

  package func setMetadata(_ metadata: StoreMetadata) throws {
    try content.withLock { content in
      try checkOpen(content)
      var merged = Self.metadata(model, identifier)
      for (key, value) in metadata.values where merged.values[key] == nil {
        merged.values[key] = value
      }
      content.metadata = merged
    }
  }

  package func fetch(_ description: FetchDescription) throws -> FetchResult {
    try MemoryFetch(snapshot(), description).result()
  }

  package func divided(_ description: FetchDescription) throws -> DividedFetch {
    let check = KeyPathCheck(model: model, entity: model.entities[description.entity])
    let expressesOrder = try DividedFetch.canExpress { try check.check(order: description.order) }
    return try DividedFetch(description, expressesOrder: expressesOrder) { condition in
      try DividedFetch.canExpress { try check.forConditions.check(condition) }
    }
  }

  package func rows(for keys: [ObjectKey]) throws -> FetchedRows {
    var copier = MemoryRows(try snapshot().state)
    for key in keys { copier.add(model.entities[key.entity].root, key.number) }
    return copier.rows
  }

  package func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    let state = try snapshot().state
    return owners.map { owner in
      guard let relation = schema.relation(owner.entity, slot) else { return [] }
      let root = schema.relations[relation].memberRoot
      return (state.members[relation][owner.number] ?? []).compactMap { state.key(root, $0) }
    }
  }

  package func reserveKeys(for entities: [Int]) throws -> [ObjectKey] {
    try content.withLock { content in
      try checkOpen(content)
      return try entities.map { entity in
        let root = model.entities[entity].root
        content.numbers[root] += 1
        guard let key = ObjectKey(store: index, entity: entity, number: content.numbers[root])
        else {
          throw StoreError(
            .engine,
            schema.keyFailure(store: index, entity: entity, number: content.numbers[root])
          )
        }
        return key
      }
    }
  }

  package func save(
    _ batch: SaveBatch,
    beforeCommit body: () throws -> Void
  ) throws -> SaveOutcome {
    try content.withLock { content in
      try checkOpen(content)
      var writer = MemoryWriter(schema: schema, batch: batch)
      try writer.check(content.state)
      try writer.checkConstraints(content.state)
      try body()
      return SaveOutcome(
        insertedKeys: writer.write(&content.state, numbers: &content.numbers)
      )
    }
  }

  package func close() {
    content.withLock { content in
      content.isClosed = true
      content.state = MemoryState(schema: schema, index: index)
    }
  }

  private func snapshot() throws -> MemorySnapshot {
    try content.withLock { content in
      try checkOpen(content)
      return MemorySnapshot(state: content.state, schema: schema)
    }
  }

  private func checkOpen(_ content: borrowing Content) throws {
    if content.isClosed {
      throw StoreError(
        .closed,
        "the in-memory store \(identifier) was removed from the coordinator, so the store's objects are "
          + "lost; add a new store"
      )
    }
  }

  private static func metadata(_ model: ModelDefinition, _ identifier: String) -> StoreMetadata {
    let hashes = ModelHashes(model: model)
    return StoreMetadata([
      StoreMetadata.typeKey: "InMemory",
      StoreMetadata.uuidKey: identifier,
      StoreMetadata.hashesKey: hashes.byEntity,
      StoreMetadata.hashesVersionKey: 3,
      StoreMetadata.hashesDigestKey: hashes.digest,
      StoreMetadata.checksumKey: hashes.checksum,
      StoreMetadata.identifiersKey: model.versionIdentifiers,
    ])
  }
}
