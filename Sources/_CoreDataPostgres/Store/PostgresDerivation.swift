// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

/// The derived attributes of the rows that one save writes, and of the rows that follow them.
struct PostgresDerivation {
  private let writer: PostgresWriter
  private let batch: SaveBatch
  private let keys: [ObjectKey]

  private var connection: PostgresConnection { writer.connection }
  private var store: PostgresStore { writer.store }
  private var derivations: ServerDerivations { store.statements.derivations }

  /// Nil if no attribute of the model is derived.
  init?(_ writer: PostgresWriter, _ batch: SaveBatch, _ keys: [ObjectKey]) {
    if writer.store.statements.derivations.isEmpty { return nil }
    self.writer = writer
    self.batch = batch
    self.keys = keys
  }

  /// Computes the texts that the server cannot compute, and returns all rows with new values.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: one query, and three statements for each followed text whose rows the save writes.
  func finish() throws -> [ObjectKey] {
    var found: Set<ObjectKey> = []
    for (insert, key) in zip(batch.inserts, keys)
    where !derivations.slots[insert.key.entity].isEmpty {
      found.insert(key)
    }
    for update in batch.updates where !derivations.slots[update.key.entity].isEmpty {
      found.insert(update.key)
    }
    for followed in derivations.followed {
      for key in try write(followed) { found.insert(key) }
    }
    let rows = try connection.run(ServerDerivations.reported)
    for row in 0..<rows.rowCount {
      found.insert(try store.reader.key(entityNumber: rows.integer(row, 0), rows.integer(row, 1)))
    }
    return Array(found)
  }

  private func write(_ followed: ServerDerivations.Followed) throws -> [ObjectKey] {
    let family = store.model.entities[followed.entity].family
    let destinations = store.model.entities[followed.destination].family
    var targets: Set<Int64> = []
    var unlinked: [Int64] = []
    func add(_ chunk: RowChunk, _ row: Int, _ key: ObjectKey) throws {
      if chunk.isNull(row, followed.link) {
        unlinked.append(key.number)
      } else {
        targets.insert(try writer.encoder.resolved(chunk.key(row, followed.link)).number)
      }
    }
    for (insert, key) in zip(batch.inserts, keys) {
      if family.contains(key.entity) { try add(insert.chunk, insert.row, key) }
      if destinations.contains(key.entity) { targets.insert(key.number) }
    }
    for update in batch.updates {
      if family.contains(update.key.entity), update.slots.contains(followed.link) {
        try add(update.chunk, update.row, update.key)
      }
      if destinations.contains(update.key.entity), update.slots.contains(followed.source) {
        targets.insert(update.key.number)
      }
    }
    if !unlinked.isEmpty {
      var values = PostgresFields()
      values.append(unlinked)
      try connection.run(followed.clear, values)
    }
    return try targets.isEmpty ? [] : write(followed, targets.sorted())
  }

  private func write(
    _ followed: ServerDerivations.Followed,
    _ targets: [Int64]
  ) throws -> [ObjectKey] {
    var values = PostgresFields()
    values.append(targets)
    let rows = try connection.run(followed.select, values)
    var numbers: [Int64] = []
    var texts: [Data?] = []
    for row in 0..<rows.rowCount {
      numbers.append(rows.integer(row, 0))
      let text = try followed.function.value(of: rows.text(row, 1).map(Value.text) ?? .null)
      if case .text(let folded) = text {
        texts.append(Data(folded.utf8))
      } else {
        texts.append(nil)
      }
    }
    values.removeAll()
    values.append(numbers)
    values.append(texts, of: PostgresType.text)
    let changed = try connection.run(followed.update, values)
    return try (0..<changed.rowCount).map { row in
      try store.reader.key(entityNumber: changed.integer(row, 0), changed.integer(row, 1))
    }
  }
}
#endif
