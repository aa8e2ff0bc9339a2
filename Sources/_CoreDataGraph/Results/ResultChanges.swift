// SPDX-License-Identifier: Apache-2.0

/// How a results list became another: what a table has to do to its rows, in one batch.
///
/// Old paths count the list before all changes, new paths the list after all of them. Everything that
/// is not named keeps its relative order. Applied under a table's batch rules (deleted sections and
/// rows and the sources of moves by old paths; then inserted sections; then inserted rows and the
/// targets of moves by new paths, ascending) the old list becomes exactly the new one.
package struct ResultChanges {
  /// Sections that went, by their old index, descending.
  package internal(set) var deletedSections: [SectionChange] = []
  /// Sections that came, by their new index, ascending.
  package internal(set) var insertedSections: [SectionChange] = []
  /// Deletions by old path descending, then insertions, moves and updates by new path ascending.
  package internal(set) var rows: [ResultChange] = []

  package init() {}

  package var isEmpty: Bool {
    rows.isEmpty && deletedSections.isEmpty && insertedSections.isEmpty
  }

  /// A section that came or went; a section that went has no rows any more.
  package struct SectionChange {
    package let index: Int
    package let section: ResultsSection
  }
}

/// What happened to one row.
///
/// An update has both paths too: they differ where other rows came or went before it.
package struct ResultChange {
  /// Raw values are Apple's `NSFetchedResultsChangeType`.
  package enum Kind: UInt, Sendable { case insert = 1, delete, move, update }
  package let kind: Kind
  package let object: AnyObject
  /// Nil for an insertion.
  package let old: ResultPath?
  /// Nil for a deletion.
  package let new: ResultPath?
}
