// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import CoreData

/// Finds links to rows that are gone in the file of a store with the list law's model, by plain SQL.
// Unchecked: used by one thread at a time.
final class ForeignKeys: @unchecked Sendable {
  private var handle: OpaquePointer?
  private var statement: OpaquePointer?

  /// - Throws: `SQLFile.Failure` where the file cannot be read.
  init(_ url: URL) throws {
    guard sqlite3_open(url.path, &handle) == SQLITE_OK else {
      throw SQLFile.Failure(message: "open")
    }
    sqlite3_busy_timeout(handle, 5000)
    let join = try SQLFile(url: url).texts(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'"
    )
    var parts = [
      ("ZNATION", "ZHOME", "ZZONE"), ("ZNATION", "ZJUDGE", "ZJUDGE"),
      ("ZZONE", "ZREGION", "ZREGION"),
    ].map { table, column, destination in
      "SELECT '\(table).\(column)' || Z_PK || ' leads to ' || \(column) FROM \(table) "
        + "WHERE \(column) IS NOT NULL AND \(column) NOT IN (SELECT Z_PK FROM \(destination))"
    }
    for table in join {
      for column in try SQLFile(url: url).texts("SELECT name FROM pragma_table_info('\(table)')") {
        guard
          let destination = ["NATIONS": "ZNATION", "TAGS": "ZTAG"].first(where: {
            column.hasSuffix($0.key)
          })?.value
        else { continue }
        parts.append(
          "SELECT '\(table).\(column) names ' || \(column) FROM \(table) "
            + "WHERE \(column) NOT IN (SELECT Z_PK FROM \(destination))"
        )
      }
    }
    let sql = parts.joined(separator: " UNION ALL ")
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw SQLFile.Failure(message: sql)
    }
  }

  deinit {
    sqlite3_finalize(statement)
    sqlite3_close_v2(handle)
  }

  /// A line for each link to a row that is not there.
  func broken() -> [String] {
    defer { sqlite3_reset(statement) }
    var found: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      found.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
    }
    return found
  }
}
