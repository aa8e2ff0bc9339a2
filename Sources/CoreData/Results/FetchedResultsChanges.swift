// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// One fetch or one round of changes of a results controller, as a value that can be used on any thread.
///
/// Not in Apple's framework.
///
/// As in the delegate's callbacks, old indexes and paths refer to the content before the round, and new
/// indexes and paths refer to the content after the round.
///
/// Source: this library's choice.
public struct FetchedResultsChanges: Sendable {
  /// A section that was inserted or deleted.
  public struct Section: Sendable, Hashable {
    /// The old index of a deleted section, or the new index of an inserted section.
    public let index: Int
    /// The name of the section.
    public let name: String
  }
  /// The change of one row.
  public struct Row: Sendable, Hashable {
    /// The type of the change.
    public let type: NSFetchedResultsChangeType
    /// The ID of the row's object.
    public let objectID: NSManagedObjectID
    /// The row's old index path; nil for an insertion.
    public let indexPath: IndexPath?
    /// The row's new index path; nil for a deletion.
    public let newIndexPath: IndexPath?
  }
  /// Whether this value represents a fetch.
  ///
  /// If it does, the other properties are empty, and the receiver must read the controller's whole content.
  public let isFetch: Bool
  /// The deleted sections, in descending order of their indexes.
  public let deletedSections: [Section]
  /// The inserted sections, in ascending order of their indexes.
  public let insertedSections: [Section]
  /// The changes of rows: deletions, insertions, moves and updates, in this order.
  public let rows: [Row]

  static let fetch = FetchedResultsChanges()

  private init() {
    isFetch = true
    deletedSections = []
    insertedSections = []
    rows = []
  }

  init(_ changes: ResultChanges) {
    isFetch = false
    func section(_ change: ResultChanges.SectionChange) -> Section {
      Section(index: change.index, name: change.section.name)
    }
    deletedSections = changes.deletedSections.map(section)
    insertedSections = changes.insertedSections.map(section)
    rows = changes.rows.map { change in
      Row(
        type: NSFetchedResultsChangeType(change.kind),
        objectID: ResultsContent.managedObject(change.object).objectID,
        indexPath: change.old.map(IndexPath.init),
        newIndexPath: change.new.map(IndexPath.init)
      )
    }
  }
}
