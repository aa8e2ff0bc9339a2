// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation

/// Another connection that executes statements on a thread of its own, and waits for locks.
final class WaitingWriter: @unchecked Sendable {
  // Unchecked: `failure` is written before `end` is signalled, and read after it.
  private let begin = DispatchSemaphore(value: 0)
  private let end = DispatchSemaphore(value: 0)
  private var failure: String?

  /// Executes the statements; returns when the connection has had to wait for a lock, or is done.
  init(_ url: URL, _ sql: String) {
    Thread.detachNewThread { [self] in
      failure = execute(sql, url)
      end.signal()
      begin.signal()
    }
    begin.wait()
  }

  private func execute(_ sql: String, _ url: URL) -> String? {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open(url.path, &handle) == SQLITE_OK else { return "open" }
    let isWaiting: @convention(c) (UnsafeMutableRawPointer?, CInt) -> CInt = { writer, _ in
      // The writer outlives its thread's connection.
      if let writer {
        Unmanaged<WaitingWriter>.fromOpaque(writer).takeUnretainedValue().begin.signal()
      }
      sched_yield()
      return 1
    }
    sqlite3_busy_handler(handle, isWaiting, Unmanaged.passUnretained(self).toOpaque())
    if sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK { return nil }
    return sqlite3_errmsg(handle).map { String(cString: $0) } ?? sql
  }

  /// Waits for the statements, and returns the text of their error.
  func wait() -> String? {
    end.wait()
    end.signal()
    return failure
  }
}
