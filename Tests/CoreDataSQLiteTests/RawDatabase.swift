// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataStore

/// A plain connection, as another program would have one.
enum RawDatabase {
  /// The texts of one column of the result.
  static func texts(_ path: String, _ sql: String, column: Int32 = 0) throws -> [String] {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    guard sqlite3_open_v2(path, &database, flags, nil) == SQLITE_OK else {
      throw StoreError(.cannotOpen, path)
    }
    sqlite3_busy_timeout(database, 10_000)
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
      throw StoreError(.engine, database.map { String(cString: sqlite3_errmsg($0)) } ?? sql)
    }
    var found: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      if let text = sqlite3_column_text(statement, column) { found.append(String(cString: text)) }
    }
    return found
  }
}
