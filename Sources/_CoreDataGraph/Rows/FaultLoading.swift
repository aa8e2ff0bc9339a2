// SPDX-License-Identifier: Apache-2.0

/// How the faults of a graph get their rows.
package struct FaultLoading {
  /// The keys of batched fetches, with which their faults get rows together.
  package var windows = FaultWindows()
  /// The prefetched objects.
  var prefetched = PrefetchLedger()
  /// Whether a fault that fires reads its row again even if the row was read before.
  package var alwaysReadsRows = false
}
