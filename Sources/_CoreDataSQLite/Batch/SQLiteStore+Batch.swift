// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

extension SQLiteStore: BatchStore {
  package func execute(
    _ work: BatchWork,
    by author: HistoryAuthor,
    beforeCommit body: () throws -> Void
  ) throws -> BatchOutcome {
    if isReadOnly { throw readOnly }
    switch work {
    case .insert(let insert): return try self.insert(insert, author, body)
    case .update(let update): return try self.update(update, author, body)
    case .delete(let delete): return try self.delete(delete, author, body)
    }
  }

  /// Returns what the batch is to report; with a history, this includes all changes, because the history
  /// records every changed row.
  private func report(_ wanted: BatchReport) -> BatchReport {
    history == nil ? wanted : wanted.union(.changes)
  }

  private func insert(
    _ insert: BatchInsert,
    _ author: HistoryAuthor,
    _ body: () throws -> Void
  ) throws -> BatchOutcome {
    let entity = model.entities[insert.entity]
    if entity.isAbstract {
      throw StoreError(
        .invalidRequest,
        "the entity \(entity.name) is abstract and cannot have objects; insert objects of a subentity",
        path: options.path
      )
    }
    var insert = insert
    insert.report = report(insert.report)
    return try inTransaction(
      by: author,
      reporting: insert.report,
      cached: writerCache(entity.index),
      beforeCommit: body
    ) { connection, files, history in
      var inserter = BatchInserter(insert, store: self, connection: connection, files: files)
      let outcome = try inserter.run()
      try history?.inserts(outcome.inserted)
      try history?.updates(outcome.updated, SlotSet(entity.storedSlots))
      return outcome
    }
  }

  private func update(
    _ update: BatchUpdate,
    _ author: HistoryAuthor,
    _ body: () throws -> Void
  ) throws -> BatchOutcome {
    var update = update
    update.report = report(update.report)
    let plan = try BatchUpdatePlan(update, planner: planner)
    return try inTransaction(
      by: author,
      reporting: update.report,
      cached: writerCache(update.entity),
      beforeCommit: body
    ) { connection, files, history in
      var outcome = BatchOutcome()
      for statement in plan.replacedFiles {
        try files.discard(connection.statement(statement))
      }
      let owners = try owners(plan, connection)
      outcome.updated = Array(owners.keys)
      let statement = try connection.statement(plan.statement)
      let keys = try changedKeys(statement)
      outcome.count = connection.changes
      if update.report.contains(.keys) { outcome.keys = keys }
      if update.report.contains(.changes) { outcome.updated += keys }
      if keys.isEmpty { return outcome }
      let slots = SlotSet(update.assignments.map(\.slot))
      try history?.updates(keys.filter { owners[$0] == nil }, slots)
      let changed = Set(keys)
      for (owner, toManys) in owners.sorted(by: { $0.key.raw < $1.key.raw }) {
        var all = toManys
        if changed.contains(owner) { all.formUnion(slots) }
        try history?.updates([owner], all)
      }
      return outcome
    }
  }

  /// Returns the objects whose to-manys the update may change, with the slots of these to-manys.
  ///
  /// Must be called before the update runs, because the update overwrites the links to former owners.
  private func owners(
    _ plan: BatchUpdatePlan,
    _ connection: Connection
  ) throws -> [ObjectKey: SlotSet] {
    var owners: [ObjectKey: SlotSet] = [:]
    for (key, slot) in plan.newOwners { owners[key, default: SlotSet()].insert(slot) }
    for (former, slot) in plan.formerOwners {
      for key in try changedKeys(connection.statement(former)) {
        owners[key, default: SlotSet()].insert(slot)
      }
    }
    return owners
  }

  private func delete(
    _ delete: BatchDelete,
    _ author: HistoryAuthor,
    _ body: () throws -> Void
  ) throws -> BatchOutcome {
    var delete = delete
    delete.report = report(delete.report)
    let keepsValues = model.entities[delete.rows.entity].family.contains { entity in
      history?.entities[entity].keepsValues ?? false
    }
    let plan = try BatchDeletePlan(delete, planner: planner, readsRows: keepsValues)
    let cache = plan.direct == nil ? .much : writerCache(delete.rows.entity)
    return try inTransaction(
      by: author,
      reporting: delete.report,
      cached: cache,
      beforeCommit: body
    ) { connection, files, history in
      var deleter = BatchDeleter(
        plan,
        of: delete,
        store: self,
        connection: connection,
        files: files,
        history: history
      )
      let outcome = try deleter.run()
      history = deleter.history
      return outcome
    }
  }

  /// Returns the size of the page cache for a write.
  ///
  /// If the store has no history, and writing a row of the entity changes no other pages (`scatters` is
  /// false), rows are visited in the order of the file, and no page is needed again.
  private func writerCache(_ entity: Int) -> WriterCache {
    history != nil || statements.scatters[entity] ? .much : .little
  }

  /// Runs `work` and then `body` in one transaction.
  ///
  /// After the commit, files that became obsolete are removed; after a rollback, new files are removed. If
  /// the batch reports changes, the rows whose derived attributes were computed by triggers are reported as
  /// updated.
  private func inTransaction(
    by author: HistoryAuthor,
    reporting report: BatchReport,
    cached cache: WriterCache,
    beforeCommit body: () throws -> Void,
    _ work: (Connection, ExternalFiles, inout HistoryWriter?) throws -> BatchOutcome
  ) throws -> BatchOutcome {
    try pool.write { connection in
      let files = ExternalFiles(options, names: valueFolderNames)
      _ = connection.derived.removeAll()
      do {
        let outcome = try connection.transaction(cached: cache) {
          var history = try historyWriter(connection)
          var outcome = try work(connection, files, &history)
          outcome.transaction = try history?.finish(author)
          let derived = connection.derived.removeAll()
          if report.contains(.changes) {
            outcome.updated += try derived.compactMap { row in
              try layout.entityByNumber[row.entityNumber].map { try key($0, row.number) }
            }
          }
          try files.synchronize()
          try body()
          return outcome
        }
        // Which files are obsolete is only certain after the commit.
        files.committed()
        return outcome
      } catch {
        files.rolledBack()
        throw error
      }
    }
  }

  /// Runs a statement that returns `Z_PK` and `Z_ENT` of rows, and returns the keys of these rows.
  func changedKeys(_ statement: PreparedStatement) throws -> [ObjectKey] {
    var keys: [ObjectKey] = []
    try statement.forEach { row in
      keys.append(
        try key(entityNumber: sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 0))
      )
    }
    return keys
  }
}

extension ExternalFiles {
  /// Marks as obsolete the files of all values that a statement returns.
  func discard(_ statement: PreparedStatement) throws {
    try statement.forEach { row in
      if let value = dataColumn(row, 0) { discard(value) }
    }
  }
}
