// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Watches the statements of a store: their texts as they start, and how many there were.
///
/// Statements that run once per row of a save are reported once.
package final class StatementObserver: Sendable {
  package struct Counts: Sendable, Hashable {
    /// Statements that were compiled.
    package var prepared = 0
    /// Statements that were started.
    package var started = 0
    /// Transactions that were begun explicitly.
    package var transactions = 0
  }
  private struct State: Sendable {
    var counts = Counts()
    var onStart: (@Sendable (String) -> Void)?
  }
  private let state = Mutex(State())

  package init(onStart: (@Sendable (String) -> Void)? = nil) {
    state.withLock { $0.onStart = onStart }
  }

  package var counts: Counts { state.withLock(\.counts) }

  /// Replaces what is called, on the calling thread of a fetch or save, when a statement starts.
  package func setOnStart(_ onStart: (@Sendable (String) -> Void)?) {
    state.withLock { $0.onStart = onStart }
  }

  func prepared() { state.withLock { $0.counts.prepared += 1 } }

  func started(_ text: String) {
    let call = state.withLock { state in
      state.counts.started += 1
      return state.onStart
    }
    call?(text)
  }

  func began() { state.withLock { $0.counts.transactions += 1 } }
}
