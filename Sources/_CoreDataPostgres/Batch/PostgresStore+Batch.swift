// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

extension PostgresStore: BatchStore {
  /// Executes a batch request in one transaction.
  ///
  /// The keys of the rows to change or delete are fetched first, in a transaction that sees one moment. If
  /// another transaction has changed one of these rows meanwhile, the request is tried again. An insertion is
  /// not tried again, because its rows come from code of the program.
  package func execute(
    _ work: BatchWork,
    by author: HistoryAuthor,
    beforeCommit body: () throws -> Void
  ) throws -> BatchOutcome {
    if isReadOnly { throw readOnly }
    var attempt = PostgresSaveAttempt(
      end: Date(timeIntervalSinceNow: Double(options.patience) / 1_000)
    )
    if case .insert(let insert) = work {
      try requireConcrete(insert.entity)
      attempt.progress = .unrepeatable
    }
    return try writers.write(path: path) {
      while true {
        do {
          return try pool.use { connection in
            try transaction(work, by: author, through: connection, &attempt, beforeCommit: body)
          }
        } catch let error as StoreError where attempt.canRepeat(error) {
          try pool.pause(attempt.pause)
        }
      }
    }
  }

  private func requireConcrete(_ index: Int) throws {
    let entity = model.entities[index]
    if !entity.isAbstract { return }
    throw StoreError(
      .invalidRequest,
      "the entity \(entity.name) is abstract and cannot have objects; insert objects of a subentity",
      path: path
    )
  }

  private func transaction(
    _ work: BatchWork,
    by author: HistoryAuthor,
    through connection: PostgresConnection,
    _ attempt: inout PostgresSaveAttempt,
    beforeCommit body: () throws -> Void
  ) throws -> BatchOutcome {
    do {
      let mark = connection.marks.next()
      let isInsertion = if case .insert = work { true } else { false }
      try connection.pipelined { pipeline in
        try pipeline.send(isInsertion ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ")
        try pipeline.send(PostgresMarks.write, mark.values)
        try pipeline.send(Self.notify, PostgresFields([.text(writer)]))
      }
      var batch = PostgresBatch(self, connection)
      switch work {
      case .insert(let insert): try batch.insert(insert)
      case .update(let update): try batch.update(update)
      case .delete(let delete): try batch.delete(delete)
      }
      try connection.pipelined { pipeline in
        try pipeline.send("SET CONSTRAINTS ALL IMMEDIATE")
        try batch.history?.write(author, pipeline) { batch.outcome.transaction = $0 }
      }
      try attempt.run(body)
      try commit(connection, mark, &attempt)
      return batch.outcome
    } catch {
      connection.rollBack()
      throw error
    }
  }
}

/// The rows that one batch request changes.
struct PostgresBatch {
  let store: PostgresStore
  let connection: PostgresConnection
  var outcome = BatchOutcome()
  /// Collects the changes; nil if the store has no history.
  var history: PostgresHistoryWriter?

  init(_ store: PostgresStore, _ connection: PostgresConnection) {
    self.store = store
    self.connection = connection
    history = store.hasHistory ? PostgresHistoryWriter(store.layout) : nil
  }

  var model: ModelDefinition { store.model }
  var layout: Layout { store.layout }
  var reads: PostgresReads { store.reads(connection) }

  /// Returns the keys that a fetch matches.
  func keys(_ description: FetchDescription) throws -> [ObjectKey] {
    var description = description
    description.shape = .keys
    guard case .keys(let keys) = try reads.fetch(description) else { return [] }
    return keys
  }

  /// Runs a statement whose last parameter is an array of keys, for blocks of them, and calls `result`.
  func run(
    _ text: String,
    _ values: PostgresFields = PostgresFields(),
    keys numbers: [Int64],
    _ result: (PostgresResult) throws -> Void = { _ in }
  ) throws {
    for block in PostgresReads.blocks(of: numbers) {
      var fields = values
      fields.append(block)
      try result(connection.run(text, fields))
    }
  }

  /// Returns the keys in a result with primary keys and entity numbers.
  func keys(_ result: PostgresResult) throws -> [ObjectKey] {
    try (0..<result.rowCount).map { row in
      try store.reader.key(entityNumber: result.integer(row, 1), result.integer(row, 0))
    }
  }
}
#endif
