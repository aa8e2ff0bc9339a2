// SPDX-License-Identifier: Apache-2.0

/// The state with which faults get their rows other than one by one.
package struct FaultLoading {
  /// Faults of batched fetches, which get their rows together.
  package var windows = FaultWindows()
  /// Prefetched objects, to be released with the context.
  var prefetched = PrefetchLedger()
  /// Whether a fault that fires reads its row again even if it has one.
  package var ignoresRowsAtHand = false
}
