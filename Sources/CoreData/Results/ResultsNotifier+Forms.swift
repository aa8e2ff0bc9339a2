// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// The forms in which a delegate receives a whole round: snapshots and differences.
///
/// A delegate that implements the snapshot method receives only snapshots. Otherwise, if the list has no
/// sections, a delegate that implements the difference method receives only differences. Source: documented;
/// behaviour.md FRC-16, FRC-17.
extension ResultsNotifier {
  /// Sends a whole round in one call.
  ///
  /// - Returns: false if the delegate must receive callbacks instead.
  func sendWhole(
    _ changes: ResultChanges,
    _ saved: [ReportedTemporaryIDs.SavedRow],
    in round: Round
  ) -> Bool {
    guard delegate != nil, let list = content.currentList else { return false }
    return sendSnapshot(of: list, after: changes, in: round)
      || !content.isSectioned && sendDifference(changes, saved, in: round)
  }

  /// Sends a list as a snapshot; `changes` is nil after a fetch.
  ///
  /// - Returns: false if the delegate did not receive the snapshot.
  func sendSnapshot(of list: ResultsList, after changes: ResultChanges?, in round: Round) -> Bool {
    guard recipient.methods.mayImplement(.snapshot) else { return false }
    // The content is created when it is read, because most delegates do not implement the method.
    let snapshot = NSDiffableDataSourceSnapshotReference {
      NSDiffableDataSourceSnapshotReference.Content(self.snapshot(of: list, after: changes))
    }
    let isPresent = call(.snapshot, in: round) { $0.controller($1, didChangeContentWith: snapshot) }
    if isPresent {
      snapshot.fill()
      // The snapshot contains the permanent IDs of saved rows, so their temporary IDs are no longer needed.
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
    guard delegate != nil, recipient.methods.mayImplement(.difference) else { return false }
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

  /// Returns the rows that were reported to the delegate with temporary IDs which a save has replaced; empty
  /// if the delegate cannot receive a difference.
  func savedRows() -> [ReportedTemporaryIDs.SavedRow] {
    guard !content.isSectioned, recipient.methods.mayImplement(.difference),
      let list = content.currentList
    else { return [] }
    return temporaryIDs.savedRows(in: list)
  }

  /// Sends the permanent IDs of the rows that were reported to the delegate with temporary IDs which a save
  /// has replaced.
  ///
  /// Callbacks contain objects instead of IDs, so a delegate that receives callbacks is not called. Source:
  /// behaviour.md FRC-21.
  package func sendPermanentIDs() {
    guard let list = content.currentList, !temporaryIDs.isEmpty, let round = beginRound() else {
      return
    }
    let saved = temporaryIDs.savedRows(in: list)
    temporaryIDs.removeSaved()
    if saved.isEmpty { return }
    // It may still be unknown which of the two methods the delegate implements, so the snapshot is tried
    // first.
    if !(delegate != nil && sendSnapshot(of: list, after: ResultChanges(), in: round)),
      !content.isSectioned, recipient.methods.mayImplement(.difference)
    {
      let difference = CollectionDifference(saved)
      call(.difference, in: round) { $0.controller($1, didChangeContentWith: difference) }
    }
  }
}
