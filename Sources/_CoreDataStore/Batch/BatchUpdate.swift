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
