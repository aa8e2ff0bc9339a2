// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// Notifies a controller's delegate and listeners of fetches and of rounds of changes.
///
/// `+Round` has the order of a round, `+Forms` the forms in which a delegate can receive it.
package final class ResultsNotifier {
  let content: ResultsContent
  /// The owner, under the type that delegates see; nil while it is deallocated.
  package private(set) weak var controller: NSFetchedResultsController<NSFetchRequestResult>?
  var recipient = NotifiedDelegate()
  var temporaryIDs = ReportedTemporaryIDs()
  private(set) var listeners: [any ResultsListener] = []
  /// The section identifier of snapshots of a list without sections.
  private let plainSectionIdentifier = UUID().uuidString

  /// A notifier of no delegate and no listener yet.
  package init(
    _ content: ResultsContent,
    of controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    self.content = content
    self.controller = controller
  }

  deinit {
    for listener in listeners { listener.contentDidEnd() }
  }

  // MARK: Recipients

  /// The delegate, held weakly.
  package var delegate: (any NSFetchedResultsControllerDelegate)? {
    get { recipient.object }
    set { if recipient.replace(with: newValue) { temporaryIDs.removeAll() } }
  }

  /// Whether there is a listener, or a delegate that may have a method for changes.
  package var needsChanges: Bool {
    !listeners.isEmpty
      || delegate != nil && !recipient.methods.hasNone(isSectioned: content.isSectioned)
  }

  /// Adds a listener, which is held strongly.
  package func add(_ listener: any ResultsListener) { listeners.append(listener) }

  /// Removes a listener.
  package func remove(_ listener: any ResultsListener) {
    listeners.removeAll { $0 === listener }
  }

  // MARK: Listeners and fetches

  /// Notifies listeners that the content changes next.
  package func contentWillChange() {
    for listener in listeners { listener.contentWillChange() }
  }

  /// Notifies everyone of a fetch: listeners, and a delegate with the snapshot method.
  package func contentWasFetched() {
    guard let round = beginRound() else { return }
    for listener in listeners { listener.contentWasFetched(by: round.controller) }
    guard delegate != nil, let list = content.currentList else { return }
    // A delegate with the difference method has read the IDs of the content.
    if !sendSnapshot(of: list, after: nil, in: round), !content.isSectioned,
      recipient.methods.mayHave(.difference)
    {
      temporaryIDs.replace(with: list, of: round.controller.managedObjectContext)
    }
  }

  /// Notifies listeners that a save made temporary IDs permanent.
  package func identifiersDidChange() {
    guard let controller else { return }
    for listener in listeners { listener.identifiersDidChange(of: controller) }
  }

  /// A list as a snapshot.
  ///
  /// - Complexity: O(rows).
  func snapshot(
    of list: ResultsList,
    after changes: ResultChanges?
  ) -> NSDiffableDataSourceSnapshot<String, NSManagedObjectID> {
    list.snapshot(plainIdentifier: plainSectionIdentifier, after: changes)
  }
}
