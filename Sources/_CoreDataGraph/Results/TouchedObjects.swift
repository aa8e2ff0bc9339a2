// SPDX-License-Identifier: Apache-2.0

/// The objects that one round of a results list considers.
package struct TouchedObjects {
  /// Objects that were inserted, changed or refreshed, or whose rows arrived.
  package var changed: [AnyObject] = []
  /// Objects that are themselves unchanged, but through which the list may read changed values.
  package var related: [AnyObject] = []
  /// Objects that the list must no longer show.
  package var removed: [AnyObject] = []

  package init() {}

  /// Appends the objects of each group in `more`.
  package static func += (touched: inout TouchedObjects, more: TouchedObjects) {
    touched.changed += more.changed
    touched.related += more.related
    touched.removed += more.removed
  }
}

extension ResultsList {
  /// Returns whether a round with these objects would change the list or report an update.
  package func isConcerned(by touched: TouchedObjects) -> Bool {
    isConcerned(touched: touched.changed, related: touched.related, gone: touched.removed)
  }

  /// Performs a round with these objects; see `apply(touched:related:gone:)`.
  package func apply(_ touched: TouchedObjects) -> ResultChanges {
    apply(touched: touched.changed, related: touched.related, gone: touched.removed)
  }
}
