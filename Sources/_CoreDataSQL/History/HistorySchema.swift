// SPDX-License-Identifier: Apache-2.0

/// The tables of a persistent history, as Apple's framework creates them.
///
/// Source: observed, six stores (framework versions 1044 to 1340).
package enum HistorySchema {
  package static let transactions = "ATRANSACTION"
  package static let changes = "ACHANGE"
  package static let strings = "ATRANSACTIONSTRING"
  /// The entity numbers (`Z_ENT`) of changes, transactions and strings.
  package static let changeNumber = PrimaryKeys.firstReservedNumber + 1
  package static let transactionNumber = PrimaryKeys.firstReservedNumber + 2
  package static let stringNumber = PrimaryKeys.firstReservedNumber + 3

  /// Returns the name of the tombstone column at an index.
  package static func tombstone(_ index: Int) -> String { "ZTOMBSTONE\(index)" }

  /// Returns the statements that add the missing tables, columns, indexes and entity numbers of a history to
  /// a file.
  ///
  /// Returns an empty array if no table and no column is missing. `stored` contains the column names of each
  /// table in the file. `tombstones` is the number of tombstone columns that the history needs.
  package static func completion(
    of stored: [String: [String]],
    tombstones: Int
  ) -> [Statement] {
    var texts: [String] = []
    for (table, columns) in tables(tombstones) {
      if let there = stored[table] {
        for (name, type) in columns where !there.contains(name) {
          texts.append("ALTER TABLE \(table) ADD COLUMN \(name) \(type)")
        }
      } else {
        let list = columns.map { ", \($0.name) \($0.type)" }.joined()
        texts.append("CREATE TABLE \(table) ( Z_PK INTEGER PRIMARY KEY\(list) )")
      }
    }
    if texts.isEmpty { return [] }
    texts += indexes
    let numbers = [
      (changeNumber, "CHANGE"), (transactionNumber, "TRANSACTION"),
      (stringNumber, "TRANSACTIONSTRING"),
    ]
    return texts.map { Statement(text: $0) }
      + numbers.map { number, name in PrimaryKeys.insertIfMissing(number, name: name) }
  }

  /// Returns whether a file has all tables and columns of a history, not counting tombstone columns.
  package static func isComplete(_ stored: [String: [String]]) -> Bool {
    completion(of: stored, tombstones: 0).isEmpty
  }

  private static func tables(
    _ tombstones: Int
  ) -> [(name: String, columns: [(name: String, type: String)])] {
    let common = [("Z_ENT", "INTEGER"), ("Z_OPT", "INTEGER")]
    let texts = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]
    return [
      (
        changes,
        common
          + ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"].map { ($0, "INTEGER") }
          + [("ZCOLUMNS", "BLOB")] + (0..<tombstones).map { (tombstone($0), "BLOB") }
      ),
      (
        transactions,
        common + texts.map { ($0 + "TS", "INTEGER") } + [("ZTIMESTAMP", "FLOAT")]
          + texts.map { ($0, "VARCHAR") } + [("ZQUERYGEN", "BLOB")]
      ),
      (strings, common + [("ZNAME", "VARCHAR")]),
    ]
  }

  private static let indexes =
    [
      "CREATE INDEX IF NOT EXISTS ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)"
    ]
    + ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"].map {
      "CREATE INDEX IF NOT EXISTS ATRANSACTION_\($0)_INDEX ON ATRANSACTION (\($0))"
    } + [
      "CREATE INDEX IF NOT EXISTS Z_TRANSACTION_TransactionAuthorIndex "
        + "ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
      "CREATE INDEX IF NOT EXISTS Z_TRANSACTION_TransactionTimestampIndex "
        + "ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
      "CREATE UNIQUE INDEX IF NOT EXISTS Z_TRANSACTIONSTRING_UNIQUE_NAME "
        + "ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
    ]
}
