// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

/// An observer of a controller's content in addition to the delegate, called on the context's queue.
package protocol ResultsListener: AnyObject {
  /// Called before a fetch and before each round of changes; no other call follows if the fetch fails.
  func contentWillChange()
  /// Called after a successful fetch.
  func contentWasFetched(by controller: NSFetchedResultsController<NSFetchRequestResult>)
  /// Called after each round of changes.
  func contentDidChange(
    _ changes: ResultChanges,
    of controller: NSFetchedResultsController<NSFetchRequestResult>
  )
  /// Called after a save that made temporary IDs permanent.
  func identifiersDidChange(of controller: NSFetchedResultsController<NSFetchRequestResult>)
  /// Called when the controller is deallocated.
  func contentDidEnd()
}
