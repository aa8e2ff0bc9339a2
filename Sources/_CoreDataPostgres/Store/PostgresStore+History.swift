// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

extension PostgresStore: HistoryStore {
  package func historyExtent() throws -> HistoryExtent? {
    if !hasHistory { return nil }
    return try readNewest { connection in
      let rows = try connection.run(PostgresHistoryTables.extent)
      if rows.rowCount == 0 { return HistoryExtent(first: nil, last: 0) }
      return HistoryExtent(
        first: rows.isNull(0, 0) ? nil : rows.integer(0, 0),
        last: rows.integer(0, 1)
      )
    }
  }

  package func historyTransactions(_ range: HistoryRange) throws -> [HistoryTransaction] {
    if !hasHistory { return [] }
    let condition = PostgresHistoryTables.condition(range)
    return try readNewest { connection in
      let rows = try connection.run(
        "SELECT z_number, z_time, z_author, z_context, z_bundle, z_process FROM z_transactions "
          + "WHERE \(condition.text) ORDER BY z_number",
        condition.values
      )
      return (0..<rows.rowCount).map { row in
        HistoryTransaction(
          number: rows.integer(row, 0),
          timestamp: rows.double(row, 1),
          author: rows.text(row, 2),
          contextName: rows.text(row, 3),
          bundleID: rows.text(row, 4) ?? "",
          processID: rows.text(row, 5) ?? ""
        )
      }
    }
  }

  package func historyChanges(of transactions: [Int64]) throws -> [HistoryChange] {
    if !hasHistory || transactions.isEmpty { return [] }
    return try readNewest { connection in
      var changes: [HistoryChange] = []
      for block in PostgresReads.blocks(of: transactions) {
        var values = PostgresFields()
        values.append(block)
        let rows = try connection.run(PostgresHistoryTables.changes, values)
        for row in 0..<rows.rowCount {
          if let change = try change(rows, row) { changes.append(change) }
        }
      }
      return changes
    }
  }

  /// Returns the change in a row; nil if the model does not have the entity, or if the kind is unknown.
  private func change(_ rows: PostgresResult, _ row: Int) throws -> HistoryChange? {
    guard let index = layout.entityByNumber[rows.integer(row, 2)],
      let kind = HistoryChange.Kind(rawValue: rows.integer(row, 1))
    else { return nil }
    let entity = model.entities[index]
    let names = (rows.text(row, 5) ?? "").split(separator: ",").map(String.init)
    let slots = names.map { entity.slotByName[$0] }
    let values = kind == .delete ? CompositeRecord.values(rows.data(row, 6) ?? Data()) : []
    return HistoryChange(
      id: rows.integer(row, 0),
      kind: kind,
      key: try reader.key(index, rows.integer(row, 3)),
      transaction: rows.integer(row, 4),
      updated: kind == .update ? SlotSet(slots.compactMap(\.self)) : SlotSet(),
      tombstone: zip(slots, values).compactMap { slot, value in slot.map { ($0, value) } }
    )
  }

  package func deleteHistory(_ range: HistoryRange) throws -> Int {
    if !hasHistory { return 0 }
    if isReadOnly { throw readOnly }
    let condition = PostgresHistoryTables.condition(range)
    return try pool.use { connection in
      try connection.transaction {
        try connection.run(
          "DELETE FROM z_changes WHERE z_number IN "
            + "(SELECT z_number FROM z_transactions WHERE \(condition.text))",
          condition.values
        )
        return try connection.run(
          "DELETE FROM z_transactions WHERE \(condition.text)",
          condition.values
        ).changes
      }
    }
  }
}
#endif
