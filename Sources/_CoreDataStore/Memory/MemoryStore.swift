// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel

/// A store in memory; chunks contain its rows, and lists contain the members of its to-manys.
///
/// A read uses a snapshot, so it blocks neither other reads nor saves. A read that begins during a save returns
/// the rows as they were before the save. The content is lost when the store is closed.
/// Source: documented, “NSInMemoryStoreType”.
package final class MemoryStore: RowStore {
  struct Content {
    var state: MemoryState
    /// Counter → the last primary key that it has assigned; a counter assigns no primary key twice.
    var numbers: [Int64]
    var metadata: StoreMetadata
    var isClosed = false
  }

  package let identifier: String
  package let type: String
  package let model: ModelDefinition
  package let index: Int
  package let isReadOnly = false
  let schema: MemorySchema
  let content: Mutex<Content>
  /// A save holds this lock from its checks to its commit, and the lock of `content` only briefly, so that
  /// reads need not wait for the save.
  let writing = MemoryWriting()

  /// Creates an empty store.
  package init(
    model: ModelDefinition,
    index: Int,
    identifier: String = UUID().uuidString
  ) {
    self.model = model
    self.index = index
    self.identifier = identifier
    type = "InMemory"
    schema = MemorySchema(model)
    var metadata = StoreMetadata.initial(model, type: type)
    metadata.values[StoreMetadata.uuidKey] = identifier
    content = Mutex(
      Content(
        state: MemoryState(schema: schema, index: index),
        numbers: Array(repeating: 0, count: model.entities.count),
        metadata: metadata
      )
    )
  }

  /// Creates a store with the content of a file, in which no two objects have the same number.
  ///
  /// - Throws: `.constraint` with the keys of objects that violate a uniqueness constraint.
  package init(
    model: ModelDefinition,
    index: Int,
    type: String,
    content stored: StoredContent
  ) throws {
    self.model = model
    self.index = index
    self.type = type
    identifier = stored.identifier
    schema = MemorySchema(model, sharesNumbers: true)
    var state = MemoryState(schema: schema, index: index)
    var numbers = Array(repeating: Int64(0), count: model.entities.count)
    var writer = MemoryWriter(schema: schema, batch: stored.objects)
    try writer.checkConstraints(state)
    _ = writer.write(&state, numbers: &numbers)
    if !numbers.isEmpty { numbers[0] = stored.lastNumber }
    content = Mutex(Content(state: state, numbers: numbers, metadata: stored.metadata))
  }

  /// Creates a store with the objects of another store, which keep their keys.
  ///
  /// `index` is the index of the new store in the keys. `numbers` contains the objects whose numbers in the
  /// new store's file differ from those in their keys; it is nil if each hierarchy is numbered separately.
  /// - Throws: `.constraint` with the keys of objects that violate a uniqueness constraint.
  package init(
    _ transfer: ContentTransfer,
    index: Int,
    type: String = "InMemory",
    identifier: String = UUID().uuidString,
    numbers fileNumbers: FileNumbers? = nil
  ) throws {
    model = transfer.model
    self.index = index
    self.type = type
    self.identifier = identifier
    schema = MemorySchema(model, sharesNumbers: fileNumbers != nil)
    var state = MemoryState(schema: schema, index: index)
    var numbers = model.entities.map { transfer.lastNumbers[$0.index] ?? 0 }
    var writer = MemoryWriter(schema: schema, batch: transfer.objects)
    try writer.checkConstraints(state)
    for key in writer.write(&state, numbers: &numbers) {
      let root = model.entities[key.entity].root
      numbers[root] = max(numbers[root], key.number)
    }
    if let fileNumbers { numbers[0] = max(numbers.max() ?? 0, fileNumbers.last) }
    var metadata = StoreMetadata.initial(model, type: type).replacingOwn(by: transfer.metadata)
    metadata.values[StoreMetadata.uuidKey] = identifier
    content = Mutex(Content(state: state, numbers: numbers, metadata: metadata))
  }

  /// Creates a store that reads a snapshot of another store.
  init(reading snapshot: MemorySnapshot) {
    model = snapshot.schema.model
    index = snapshot.state.index
    type = "InMemory"
    identifier = ""
    schema = snapshot.schema
    content = Mutex(
      Content(
        state: snapshot.state,
        numbers: Array(repeating: 0, count: snapshot.schema.model.entities.count),
        metadata: StoreMetadata()
      )
    )
  }

  package func metadata() throws -> StoreMetadata {
    try content.withLock { content in
      try checkOpen(content)
      return content.metadata
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
        let counter = schema.counters[model.entities[entity].root]
        content.numbers[counter] += 1
        let number = content.numbers[counter]
        guard let key = ObjectKey(store: index, entity: entity, number: number) else {
          throw StoreError(
            .engine,
            schema.keyFailure(store: index, entity: entity, number: number)
          )
        }
        return key
      }
    }
  }

  private func snapshot() throws -> MemorySnapshot {
    try content.withLock { content in
      try checkOpen(content)
      return MemorySnapshot(state: content.state, schema: schema)
    }
  }

  func checkOpen(_ content: borrowing Content) throws {
    if content.isClosed {
      throw StoreError(
        .closed,
        type == "InMemory"
          ? "the in-memory store \(identifier) was removed from the coordinator, so the store's objects are "
            + "lost; add a new store"
          : "the store with the UUID \(identifier) was removed from its coordinator; add it again"
      )
    }
  }
}
