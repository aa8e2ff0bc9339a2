// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation

/// Waits for locks of other connections until the timeout: retries every one to three milliseconds, and after
/// ten seconds every ten milliseconds.
///
/// The engine's own handler retries only ten times a second after a while. If several processes write in turn
/// without write-ahead mode, the lock is free only briefly each time, and the engine's handler can miss it
/// for seconds.
/// Source: SQLite, “sqlite3_busy_timeout”; measured, docs/performance.md.
final class BusyWait {
  /// Microseconds between two attempts; random, so that two connections do not retry at the same moments.
  private static let pause: Range<UInt32> = 1_000..<3_000
  /// Microseconds between two attempts after a long wait, and the number of seconds after which a wait is
  /// long.
  private static let (longPause, long): (UInt32, Double) = (10_000, 10)
  /// System errors that are not caused by the lock of another connection.
  private static let failing: Set<POSIXErrorCode> = [.EIO, .ENXIO, .ENODEV, .ESTALE]
  /// The number of consecutive system errors after which the wait ends, because the disk must be failing;
  /// this takes about a tenth of a second.
  private static let failureLimit = 50
  private let timeout: Double
  private var begin = DispatchTime.now()
  private var isSuspended = false
  /// The number of consecutive attempts at a lock that failed with a system error.
  private var failures = 0
  private var failure: POSIXErrorCode?

  /// Creates a wait of at most `timeout` seconds for each lock.
  init(timeout: Double) { self.timeout = timeout }

  /// Makes this object the connection's busy handler; the connection must not outlive this object.
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

  /// Returns and clears the system error that ended the last wait; nil if no system error ended the wait.
  func removeFailure() -> POSIXErrorCode? {
    defer { failure = nil }
    return failure
  }

  /// Returns true after a pause if the engine is to try again; returns false if the wait is over.
  ///
  /// `count` is the number of earlier calls for this lock, and `reason` is the `errno` after the last
  /// attempt.
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

  /// Counts consecutive system errors, and returns whether there are so many that the disk must be failing.
  ///
  /// The code of the system error is needed, because the engine reports every failure to lock the log's index
  /// as a lock of another connection.
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
