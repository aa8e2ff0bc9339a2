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
  private let timeout: Double
  private var begin = DispatchTime.now()
  private var isSuspended = false

  /// - Parameter timeout: in seconds.
  init(timeout: Double) { self.timeout = timeout }

  /// The connection must not outlive this object.
  func install(on handle: OpaquePointer) {
    sqlite3_busy_handler(
      handle,
      { context, count in
        guard let context else { return 0 }
        let waiting = Unmanaged<BusyWait>.fromOpaque(context)
        return waiting._withUnsafeGuaranteedRef { $0.wait(count) } ? 1 : 0
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

  /// Whether the engine is to ask again; `count` is how often it has asked for this lock.
  private func wait(_ count: Int32) -> Bool {
    if isSuspended { return false }
    if count == 0 { begin = .now() }
    let waited = Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
    if waited >= timeout { return false }
    usleep(waited < Self.long ? UInt32.random(in: Self.pause) : Self.longPause)
    return true
  }
}
