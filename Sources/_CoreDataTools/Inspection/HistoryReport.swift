// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite

/// The numbers of transactions and changes in a store's persistent history, and the times of its first and
/// last transaction.
package struct HistoryReport {
  package let transactions: Int
  package let inserts: Int
  package let updates: Int
  package let deletes: Int
  /// The time of the first transaction, in seconds since 2001; nil if no transaction has a time.
  package let first: Double?
  package let last: Double?

  /// Counts the transactions and changes in the file.
  ///
  /// Returns nil if the file lacks the table of transactions or the table of changes.
  /// - Throws: `StoreError`.
  package init?(_ file: StoreFile, _ schema: StoredSchema) throws {
    guard schema.columns["ATRANSACTION"] != nil, schema.columns["ACHANGE"] != nil else {
      return nil
    }
    let span =
      try file.rows(
        "SELECT COUNT(*), MIN(ZTIMESTAMP), MAX(ZTIMESTAMP) FROM ATRANSACTION"
      ).first ?? []
    transactions = Int(span.first?.whole ?? 0)
    first = span.count > 1 ? Self.seconds(span[1]) : nil
    last = span.count > 2 ? Self.seconds(span[2]) : nil
    var kinds: [Int64: Int] = [:]
    try file.forEach("SELECT ZCHANGETYPE, COUNT(*) FROM ACHANGE GROUP BY ZCHANGETYPE") {
      kinds[$0[0].whole] = Int($0[1].whole)
    }
    inserts = kinds[0] ?? 0
    updates = kinds[1] ?? 0
    deletes = kinds[2] ?? 0
  }

  private static func seconds(_ value: Binding) -> Double? {
    switch value {
    case .double(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }
}
