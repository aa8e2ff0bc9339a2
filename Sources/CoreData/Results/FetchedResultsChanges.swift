// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// One round of changes of a results controller, as a value that any thread can read.
///
/// Not in Apple's framework.
///
/// Paths count as in the delegate's callbacks: old ones the content before the round, new ones the
/// content after it. Source: chosen.
public struct FetchedResultsChanges: Sendable {
  /// A section that was inserted or deleted.
  public struct Section: Sendable, Hashable {
    /// The old index of a deleted section, the new index of an inserted section.
    public let index: Int
    /// Its name.
    public let name: String
  }
  /// What happened to one row.
  public struct Row: Sendable, Hashable {
    /// What happened.
    public let type: NSFetchedResultsChangeType
    /// The row's object.
    public let objectID: NSManagedObjectID
    /// Nil for an insertion.
    public let indexPath: IndexPath?
    /// Nil for a deletion.
    public let newIndexPath: IndexPath?
  }
  /// Whether the content was fetched anew: read it as a whole, because there are no changes here.
  public let isFetch: Bool
  /// Deleted sections, by descending index.
  public let deletedSections: [Section]
  /// Inserted sections, by ascending index.
  public let insertedSections: [Section]
  /// Deletions, insertions, moves and updates, in this order.
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
