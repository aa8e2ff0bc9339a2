// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation

/// How a connection waits for the locks of others: until the timeout, asking every other millisecond.
///
/// The engine's own handler asks ten times a second after a while. Where several processes write one after
/// the other in a mode without a log, the lock is free for moments only, and a connection that asks so
/// seldom finds it taken for seconds. Source: SQLite, “sqlite3_busy_timeout”; measured, docs/performance.md.
final class BusyWait {
  /// Microseconds between two questions; different ones, so that two connections do not stay in step.
  private static let pause: Range<UInt32> = 1_000..<3_000
  /// The same for a lock that is held for long, in seconds.
  private static let (longPause, long): (UInt32, Double) = (10_000, 10)
  /// Errors of locking that a lock held by another connection does not give.
  private static let failing: Set<POSIXErrorCode> = [.EIO, .ENXIO, .ENODEV, .ESTALE]
  /// Attempts after which a failing disk is not waited for, about a tenth of a second.
  private static let failureLimit = 50
  private let timeout: Double
  private var begin = DispatchTime.now()
  private var isSuspended = false
  /// Consecutive attempts at a lock that the system failed, rather than refused.
  private var failures = 0
  private var failure: POSIXErrorCode?

  /// - Parameter timeout: in seconds.
  init(timeout: Double) { self.timeout = timeout }

  /// The connection must not outlive this object.
  func install(on handle: OpaquePointer) {
    sqlite3_busy_handler(
      handle,
      { context, count in
        let reason = errno
        guard let context else { return 0 }
        let waiting = Unmanaged<BusyWait>.fromOpaque(context)
        return waiting._withUnsafeGuaranteedRef { $0.wait(count, reason) } ? 1 : 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Runs `body` without waiting for any lock.
  func suspended<T>(_ body: () throws -> T) rethrows -> T {
    isSuspended = true
    defer { isSuspended = false }
    return try body()
  }

  /// Returns, once, the system's error for which the last wait was given up; nil where a lock was held.
  func removeFailure() -> POSIXErrorCode? {
    defer { failure = nil }
    return failure
  }

  /// Whether the engine is to ask again; `count` is how often it has asked for this lock, and `reason` the
  /// `errno` that it leaves.
  private func wait(_ count: Int32, _ reason: Int32) -> Bool {
    if isSuspended { return false }
    if count == 0 {
      begin = .now()
      failures = 0
      failure = nil
    } else if isFailing(reason) {
      return false
    }
    let waited = Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
    if waited >= timeout { return false }
    usleep(waited < Self.long ? UInt32.random(in: Self.pause) : Self.longPause)
    errno = 0
    return true
  }

  /// Whether the lock has failed for so long that the disk fails, and no one holds the lock.
  ///
  /// The engine takes each failure to lock the log's index for a lock that another connection holds.
  /// Source: SQLite, `os_unix.c`, `unixShmSystemLock`.
  private func isFailing(_ reason: Int32) -> Bool {
    guard let code = POSIXErrorCode(rawValue: reason), Self.failing.contains(code) else {
      failures = 0
      return false
    }
    failures += 1
    if failures < Self.failureLimit { return false }
    failure = code
    return true
  }
}
