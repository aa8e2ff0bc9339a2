// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataStore

/// A plain connection that stays open, as another process would have one.
final class RawConnection {
  private(set) var handle: OpaquePointer?

  init(_ path: String) throws {
    if sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) != SQLITE_OK {
      throw StoreError(.cannotOpen, path)
    }
  }

  deinit { sqlite3_close_v2(handle) }

  func run(_ sql: String) throws {
    if sqlite3_exec(handle, sql, nil, nil, nil) != SQLITE_OK {
      throw StoreError(.engine, handle.map { String(cString: sqlite3_errmsg($0)) } ?? sql)
    }
  }
}
