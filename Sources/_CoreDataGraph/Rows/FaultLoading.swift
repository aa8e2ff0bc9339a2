// SPDX-License-Identifier: Apache-2.0

/// How the faults of a context get their rows, other than one by one.
package struct FaultLoading {
  /// Faults of batched fetches, which get their rows together.
  package var windows = FaultWindows()
  /// Objects that were fetched along with others.
  var prefetched = PrefetchLedger()
  /// Whether a fault that fires reads its row again although one is at hand.
  package var ignoresRowsAtHand = false
}
