// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataStore

/// The threads that write to a store.
///
/// A write that begins inside another write on the same thread, for example in the handler of a batch insert,
/// would wait for rows that the outer write has locked, and the outer write for the inner one.
final class PostgresWriters: @unchecked Sendable {
  // Unchecked: the condition guards the variables.
  private let condition = NSCondition()
  private var threads: Set<ObjectIdentifier> = []
  private var phase = Phase.open

  private enum Phase { case open, ending, ended }

  /// Runs `body` as a write of this thread.
  ///
  /// - Throws: `StoreError.invalidRequest` inside another write on this thread; `.closed` after the last write;
  ///   errors of `body`.
  func write<T>(path: String, _ body: () throws -> T) throws -> T {
    let thread = ObjectIdentifier(Thread.current)
    try begin(thread, path)
    defer {
      condition.withLock {
        threads.remove(thread)
        condition.broadcast()
      }
    }
    return try body()
  }

  private func begin(_ thread: ObjectIdentifier, _ path: String) throws {
    condition.lock()
    defer { condition.unlock() }
    try requireOutside(thread, path)
    while phase == .ending { condition.wait() }
    if phase == .ended {
      throw StoreError(
        .closed,
        "the store was migrated to another place; use the store that replaced it in the coordinator",
        path: path
      )
    }
    threads.insert(thread)
  }

  /// Runs `body` after the running writes have ended; if it returns, later writes are refused.
  ///
  /// - Throws: `StoreError.invalidRequest` inside a write on this thread; errors of `body`.
  func end<T>(path: String, _ body: () throws -> T) throws -> T {
    condition.lock()
    do {
      defer { condition.unlock() }
      try requireOutside(ObjectIdentifier(Thread.current), path)
      while phase == .ending { condition.wait() }
      phase = .ending
      while !threads.isEmpty { condition.wait() }
    }
    var next = Phase.open
    defer {
      condition.withLock {
        phase = next
        condition.broadcast()
      }
    }
    let result = try body()
    next = .ended
    return result
  }

  private func requireOutside(_ thread: ObjectIdentifier, _ path: String) throws {
    if !threads.contains(thread) { return }
    throw StoreError(
      .invalidRequest,
      "a write began inside another write to the same store on this thread, for example in the handler of a "
        + "batch insert; write after the outer request has ended",
      path: path
    )
  }
}
#endif
