// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// Creates SQLite stores from the objects of other stores.
extension StoreFiles {
  /// Writes transferred objects to a new store, and calls `body`, which moves the store to this location.
  ///
  /// The new store is written beside this location. The objects keep their keys. Large values are written to
  /// the rows, not to the value folder.
  /// - Throws: `StoreError.cannotOpen` or `.cannotWrite` if the store cannot be written; errors of the content
  ///   and of `body`.
  package func withNewStore<T>(
    _ content: some TransferredContent,
    index: Int,
    entities: Set<String>?,
    _ body: (StoreCopy) throws -> T
  ) throws -> T {
    removeAbandoned()
    let finished = StoreFiles(path: unfinishedPath, timeout: 0)
    let copy = StoreCopy(for: self, finished: finished)
    defer { copy.discard() }
    var options = SQLiteStoreOptions(path: copy.path)
    options.entities = entities
    options.keepsValuesInRows = true
    let store = try SQLiteStore(model: content.model, index: index, options: options)
    defer { store.close() }
    let lastNumbers = try content.forEachBatch { _ = try store.save($0) }
    try store.raiseLastKeys(to: lastNumbers)
    try store.setMetadata(content.metadata)
    store.close()
    return try body(copy)
  }
}

extension SQLiteStore {
  /// Returns, for each root entity, the greatest primary key that was assigned in its hierarchy.
  private func lastKeys(_ connection: Connection) throws -> [Int: Int64] {
    var keys: [Int: Int64] = [:]
    for entity in try PrimaryKeyTable(connection).entities() {
      guard let index = layout.entityByNumber[entity.number] else { continue }
      let root = model.entities[index].root
      keys[root] = max(keys[root] ?? 0, entity.lastKey ?? 0)
    }
    return keys
  }

  /// Returns, for each root entity, the greatest primary key that was assigned in its hierarchy.
  ///
  /// - Throws: `StoreError`.
  package func lastNumbers() throws -> [Int: Int64] { try pool.inspect(lastKeys) }

  /// Runs `body` while no write runs in this store; passes the greatest primary key of each hierarchy.
  ///
  /// The argument of `body` maps root entities to these keys. If `body` returns, the store rejects all
  /// further writes and must be closed.
  /// - Throws: `StoreError.closed` for a closed store; `.invalidRequest` inside a write on this thread;
  ///   errors of `body`.
  package func endingWrites<T>(_ body: ([Int: Int64]) throws -> T) throws -> T {
    try pool.writeLast { connection in try body(lastKeys(connection)) }
  }

  /// Raises the last primary key of each hierarchy to the one in `numbers`, so that new objects get greater
  /// keys.
  fileprivate func raiseLastKeys(to numbers: [Int: Int64]) throws {
    try pool.write { connection in
      try connection.transaction {
        let table = PrimaryKeyTable(connection)
        for entity in try table.entities() {
          guard let index = layout.entityByNumber[entity.number],
            model.entities[index].root == index
          else { continue }
          try table.setLastKey(max(entity.lastKey ?? 0, numbers[index] ?? 0), of: entity.number)
        }
      }
    }
  }
}
