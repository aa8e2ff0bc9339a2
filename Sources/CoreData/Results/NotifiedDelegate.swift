// SPDX-License-Identifier: Apache-2.0

/// The delegate of a results controller, and the methods that the delegate is known to implement.
struct NotifiedDelegate {
  /// The delegate, held weakly; nil if there is no delegate or it has been released.
  private(set) weak var object: (any NSFetchedResultsControllerDelegate)?
  /// The delegate's optional methods, as far as they are known.
  var methods = DelegateMethods()
  /// The number of times that the delegate was replaced.
  ///
  /// A round that began with one delegate is not continued with another.
  private(set) var generation = 0

  /// Replaces the delegate and forgets which methods it implements; setting the same delegate has no effect.
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
