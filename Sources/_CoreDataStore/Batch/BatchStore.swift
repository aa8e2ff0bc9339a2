// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A store that changes many rows at once, without objects; the in-memory store is none.
///
/// Source: documented, “NSBatchUpdateRequest”: stores of rows in SQL alone.
package protocol BatchStore: RowStore {
  /// Carries out `work` in one transaction: all of it lasts or nothing.
  ///
  /// `body` runs when everything is written and only the commit can still fail, as in a save.
  /// - Throws: `StoreError`; `.constraint` where a row would not be unique; `.denied` where a delete
  ///   rule forbids the deletion; `.unsayable` and `.invalidRequest` for what SQL cannot say or the
  ///   entity does not have; what `body` throws.
  /// - Complexity: a number of statements that depends on the request and, with cascades, on the
  ///   depth of what they reach, never on the rows.
  func carryOut(
    _ work: BatchWork,
    by author: HistoryAuthor,
    beforeCommit body: () throws -> Void
  ) throws -> BatchOutcome
}

/// What a batch request asks of one store.
package enum BatchWork {
  case insert(BatchInsert)
  case update(BatchUpdate)
  case delete(BatchDelete)
}

/// Which keys a batch gives back; each costs time and memory for every row.
package struct BatchReport: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The keys of the rows that the request is about.
  package static let keys = BatchReport(rawValue: 1)
  /// The keys of all rows that were inserted, changed or deleted, those reached by delete rules too.
  package static let changes = BatchReport(rawValue: 2)
}

/// What a batch did.
package struct BatchOutcome: Sendable {
  /// How many rows the request was about.
  package var count = 0
  /// The keys of those rows; empty unless the report asks for them.
  package var keys: [ObjectKey] = []
  /// By what happened; empty unless the report asks for changes.
  package var inserted: [ObjectKey] = []
  package var updated: [ObjectKey] = []
  package var deleted: [ObjectKey] = []
  /// The number of the history's transaction; nil where the store keeps none.
  package var transaction: Int64?
  package init() {}
}
