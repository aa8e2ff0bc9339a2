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
