// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A store that can insert, update or delete many rows without creating objects, such as the SQLite store.
///
/// Source: documented, “NSBatchUpdateRequest”: batch requests work with SQLite stores only.
package protocol BatchStore: RowStore {
  /// Executes `work` in one transaction.
  ///
  /// `body` runs inside the transaction, after all rows are written and just before the commit; an error that
  /// it throws rolls the transaction back.
  /// - Throws: `StoreError`: `.constraint` if a row would not be unique; `.missingValue` if an inserted row
  ///   lacks a mandatory value; `.denied` if a delete rule forbids the deletion; `.inexpressible` for a
  ///   request that SQL cannot express; `.invalidRequest` for an invalid request, for example with a property
  ///   that the entity does not have; errors of `body`.
  /// - Complexity: one statement for each inserted row. The number of statements of an update or deletion
  ///   does not depend on the number of rows.
  func execute(
    _ work: BatchWork,
    by author: HistoryAuthor,
    beforeCommit body: () throws -> Void
  ) throws -> BatchOutcome
}

/// The work of a batch request in one store.
package enum BatchWork {
  case insert(BatchInsert)
  case update(BatchUpdate)
  case delete(BatchDelete)
}

/// The keys that a batch returns; each of these options costs time and memory for every row.
package struct BatchReport: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The keys of the rows that the request matches or inserts.
  package static let keys = BatchReport(rawValue: 1)
  /// The keys of all rows that were inserted, updated or deleted, including rows that delete rules changed or
  /// deleted.
  package static let changes = BatchReport(rawValue: 2)
}

/// The result of a batch request in one store.
package struct BatchOutcome: Sendable {
  /// The number of rows that the request matched or inserted, including stored rows that new rows overwrote.
  package var count = 0
  /// The keys of the rows that the request matched or inserted; empty unless the report contains `.keys`.
  package var keys: [ObjectKey] = []
  /// The keys of the inserted rows.
  ///
  /// `inserted`, `updated` and `deleted` are complete only if the report contains `.changes`.
  package var inserted: [ObjectKey] = []
  package var updated: [ObjectKey] = []
  package var deleted: [ObjectKey] = []
  /// The number of the history transaction; nil if the store has no history or recorded no changes.
  package var transaction: Int64?
  package init() {}
}
