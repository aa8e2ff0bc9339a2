// SPDX-License-Identifier: Apache-2.0

/// The difference between two states of a results list: what a table must do with its rows, in one batch.
///
/// Old paths are positions before all changes, new paths positions after all changes. Rows and sections that
/// are not listed keep their relative order. A table first deletes sections, rows and the sources of moves by
/// their old paths. It then inserts sections, and then rows and the targets of moves, by their new paths in
/// ascending order. The old list then equals the new list.
package struct ResultChanges {
  /// Deleted sections by their old index, descending.
  package internal(set) var deletedSections: [SectionChange] = []
  /// Inserted sections by their new index, ascending.
  package internal(set) var insertedSections: [SectionChange] = []
  /// Deletions by old path descending, then insertions, moves and updates by new path ascending.
  package internal(set) var rows: [ResultChange] = []

  package init() {}

  package var isEmpty: Bool {
    rows.isEmpty && deletedSections.isEmpty && insertedSections.isEmpty
  }

  /// A deleted or inserted section; a deleted section has no rows any more.
  package struct SectionChange {
    package let index: Int
    package let section: ResultsSection
  }
}

/// The change of one row.
///
/// An update has both paths. The paths can differ, because other rows and sections may have been inserted,
/// deleted or moved.
package struct ResultChange {
  /// Raw values are Apple's `NSFetchedResultsChangeType`.
  package enum Kind: UInt, Sendable { case insert = 1, delete, move, update }
  package let kind: Kind
  package let object: AnyObject
  /// The row's path before all changes; nil for an insertion.
  package let old: ResultPath?
  /// The row's path after all changes; nil for a deletion.
  package let new: ResultPath?
}
