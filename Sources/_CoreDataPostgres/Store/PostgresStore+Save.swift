// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

extension PostgresStore {
  /// Writes the batch in one transaction.
  ///
  /// A transaction that the server ends because of another one, or whose connection is lost before the commit,
  /// is tried again. If the connection is lost during the commit, the server is asked whether the transaction is
  /// committed, and it is tried again if it is not. `body` is called once.
  package func save(_ batch: SaveBatch, beforeCommit body: () throws -> Void) throws -> SaveOutcome
  {
    if isReadOnly { throw readOnly }
    if batch.isEmpty {
      try body()
      return SaveOutcome()
    }
    return try writers.write(path: path) { try write(batch, beforeCommit: body) }
  }

  private func write(
    _ batch: SaveBatch,
    beforeCommit body: () throws -> Void
  ) throws -> SaveOutcome {
    var keys = try permanentKeys(batch)
    var attempt = PostgresSaveAttempt(
      end: Date(timeIntervalSinceNow: Double(options.patience) / 1_000)
    )
    while true {
      do {
        let written = try pool.use {
          try save(batch, keys: keys, through: $0, &attempt, beforeCommit: body)
        }
        var outcome = SaveOutcome(insertedKeys: keys)
        outcome.transaction = written.number
        outcome.derivedKeys = written.derivedKeys
        return outcome
      } catch let error as StoreError where attempt.canRepeat(error) {
        try pool.pause(attempt.pause)
        // The server that answers next may be another one, which has not reserved the keys.
        if error.isLossOfServer { keys = try permanentKeys(batch) }
      } catch let error as StoreError {
        throw try explained(error, batch, keys)
      }
    }
  }

  private func permanentKeys(_ batch: SaveBatch) throws -> [ObjectKey] {
    var keys = batch.inserts.map(\.key)
    let temporary = keys.indices.filter { keys[$0].isTemporary }
    let made = try reserveKeys(for: temporary.map { keys[$0].entity })
    for (position, key) in zip(temporary, made) { keys[position] = key }
    return keys
  }

  private func save(
    _ batch: SaveBatch,
    keys: [ObjectKey],
    through connection: PostgresConnection,
    _ attempt: inout PostgresSaveAttempt,
    beforeCommit body: () throws -> Void
  ) throws -> PostgresWriter.Written {
    let writer = PostgresWriter(self, connection, batch, keys: keys, writesMany: attempt.writesMany)
    do {
      let written = try writer.write(batch)
      try attempt.run(body)
      try commit(connection, written.mark, &attempt)
      return written
    } catch {
      connection.rollBack()
      throw error
    }
  }

  // MARK: Errors

  /// Returns the error with the keys of the objects to which it applies, as far as they can be found out.
  ///
  /// After an error because of another save, reads see that save.
  private func explained(
    _ error: StoreError,
    _ batch: SaveBatch,
    _ keys: [ObjectKey]
  ) throws -> StoreError {
    if error.code == .constraint || error.code == .conflict { try standbys?.seePresent() }
    if error.code == .constraint, error.message.contains("(z_pk)=") {
      let present: [ObjectKey] = try pool.read { connection in
        try self.present(batch.inserts.map(\.key).filter { !$0.isTemporary }, connection)
      }
      return conflict(present, batch, instead: error)
    }
    if error.code == .conflict, error.serverCode == "23503" {
      let referred = references(of: batch)
      let present: Set<UInt64> = try pool.read { Set(try self.present(referred, $0).map(\.raw)) }
      return conflict(referred.filter { !present.contains($0.raw) }, batch, instead: error)
    }
    return error
  }

  private func conflict(
    _ keys: [ObjectKey],
    _ batch: SaveBatch,
    instead error: StoreError
  ) -> StoreError {
    if keys.isEmpty { return error }
    var found = error
    found.code = .conflict
    found.keys = keys
    let names = Set(keys.map { model.entities[$0.entity].name }).sorted(by: utf8Less)
    found.message =
      "another save has deleted or inserted \(CellText.objects(Set(keys).count)) "
      + "(\(names.joined(separator: ", "))) of this save; refresh the objects, or set a merge policy, and save "
      + "again"
    return found
  }

  private func present(
    _ keys: [ObjectKey],
    _ connection: PostgresConnection
  ) throws -> [ObjectKey] {
    var found: [ObjectKey] = []
    for (entity, own) in Dictionary(grouping: keys, by: \.entity).sorted(by: { $0.key < $1.key }) {
      var values = PostgresFields()
      values.append(own.map(\.number))
      let rows = try connection.run(statements.present(entity), values)
      let numbers = Set((0..<rows.rowCount).map { rows.integer($0, 0) })
      found += own.filter { numbers.contains($0.number) }
    }
    return found
  }

  /// Returns the permanent keys to which the rows and links of a batch refer.
  private func references(of batch: SaveBatch) -> [ObjectKey] {
    var keys: Set<ObjectKey> = []
    func add(_ chunk: RowChunk, _ row: Int, _ slots: some Sequence<Int>) {
      for slot in slots where chunk.layout.kinds[slot] == .reference && !chunk.isNull(row, slot) {
        keys.insert(chunk.key(row, slot))
      }
    }
    for insert in batch.inserts {
      add(insert.chunk, insert.row, model.entities[insert.key.entity].toOneSlots)
    }
    for update in batch.updates { add(update.chunk, update.row, update.slots) }
    for link in batch.links { keys.formUnion(link.added + [link.owner]) }
    return keys.filter { !$0.isTemporary }.sorted { $0.raw < $1.raw }
  }
}

#endif
