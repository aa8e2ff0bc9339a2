// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import Synchronization
import _CoreDataStore

/// The threads that write to a store.
///
/// A write that begins inside another write on the same thread, for example in the handler of a batch insert,
/// would wait for rows that the outer write has locked, and the outer write for the inner one.
final class PostgresWriters: Sendable {
  private let threads = Mutex<Set<ObjectIdentifier>>([])

  /// Runs `body` as a write of this thread.
  ///
  /// - Throws: `StoreError.invalidRequest` inside another write on this thread; errors of `body`.
  func write<T>(path: String, _ body: () throws -> T) throws -> T {
    let thread = ObjectIdentifier(Thread.current)
    guard threads.withLock({ $0.insert(thread).inserted }) else {
      throw StoreError(
        .invalidRequest,
        "a write began inside another write to the same store on this thread, for example in the handler of a "
          + "batch insert; write after the outer request has ended",
        path: path
      )
    }
    defer { threads.withLock { _ = $0.remove(thread) } }
    return try body()
  }
}
#endif
