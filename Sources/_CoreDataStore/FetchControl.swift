// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Cancels a running fetch, and reports the number of rows that the fetch has read.
///
/// Can be used from any thread. A store regularly reads `isCancelled` or calls `check()` during a fetch.
package final class FetchControl: Sendable {
  private let cancelled = Atomic<Bool>(false)
  private let count = Atomic<Int>(0)
  private let onAdvance: (@Sendable (Int) -> Void)?
  private let isCancelledElsewhere: (@Sendable () -> Bool)?

  /// Creates a control for one fetch.
  ///
  /// - Parameters:
  ///   - onAdvance: called with the number of rows read so far, on the thread of the fetch.
  ///   - isCancelledElsewhere: called by `check()`; returns whether the fetch was cancelled without a call of
  ///     `cancel()`.
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

  /// Cancels the fetch at its next check; has no effect after the end of the fetch.
  package func cancel() { cancelled.store(true, ordering: .relaxed) }

  /// Records the number of rows read so far, and passes it to `onAdvance` if it has changed.
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
