// SPDX-License-Identifier: Apache-2.0

struct NotifiedDelegate {
  private(set) weak var object: (any NSFetchedResultsControllerDelegate)?
  var methods = DelegateMethods()
  /// The number of times that the delegate was replaced.
  ///
  /// A round stops calling the delegate if this number has changed since the round began.
  private(set) var generation = 0

  /// Replaces the delegate and forgets the known methods; setting the same delegate has no effect.
  ///
  /// - Returns: whether the delegate has changed.
  mutating func replace(with delegate: (any NSFetchedResultsControllerDelegate)?) -> Bool {
    let isOther = object !== delegate
    object = delegate
    if isOther {
      methods = DelegateMethods()
      generation += 1
    }
    return isOther
  }
}
