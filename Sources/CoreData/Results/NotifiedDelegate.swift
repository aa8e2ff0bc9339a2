// SPDX-License-Identifier: Apache-2.0

/// The delegate of a results controller, and what is known of it.
struct NotifiedDelegate {
  /// The delegate, held weakly.
  private(set) weak var object: (any NSFetchedResultsControllerDelegate)?
  /// Its optional methods, as far as known.
  var methods = DelegateMethods()
  /// Number of times that another delegate took its place.
  ///
  /// A round that began with another delegate is not continued with this one.
  private(set) var generation = 0

  /// Takes another delegate, of which nothing is known; the same one changes nothing.
  ///
  /// - Returns: whether it is another one.
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
