// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The tutorials' delegate: where a view controller tells its table view, this writes down what it
/// would tell, and sends the round when it is complete.
extension TeamList: NSFetchedResultsControllerDelegate {
  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    round = []
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange sectionInfo: NSFetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    switch type {
    case .insert: round.append(.insertSection(at: sectionIndex, name: sectionInfo.name))
    case .delete: round.append(.deleteSection(at: sectionIndex))
    default: break
    }
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    guard let team = anObject as? Team else { return }
    switch (type, indexPath.map(Place.init), newIndexPath.map(Place.init)) {
    case (.insert, _, let to?): round.append(.insertRow(at: to, TeamRow(team)))
    case (.delete, let from?, _): round.append(.deleteRow(at: from))
    case (.move, let from?, let to?): round.append(.moveRow(from: from, to: to, TeamRow(team)))
    case (.update, let place?, _): round.append(.updateRow(at: place, TeamRow(team)))
    default: break
    }
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    sequence += 1
    send(.round(sequence: sequence, changes: round))
    round = []
  }
}
