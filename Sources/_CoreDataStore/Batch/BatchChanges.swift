// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// A batch update: new values for the rows that meet a condition.
package struct BatchUpdate: Sendable {
  /// The new value of a slot.
  package enum Assigned: Sendable {
    /// A value of the slot's kind; for an opaque slot, `.data` with the archived bytes.
    case value(Value)
    /// An expression, evaluated with the row's values before the update.
    case term(Term)
  }

  /// The index of the entity in `ModelDefinition.entities`.
  package var entity: Int
  package var includesSubentities = true
  package var condition: Condition?
  /// The new values, in ascending order of their slots.
  package var assignments: [(slot: Int, assigned: Assigned)] = []
  package var report: BatchReport = []

  package init(entity: Int) { self.entity = entity }
}

/// A batch deletion of the rows that a fetch matches; delete rules are applied.
package struct BatchDelete: Sendable {
  /// The fetch that selects the rows; its `shape` is ignored.
  package let rows: FetchDescription
  /// The keys of the rows to delete; nil to delete the rows that `rows` matches.
  ///
  /// Keys of other stores and of other entity hierarchies are ignored.
  package let keys: [ObjectKey]?
  package var report: BatchReport

  package init(rows: FetchDescription, keys: [ObjectKey]? = nil, report: BatchReport) {
    self.rows = rows
    self.keys = keys
    self.report = report
  }
}
