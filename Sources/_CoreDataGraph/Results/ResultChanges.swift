// SPDX-License-Identifier: Apache-2.0

/// The difference between two states of a results list, as one batch of updates for a table view.
///
/// An old path is a position before all changes, and a new path is a position after all changes. Rows and
/// sections that are not listed keep their relative order. To apply the difference, a table first deletes
/// sections, rows and the sources of moves by their old paths. It then inserts sections, and after them the
/// rows and the targets of moves, by their new paths in ascending order. The table then shows the new list.
package struct ResultChanges {
  /// The deleted sections, in descending order of their old indexes.
  package internal(set) var deletedSections: [SectionChange] = []
  /// The inserted sections, in ascending order of their new indexes.
  package internal(set) var insertedSections: [SectionChange] = []
  /// The deletions in descending order of old paths, then the insertions, then the moves, then the updates,
  /// each in ascending order of new paths.
  package internal(set) var rows: [ResultChange] = []

  package init() {}

  package var isEmpty: Bool {
    rows.isEmpty && deletedSections.isEmpty && insertedSections.isEmpty
  }

  /// A deleted or inserted section; a deleted section no longer has rows.
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
  /// The raw values are those of Apple's `NSFetchedResultsChangeType`.
  package enum Kind: UInt, Sendable { case insert = 1, delete, move, update }
  package let kind: Kind
  package let object: AnyObject
  /// The row's path before all changes; nil for an insertion.
  package let old: ResultPath?
  /// The row's path after all changes; nil for a deletion.
  package let new: ResultPath?
}
