// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

extension SQLiteStore {
  package func reserveKeys(for entities: [Int]) throws -> [ObjectKey] {
    if isReadOnly { throw readOnly }
    if entities.isEmpty { return [] }
    return try pool.write { connection in
      try connection.transaction {
        let numbering = Numbering(store: self, connection: connection)
        return try numbering.keys(for: entities)
      }
    }
  }

  package func save(
    _ batch: SaveBatch,
    beforeCommit body: () throws -> Void
  ) throws -> SaveOutcome {
    if isReadOnly { throw readOnly }
    if batch.isEmpty {
      try body()
      return SaveOutcome()
    }
    let files = savedFiles
    return try pool.write { connection in
      connection.derived.discardAll()
      do {
        let outcome = try connection.transaction(cached: isInOrder(batch) ? .little : .much) {
          var history = try historyWriter(connection)
          try history?.recordDeletions(batch)
          var writer = BatchWriter(store: self, connection: connection, files: files)
          var outcome = try writer.write(batch)
          try history?.note(batch, outcome)
          outcome.transaction = try history?.finish(batch.author)
          if !connection.derived.isEmpty {
            outcome.derivedKeys = try connection.derived.removeAll().compactMap { row in
              try layout.entityByNumber[row.entityNumber].map { try key($0, row.number) }
            }
          }
          try files.synchronize()
          try body()
          return outcome
        }
        files.committed()
        return outcome
      } catch {
        files.rolledBack()
        throw error
      }
    }
  }
}

extension SQLiteStore {
  /// The number of rows at which the pages of a save no longer fit into the small page cache.
  private static let largeSave = 5_000

  /// Returns whether the save is large and writes rows in the order of their pages.
  ///
  /// Such a save does not visit a page twice, so a large page cache is useless.
  private func isInOrder(_ batch: SaveBatch) -> Bool {
    if batch.rowCount < Self.largeSave || history != nil || !batch.links.isEmpty
      || !batch.orders.isEmpty || !batch.checks.isEmpty
    {
      return false
    }
    func isInOrder(_ keys: some Sequence<ObjectKey>) -> Bool {
      var last = ObjectKey(raw: 0)
      for key in keys {
        if statements.scatters[key.entity] || key.raw < last.raw { return false }
        last = key
      }
      return true
    }
    return batch.inserts.allSatisfy { $0.key.isTemporary && !statements.scatters[$0.key.entity] }
      && isInOrder(batch.updates.lazy.map(\.key)) && isInOrder(batch.deletes.lazy.map(\.key))
  }
}

/// Assigns primary keys to new rows.
///
/// Must be used inside a transaction.
struct Numbering {
  let store: SQLiteStore
  let connection: Connection

  /// Returns the keys for new rows of `entities`, in the same order; the primary keys of one root entity are
  /// consecutive.
  ///
  /// - Throws: `StoreError.invalidRequest` for an entity that the model does not have; `.corrupt` if no
  ///   primary key is left, or if `Z_PRIMARYKEY` has no row for a root entity.
  func keys(for entities: some Sequence<Int>) throws -> [ObjectKey] {
    var total = 0
    var onlyRoot = -1
    var isMixed = false
    for entity in entities {
      guard store.model.entities.indices.contains(entity) else { throw noEntity(entity) }
      let root = store.model.entities[entity].root
      if total == 0 { onlyRoot = root } else if root != onlyRoot { isMixed = true }
      total += 1
    }
    if total == 0 { return [] }
    if isMixed { return try keys(for: entities, count: total) }
    var number = try reserve(Int64(total), root: onlyRoot)
    var keys: [ObjectKey] = []
    keys.reserveCapacity(total)
    for entity in entities {
      keys.append(try store.newKey(entity, number))
      number &+= 1
    }
    return keys
  }

  /// Returns keys for rows of several hierarchies.
  private func keys(for entities: some Sequence<Int>, count: Int) throws -> [ObjectKey] {
    var counts: [Int: Int64] = [:]
    for entity in entities { counts[store.model.entities[entity].root, default: 0] += 1 }
    var next: [Int: Int64] = [:]
    for (root, count) in counts.sorted(by: { $0.key < $1.key }) {
      next[root] = try reserve(count, root: root)
    }
    var lastRoot = -1
    var number: Int64 = 0
    var keys: [ObjectKey] = []
    keys.reserveCapacity(count)
    for entity in entities {
      let root = store.model.entities[entity].root
      if root != lastRoot {
        next[lastRoot] = number
        number = next[root] ?? 1
        lastRoot = root
      }
      keys.append(try store.newKey(entity, number))
      number += 1
    }
    return keys
  }

  private func reserve(_ count: Int64, root: Int) throws -> Int64 {
    try connection.writing.keyBlocks.take(count, root: root) {
      try PrimaryKeyTable(connection).reserve(
        $0,
        by: store.statements.reservations[root],
        named: store.model.entities[root].name
      )
    }
  }

  private func noEntity(_ index: Int) -> StoreError {
    StoreError(
      .invalidRequest,
      "no primary key can be assigned to a new object, because the store's model has no entity with the "
        + "index \(index)",
      path: connection.path
    )
  }
}
