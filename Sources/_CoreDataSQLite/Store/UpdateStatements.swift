// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataModel
import _CoreDataSQL

/// The statements that update one row, by the columns that they write.
///
/// Each statement is built at its first use. Programs change the same few combinations of properties
/// repeatedly, and building a statement's text costs about a tenth of saving one object.
package final class UpdateStatements: Sendable {
  /// What an update statement writes and checks.
  package struct Shape: Hashable, Sendable {
    let entity: Int
    let slots: SlotSet
    let checksVersion: Bool

    package init(entity: Int, slots: SlotSet, checksVersion: Bool) {
      self.entity = entity
      self.slots = slots
      self.checksVersion = checksVersion
    }
  }

  package init() {}

  /// The number of kept statements at which the cache is emptied, so that the cache stays small.
  package static let limit = 256
  private let cached = Mutex<[Shape: RowStatement]>([:])

  /// The number of statements that are kept.
  package var count: Int { cached.withLock { $0.count } }

  /// Returns the statement for the shape.
  ///
  /// - Complexity: O(1) on average; O(slots) at the first use of a shape.
  package func statement(_ shape: Shape, in layout: Layout) -> RowStatement {
    if let found = cached.withLock({ $0[shape] }) { return found }
    let made = RowStatement.update(
      layout.entities[shape.entity],
      slots: shape.slots,
      checksVersion: shape.checksVersion
    )
    cached.withLock { cached in
      if cached.count >= Self.limit { cached = [:] }
      cached[shape] = made
    }
    return made
  }
}
