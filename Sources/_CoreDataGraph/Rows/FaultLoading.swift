// SPDX-License-Identifier: Apache-2.0

/// The state for faults that get their rows in batches or by prefetching.
package struct FaultLoading {
  /// The keys of batched fetches, with which their faults get rows together.
  package var windows = FaultWindows()
  /// The prefetched objects; they are released with the context.
  var prefetched = PrefetchLedger()
  /// Whether a fault that fires reads its row again even if the row was read before.
  package var alwaysReadsRows = false
}
