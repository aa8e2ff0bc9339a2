// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// New values for the rows that meet a condition.
package struct BatchUpdate: Sendable {
  /// What a slot gets.
  package enum Assigned: Sendable {
    /// A value that fits the slot's kind; `.data` with the archived bytes for an opaque slot.
    case value(Value)
    /// What an expression gives for the row as it was before.
    case term(Term)
  }

  /// Index of the entity.
  package var entity: Int
  package var includesSubentities = true
  package var condition: Condition?
  /// In the order of the slots.
  package var assignments: [(slot: Int, assigned: Assigned)] = []
  package var report: BatchReport = []

  package init(entity: Int) { self.entity = entity }
}

/// The deletion of the rows that a fetch would give, with what their delete rules ask for.
package struct BatchDelete: Sendable {
  /// Its shape counts for nothing.
  package let rows: FetchDescription
  /// The keys of the rows, in place of a condition; those of other stores and hierarchies name none.
  package let keys: [ObjectKey]?
  package var report: BatchReport

  package init(rows: FetchDescription, keys: [ObjectKey]? = nil, report: BatchReport) {
    self.rows = rows
    self.keys = keys
    self.report = report
  }
}
