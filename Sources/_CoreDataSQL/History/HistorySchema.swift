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
  /// Returns an empty array if nothing is missing. `stored` contains the column names of each table in the
  /// file, and `existing` the names of its indexes. `tombstones` is the number of tombstone columns that the
  /// history needs.
  package static func completion(
    of stored: [String: [String]],
    indexes existing: Set<String>,
    tombstones: Int
  ) -> [Statement] {
    let tables = tableCompletion(of: stored, tombstones: tombstones)
    let missing = indexes.filter { !existing.contains($0.name) }
      .map { Statement(text: "CREATE \($0.kind) IF NOT EXISTS \($0.name) ON \($0.place)") }
    if tables.isEmpty { return missing }
    let numbers = [
      (changeNumber, "CHANGE"), (transactionNumber, "TRANSACTION"),
      (stringNumber, "TRANSACTIONSTRING"),
    ]
    return tables + missing
      + numbers.map { number, name in PrimaryKeys.insertIfMissing(number, name: name) }
  }

  private static func tableCompletion(
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
    return texts.map { Statement(text: $0) }
  }

  /// Returns whether a file has all tables and columns of a history, not counting tombstone columns.
  package static func isComplete(_ stored: [String: [String]]) -> Bool {
    tableCompletion(of: stored, tombstones: 0).isEmpty
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

  private typealias Index = (kind: String, name: String, place: String)

  private static let indexes: [Index] =
    [("INDEX", "ACHANGE_ZTRANSACTIONID_INDEX", "ACHANGE (ZTRANSACTIONID)")]
    + ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"].map {
      ("INDEX", "ATRANSACTION_\($0)_INDEX", "ATRANSACTION (\($0))")
    } + [
      (
        "INDEX", "Z_TRANSACTION_TransactionAuthorIndex",
        "ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)"
      ),
      (
        "INDEX", "Z_TRANSACTION_TransactionTimestampIndex",
        "ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)"
      ),
      (
        "UNIQUE INDEX", "Z_TRANSACTIONSTRING_UNIQUE_NAME",
        "ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)"
      ),
    ]
}
