// SPDX-License-Identifier: Apache-2.0

/// How the faults of a graph get their rows.
package struct FaultLoading {
  /// The keys of batched fetches, from which the keys of a fault's batch are found.
  package var windows = FaultWindows()
  var prefetched = PrefetchLedger()
  /// Whether a fault that fires reads its row again even if the row was read before.
  package var alwaysReadsRows = false
}
