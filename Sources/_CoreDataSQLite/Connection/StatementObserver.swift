// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts the statements of a store, and its synchronizations of files to disk; calls a closure before each.
///
/// A statement that runs once for each row of a save is reported once. If a closure throws an error, the
/// statement or the synchronization fails with this error, so that tests can simulate failures.
package final class StatementObserver: Sendable {
  package struct Counts: Sendable, Hashable {
    /// The number of statements that were compiled.
    package var prepared = 0
    /// The number of statements that were started.
    package var started = 0
    /// The number of transactions that were begun explicitly.
    package var transactions = 0
    /// The number of times that a save or batch request has synchronized a file or folder beside the
    /// database.
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

  /// Replaces the closure that is called before a statement starts, on the thread of the fetch or save.
  ///
  /// The closure receives the text of the statement.
  package func setOnStart(_ onStart: (@Sendable (String) throws -> Void)?) {
    state.withLock { $0.onStart = onStart }
  }

  /// Replaces the closure that is called before a save synchronizes a file or folder to disk.
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
