// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// Forms in which a delegate receives a round as a whole: snapshots and differences.
///
/// A delegate with the snapshot method gets nothing else; one with the difference method gets nothing else
/// for a list without sections. Source: documented, behaviour.md FRC-16, FRC-17.
extension ResultsNotifier {
  /// Sends a round as a whole.
  ///
  /// - Returns: whether the delegate has a method for that.
  func sendWhole(
    _ changes: ResultChanges,
    _ saved: [ReportedTemporaryIDs.SavedRow],
    in round: Round
  ) -> Bool {
    guard delegate != nil, let list = content.currentList else { return false }
    return sendSnapshot(of: list, after: changes, in: round)
      || !content.isSectioned && sendDifference(changes, saved, in: round)
  }

  /// Sends a list as a snapshot; without `changes`, because it was fetched.
  ///
  /// - Returns: whether the delegate has the method.
  func sendSnapshot(of list: ResultsList, after changes: ResultChanges?, in round: Round) -> Bool {
    guard recipient.methods.mayHave(.snapshot) else { return false }
    // Filled when it is read, because most delegates have no such method.
    let snapshot = NSDiffableDataSourceSnapshotReference {
      NSDiffableDataSourceSnapshotReference.Content(self.snapshot(of: list, after: changes))
    }
    let isPresent = call(.snapshot, in: round) { $0.controller($1, didChangeContentWith: snapshot) }
    if isPresent {
      snapshot.fill()
      // The snapshot has the permanent IDs of rows that were saved.
      temporaryIDs.removeSaved()
      if let changes {
        temporaryIDs.update(with: changes)
      } else {
        temporaryIDs.replace(with: list, of: round.controller.managedObjectContext)
      }
    }
    return isPresent
  }

  private func sendDifference(
    _ changes: ResultChanges,
    _ saved: [ReportedTemporaryIDs.SavedRow],
    in round: Round
  ) -> Bool {
    guard delegate != nil, recipient.methods.mayHave(.difference) else { return false }
    let difference = CollectionDifference(
      changes,
      saved,
      reported: temporaryIDs,
      in: content.currentList
    )
    let isPresent = call(.difference, in: round) {
      $0.controller($1, didChangeContentWith: difference)
    }
    if isPresent {
      temporaryIDs.remove(saved)
      temporaryIDs.update(with: changes)
    }
    return isPresent
  }

  /// Rows that the delegate knows by temporary IDs which a save has replaced; a difference replaces them
  /// too.
  func savedRows() -> [ReportedTemporaryIDs.SavedRow] {
    guard !content.isSectioned, recipient.methods.mayHave(.difference),
      let list = content.currentList
    else { return [] }
    return temporaryIDs.savedRows(in: list)
  }

  /// Sends the permanent IDs of rows that the delegate knows by temporary ones.
  ///
  /// Callbacks have objects and not IDs, so nothing changed for them. Source: behaviour.md FRC-21.
  package func sendPermanentIDs() {
    guard let list = content.currentList, !temporaryIDs.isEmpty, let round = beginRound() else {
      return
    }
    let saved = temporaryIDs.savedRows(in: list)
    temporaryIDs.removeSaved()
    if saved.isEmpty { return }
    // A delegate that was not called yet may have either method.
    if !(delegate != nil && sendSnapshot(of: list, after: ResultChanges(), in: round)),
      !content.isSectioned, recipient.methods.mayHave(.difference)
    {
      let difference = CollectionDifference(saved)
      call(.difference, in: round) { $0.controller($1, didChangeContentWith: difference) }
    }
  }
}
