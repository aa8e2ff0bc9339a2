// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataModel
import _CoreDataSQL

/// A cache of the statements that update one row, by `Shape`.
///
/// Programs repeatedly change the same few combinations of properties, and building the text of a statement
/// takes about a tenth of the time of saving one object.
package final class UpdateStatements: Sendable {
  /// The entity and slots that a statement updates, and whether it checks the row's version.
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

  /// The maximum number of cached statements; a full cache is emptied before a statement is added.
  package static let limit = 256
  private let cached = Mutex<[Shape: RowStatement]>([:])

  /// The number of cached statements.
  package var count: Int { cached.withLock { $0.count } }

  /// Returns the cached statement for the shape, or builds and caches it.
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
