// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Connects a running fetch with the code that waits for it: cancels the fetch and reports how many rows were
/// read.
///
/// Safe to use from any thread. A store reads `isCancelled` or calls `check()` from time to time.
package final class FetchControl: Sendable {
  private let cancelled = Atomic<Bool>(false)
  private let count = Atomic<Int>(0)
  private let onAdvance: (@Sendable (Int) -> Void)?
  private let isCancelledElsewhere: (@Sendable () -> Bool)?

  /// Creates a control for one fetch.
  ///
  /// - Parameters:
  ///   - onAdvance: called with the number of rows so far, on the thread of the fetch.
  ///   - isCancelledElsewhere: called by `check()`, for a caller that cannot call `cancel()` at once.
  package init(
    onAdvance: (@Sendable (Int) -> Void)? = nil,
    isCancelledElsewhere: (@Sendable () -> Bool)? = nil
  ) {
    self.onAdvance = onAdvance
    self.isCancelledElsewhere = isCancelledElsewhere
  }

  package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }
  /// The number of rows last passed to `reportRows(_:)`; 0 before the first call.
  package var rows: Int { count.load(ordering: .relaxed) }

  /// Cancels the fetch at the next check; has no effect after the end of the fetch.
  package func cancel() { cancelled.store(true, ordering: .relaxed) }

  /// Records the number of rows that were read, and reports the number if it has changed.
  package func reportRows(_ rows: Int) {
    if count.exchange(rows, ordering: .relaxed) != rows { onAdvance?(rows) }
  }

  /// Throws an error if the fetch was cancelled.
  ///
  /// - Throws: `StoreError.cancelled`.
  package func check() throws {
    if isCancelled || isCancelledElsewhere?() ?? false {
      throw StoreError(.cancelled, "the fetch was cancelled")
    }
  }
}
