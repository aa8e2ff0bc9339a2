// SPDX-License-Identifier: Apache-2.0

/// The state that determines how the faults of a graph load their rows.
package struct FaultLoading {
  /// The keys of recent batched fetches, from which the batch of a fault is found.
  package var windows = FaultWindows()
  var prefetched = PrefetchLedger()
  /// Whether a fault that fires reads its row again even if the context still has the row.
  package var alwaysReadsRows = false
}
