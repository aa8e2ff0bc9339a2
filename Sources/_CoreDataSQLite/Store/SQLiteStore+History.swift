// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

extension SQLiteStore: HistoryStore {
  package var hasHistory: Bool { history != nil }

  package func historyExtent() throws -> HistoryExtent? {
    if history == nil { return nil }
    return try pool.read { connection in
      let statement = try connection.statement(HistoryLayout.selectExtent)
      var extent = HistoryExtent(first: nil, last: 0)
      try statement.forEach { row in
        let isEmpty = sqlite3_column_type(row, 0) == SQLITE_NULL
        extent = HistoryExtent(
          first: isEmpty ? nil : sqlite3_column_int64(row, 0),
          last: sqlite3_column_int64(row, 1)
        )
      }
      return extent
    }
  }

  package func historyTransactions(_ range: HistoryRange) throws -> [HistoryTransaction] {
    if history == nil { return [] }
    return try pool.read { connection in
      let statement = try connection.statement(HistoryLayout.selectTransactions(range))
      var transactions: [HistoryTransaction] = []
      try statement.forEach { row in
        transactions.append(
          HistoryTransaction(
            number: sqlite3_column_int64(row, 0),
            timestamp: sqlite3_column_double(row, 1),
            author: textColumn(row, 2),
            contextName: textColumn(row, 3),
            bundleID: textColumn(row, 4) ?? "",
            processID: textColumn(row, 5) ?? ""
          )
        )
      }
      return transactions
    }
  }

  package func historyChanges(of transactions: [Int64]) throws -> [HistoryChange] {
    guard let history, !transactions.isEmpty else { return [] }
    return try pool.read { connection in
      let statement = try connection.statement(history.selectChanges)
      try statement.bind([.text(JSONList.text(transactions))])
      var changes: [HistoryChange] = []
      try statement.forEach { row in
        if let change = try change(row, history) { changes.append(change) }
      }
      return changes
    }
  }

  func historyWriter(_ connection: Connection) throws -> HistoryWriter? {
    try history.map { try HistoryWriter($0, layout, connection) }
  }

  /// Returns the change that a row of the history describes; nil if the model does not have the entity, or if
  /// the kind of change is unknown.
  private func change(_ row: OpaquePointer, _ history: HistoryLayout) throws -> HistoryChange? {
    guard let entity = layout.entityByNumber[sqlite3_column_int64(row, 2)],
      let kind = HistoryChange.Kind(rawValue: sqlite3_column_int64(row, 1))
    else { return nil }
    let place = history.entities[entity]
    var tombstone: [(slot: Int, value: Value)] = []
    if kind == .delete {
      for (index, column) in place.kept.prefix(history.tombstones).enumerated() {
        guard let column else { continue }
        let value = DictionaryReader.value(column.kind, row, Int32(6 + index))
        if !value.isNull { tombstone.append((column.slot, value)) }
      }
    }
    return HistoryChange(
      id: sqlite3_column_int64(row, 0),
      kind: kind,
      key: try key(entity, sqlite3_column_int64(row, 3)),
      transaction: sqlite3_column_int64(row, 4),
      updated: kind == .update ? dataColumn(row, 5).map(place.slots) ?? SlotSet() : SlotSet(),
      tombstone: tombstone
    )
  }

  package func deleteHistory(_ range: HistoryRange) throws -> Int {
    if history == nil { return 0 }
    if isReadOnly { throw readOnly }
    return try pool.write { connection in
      try connection.transaction {
        let deletion = HistoryLayout.delete(range)
        try connection.statement(deletion.changes).run()
        try connection.statement(deletion.transactions).run()
        let transactions = connection.changes
        try connection.statement(deletion.names).run()
        return transactions
      }
    }
  }
}
