// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The wire between a running fetch and who waits for it: ends it early, and tells how many rows came.
///
/// Safe on any thread. A store asks `isCancelled` now and then, and throws `.cancelled` once it is.
package final class FetchControl: Sendable {
  private let cancelled = Atomic<Bool>(false)
  private let count = Atomic<Int>(0)
  private let onAdvance: (@Sendable (Int) -> Void)?
  private let isCancelledElsewhere: (@Sendable () -> Bool)?

  /// - Parameters:
  ///   - onAdvance: is called with the number of rows so far, on the thread that fetches.
  ///   - isCancelledElsewhere: is asked by `check()`, for who cancels without calling `cancel()` at once.
  package init(
    onAdvance: (@Sendable (Int) -> Void)? = nil,
    isCancelledElsewhere: (@Sendable () -> Bool)? = nil
  ) {
    self.onAdvance = onAdvance
    self.isCancelledElsewhere = isCancelledElsewhere
  }

  package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }
  /// Rows that were read so far.
  package var rows: Int { count.load(ordering: .relaxed) }

  /// Ends the fetch at the next occasion; nothing after its end.
  package func cancel() { cancelled.store(true, ordering: .relaxed) }

  /// Records that so many rows of the running statement were read; nothing where it is known.
  package func reach(_ rows: Int) {
    if count.exchange(rows, ordering: .relaxed) != rows { onAdvance?(rows) }
  }

  /// - Throws: `StoreError.cancelled` once the fetch is to end.
  package func check() throws {
    if isCancelled || isCancelledElsewhere?() ?? false {
      throw StoreError(.cancelled, "the fetch was cancelled")
    }
  }
}
