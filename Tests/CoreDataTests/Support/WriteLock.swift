// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation

/// Somebody else's write lock of a store's file, held until it is released.
final class WriteLock {
  private var handle: OpaquePointer?

  init(of url: URL) throws {
    guard sqlite3_open(url.path, &handle) == SQLITE_OK,
      sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK
    else { throw SQLFile.Failure(message: "BEGIN IMMEDIATE") }
  }

  deinit { release() }

  func release() {
    sqlite3_close_v2(handle)
    handle = nil
  }
}
