// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Observes and counts the statements of a store, and the files for which a save waits.
///
/// Statements that run once for each row of a save are reported once. Tests can simulate failures with
/// closures that throw an error, because the statement or the wait for a file then fails with this error.
package final class StatementObserver: Sendable {
  package struct Counts: Sendable, Hashable {
    /// Statements that were compiled.
    package var prepared = 0
    /// Statements that were started.
    package var started = 0
    /// Transactions that were begun explicitly.
    package var transactions = 0
    /// Waits of saves and batches until a file or folder beside the database has reached the disk.
    package var synced = 0
  }
  private struct State: Sendable {
    var counts = Counts()
    var onStart: (@Sendable (String) throws -> Void)?
    var onSync: (@Sendable (String) throws -> Void)?
  }
  private let state = Mutex(State())

  package init(onStart: (@Sendable (String) throws -> Void)? = nil) {
    state.withLock { $0.onStart = onStart }
  }

  package var counts: Counts { state.withLock(\.counts) }

  /// Replaces the closure that is called when a statement starts, on the thread of the fetch or save.
  package func setOnStart(_ onStart: (@Sendable (String) throws -> Void)?) {
    state.withLock { $0.onStart = onStart }
  }

  /// Replaces the closure that is called before a save waits until a file or folder has reached the disk.
  ///
  /// The closure receives the path of the file or folder.
  package func setOnSync(_ onSync: (@Sendable (String) throws -> Void)?) {
    state.withLock { $0.onSync = onSync }
  }

  func prepared() { state.withLock { $0.counts.prepared += 1 } }

  func started(_ text: String) throws {
    let call = state.withLock { state in
      state.counts.started += 1
      return state.onStart
    }
    try call?(text)
  }

  func syncs(_ path: String) throws {
    let call = state.withLock { state in
      state.counts.synced += 1
      return state.onSync
    }
    try call?(path)
  }

  func began() { state.withLock { $0.counts.transactions += 1 } }
}
