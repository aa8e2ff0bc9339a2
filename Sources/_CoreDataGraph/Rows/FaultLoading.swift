// SPDX-License-Identifier: Apache-2.0

/// The state for faults that get their rows in batches or by prefetching.
package struct FaultLoading {
  /// Faults of batched fetches, which get their rows together.
  package var windows = FaultWindows()
  /// Prefetched objects, which are released with the context.
  var prefetched = PrefetchLedger()
  /// Whether a fault that fires reads its row again even if the row was read before.
  package var ignoresRowsAtHand = false
}
