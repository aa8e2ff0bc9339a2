// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// Notifies a controller's delegate and listeners of fetches and of rounds of changes.
package final class ResultsNotifier {
  let content: ResultsContent
  /// The controller with the static type that delegates receive; nil while the controller is being
  /// deallocated.
  package private(set) weak var controller: NSFetchedResultsController<NSFetchRequestResult>?
  var recipient = NotifiedDelegate()
  var temporaryIDs = ReportedTemporaryIDs()
  private(set) var listeners: [any ResultsListener] = []
  /// The section identifier in snapshots of a list without a section key path.
  private let plainSectionIdentifier = UUID().uuidString

  /// Creates a notifier with neither a delegate nor listeners.
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

  /// The delegate, held weakly; nil if there is no delegate or it has been released.
  package var delegate: (any NSFetchedResultsControllerDelegate)? {
    get { recipient.object }
    set { if recipient.replace(with: newValue) { temporaryIDs.removeAll() } }
  }

  /// Whether there is a listener, or a delegate that may implement a method for changes.
  package var needsChanges: Bool {
    !listeners.isEmpty
      || delegate != nil && !recipient.methods.hasNone(isSectioned: content.isSectioned)
  }

  /// Adds a listener and retains it.
  package func add(_ listener: any ResultsListener) { listeners.append(listener) }

  package func remove(_ listener: any ResultsListener) {
    listeners.removeAll { $0 === listener }
  }

  // MARK: Listeners and fetches

  /// Notifies listeners that the content is about to change.
  package func contentWillChange() {
    for listener in listeners { listener.contentWillChange() }
  }

  /// Notifies listeners of a fetch, and the delegate if the delegate implements the snapshot method.
  package func contentWasFetched() {
    guard let round = beginRound() else { return }
    for listener in listeners { listener.contentWasFetched(by: round.controller) }
    guard delegate != nil, let list = content.currentList else { return }
    // A fetch sends no difference. A delegate that implements the difference method reads the IDs from the
    // content instead, so the temporary IDs in the list count as reported.
    if !sendSnapshot(of: list, after: nil, in: round), !content.isSectioned,
      recipient.methods.mayImplement(.difference)
    {
      temporaryIDs.replace(with: list, of: round.controller.managedObjectContext)
    }
  }

  /// Notifies listeners that a save made temporary IDs permanent.
  package func identifiersDidChange() {
    guard let controller else { return }
    for listener in listeners { listener.identifiersDidChange(of: controller) }
  }

  func snapshot(
    of list: ResultsList,
    after changes: ResultChanges?
  ) -> NSDiffableDataSourceSnapshot<String, NSManagedObjectID> {
    list.snapshot(plainIdentifier: plainSectionIdentifier, after: changes)
  }
}
