// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation

/// Runs SQL on a store's file beside the store, to make its next writes fail.
struct SQLFile {
  let url: URL

  struct Failure: Error { let message: String }

  func run(_ sql: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open(url.path, &handle) == SQLITE_OK else { throw Failure(message: "open") }
    sqlite3_busy_timeout(handle, 5000)
    if sqlite3_exec(handle, sql, nil, nil, nil) != SQLITE_OK {
      throw Failure(message: sqlite3_errmsg(handle).map { String(cString: $0) } ?? sql)
    }
  }
}

extension SQLFile {
  /// The number that a statement gives.
  func count(_ sql: String) throws -> Int {
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close_v2(handle)
    }
    guard sqlite3_open(url.path, &handle) == SQLITE_OK,
      sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { throw Failure(message: sqlite3_errmsg(handle).map { String(cString: $0) } ?? sql) }
    return Int(sqlite3_column_int64(statement, 0))
  }
}
