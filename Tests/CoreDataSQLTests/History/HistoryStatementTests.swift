// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataSQL
import _CoreDataStore

@Suite("Statements of the history")
struct HistoryStatementTests {
  @Test("A range of transactions is a condition with its bound")
  func ranges() {
    let cases: [(HistoryRange, String, [Binding])] = [
      (.all, "", []), (.after(3), " WHERE t.Z_PK > ?", [.integer(3)]),
      (.before(3), " WHERE t.Z_PK < ?", [.integer(3)]),
      (.since(1.5), " WHERE t.ZTIMESTAMP > ?", [.double(1.5)]),
      (.until(1.5), " WHERE t.ZTIMESTAMP < ?", [.double(1.5)]),
    ]
    for (range, condition, bindings) in cases {
      let select = HistoryLayout.selectTransactions(range)
      #expect(select.text.hasSuffix(" FROM ATRANSACTION AS t\(condition) ORDER BY t.Z_PK"))
      #expect(select.bindings == bindings)
      let deletion = HistoryLayout.delete(range)
      #expect(
        deletion.changes.text
          == "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN "
          + "(SELECT t.Z_PK FROM ATRANSACTION AS t\(condition))"
      )
      #expect(deletion.transactions.text == "DELETE FROM ATRANSACTION AS t\(condition)")
      #expect(deletion.changes.bindings == bindings && deletion.transactions.bindings == bindings)
    }
  }

  @Test("Numbers count on from the highest that Z_MAX or a table names")
  func numbers() {
    func highest(_ table: String, _ number: Int) -> String {
      "max(IFNULL((SELECT CAST(Z_MAX AS INTEGER) FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)), 0), "
        + "IFNULL((SELECT max(Z_PK) FROM \(table)), 0))"
    }
    let (changes, transactions) = (highest("ACHANGE", 16_001), highest("ATRANSACTION", 16_002))
    #expect(HistoryLayout.selectLastNumbers.text == "SELECT \(changes), \(transactions)")
    #expect(
      HistoryLayout.selectLastString.text == "SELECT " + highest("ATRANSACTIONSTRING", 16_003)
    )
    #expect(
      HistoryLayout.selectExtent.text
        == "SELECT (SELECT MIN(Z_PK) FROM ATRANSACTION), \(transactions)"
    )
  }

  @Test("A file without a history gets its tables, indexes and numbers; a complete one nothing")
  func completion() {
    let statements = HistorySchema.completion(of: [:], indexes: [], tombstones: 2)
    let tables = statements.map(\.text).filter { $0.hasPrefix("CREATE TABLE") }
    #expect(tables.count == 3)
    #expect(tables.first?.contains("ZTOMBSTONE0 BLOB, ZTOMBSTONE1 BLOB") == true)
    let numbers = statements.filter { $0.text.hasPrefix("INSERT OR IGNORE INTO Z_PRIMARYKEY") }
    #expect(
      numbers.map { $0.bindings.prefix(2) } == [
        [.integer(16_001), .text("CHANGE")], [.integer(16_002), .text("TRANSACTION")],
        [.integer(16_003), .text("TRANSACTIONSTRING")],
      ]
    )
    #expect(!HistorySchema.isComplete([:]))
  }

  @Test("A history without one of its indexes gets that index and nothing else")
  func missingIndexes() {
    let statements = HistorySchema.completion(of: [:], indexes: [], tombstones: 1).map(\.text)
    let indexes = statements.filter { $0.contains(" INDEX ") }
    #expect(indexes.count == 8)
    var columns: [String: [String]] = [:]
    for text in statements where text.hasPrefix("CREATE TABLE") {
      let words = text.split(separator: " ").map(String.init)
      columns[words[2]] = words.filter { $0.hasPrefix("Z") }
    }
    let names = Set(
      indexes.compactMap { $0.split(separator: " ").first { $0.contains("_") }.map(String.init) }
    )
    #expect(names.count == 8)
    func completion(_ indexes: Set<String>) -> [String] {
      HistorySchema.completion(of: columns, indexes: indexes, tombstones: 1).map(\.text)
    }
    #expect(completion(names).isEmpty)
    for name in names {
      let texts = completion(names.subtracting([name]))
      #expect(texts.count == 1 && texts[0].contains(" \(name) ON "), "\(texts)")
    }
    #expect(HistorySchema.isComplete(columns), "a history can be read without its indexes")
  }
}
