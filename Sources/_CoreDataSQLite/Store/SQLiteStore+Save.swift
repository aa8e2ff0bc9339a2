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
        var numbering = Numbering(store: self, connection: connection)
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
    return try pool.write { connection in
      let files = ExternalFiles(options)
      _ = connection.derived.take()
      do {
        let outcome = try connection.transaction(cached: isInOrder(batch) ? .little : .much) {
          var history = try HistoryWriter(store: self, connection: connection)
          try history?.noteDeletions(batch)
          var writer = BatchWriter(store: self, connection: connection, files: files)
          var outcome = try writer.write(batch)
          try history?.note(batch, outcome)
          outcome.transaction = try history?.finish(batch.author)
          outcome.derivedKeys = try connection.derived.take().compactMap { row in
            try layout.entityByNumber[row.entityNumber].map { try key($0, row.number) }
          }
          try files.makeLasting()
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
  /// Rows from which on the pages of a save do not fit the small cache.
  private static let largeSave = 5_000

  /// Whether a large save comes to its pages one after the other, so that none is worth keeping.
  private func isInOrder(_ batch: SaveBatch) -> Bool {
    if batch.inserts.count + batch.updates.count + batch.deletes.count < Self.largeSave
      || history != nil || !batch.links.isEmpty || !batch.orders.isEmpty || !batch.checks.isEmpty
    {
      return false
    }
    func isInOrder(_ keys: some Sequence<ObjectKey>) -> Bool {
      var last = ObjectKey(raw: 0)
      for key in keys {
        if texts.scatters[key.entity] || key.raw < last.raw { return false }
        last = key
      }
      return true
    }
    return batch.inserts.allSatisfy { $0.key.isTemporary && !texts.scatters[$0.key.entity] }
      && isInOrder(batch.updates.lazy.map(\.key)) && isInOrder(batch.deletes.lazy.map(\.key))
  }
}

/// Gives numbers to new rows: `Z_MAX` of each root, moved in the same transaction.
struct Numbering {
  let store: SQLiteStore
  let connection: Connection

  /// Keys for new rows of these entities; the numbers of one root follow each other.
  mutating func keys(for entities: some Sequence<Int>) throws -> [ObjectKey] {
    var counts: [Int: Int64] = [:]
    var total = 0
    for entity in entities {
      total += 1
      guard store.model.entities.indices.contains(entity) else {
        throw StoreError(.invalidRequest, "the store's model has no such entity")
      }
      counts[store.model.entities[entity].root, default: 0] += 1
    }
    var next: [Int: Int64] = [:]
    for (root, count) in counts.sorted(by: { $0.key < $1.key }) {
      next[root] = try reserve(count, root: root)
    }
    var lastRoot = -1
    var number: Int64 = 0
    var keys: [ObjectKey] = []
    keys.reserveCapacity(total)
    for entity in entities {
      let root = store.model.entities[entity].root
      if root != lastRoot {
        next[lastRoot] = number
        number = next[root] ?? 1
        lastRoot = root
      }
      keys.append(try store.key(entity, number))
      number += 1
    }
    return keys
  }

  /// The highest number in use, as an expression over a row of `Z_PRIMARYKEY`.
  ///
  /// Real files have been seen whose `Z_MAX` is behind their rows; damaged ones may have none.
  static func highest(_ root: Int, in layout: Layout) -> String {
    "max(IFNULL(Z_MAX, 0), (SELECT IFNULL(max(Z_PK), 0) FROM \(layout.entities[root].table)))"
  }

  /// The first of `count` numbers.
  private func reserve(_ count: Int64, root: Int) throws -> Int64 {
    let entity = store.layout.entities[root].number
    let update = try connection.statement(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = \(Self.highest(root, in: store.layout)) + ? WHERE Z_ENT = ?"
    )
    try update.bind([.integer(count), .integer(entity)])
    try update.run()
    let select = try connection.statement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
    try select.bind(entity, at: 1)
    guard let maximum = try select.integer() else {
      throw StoreError(.corrupt, "Z_PRIMARYKEY lacks an entity", path: store.options.path)
    }
    return maximum - count + 1
  }
}
