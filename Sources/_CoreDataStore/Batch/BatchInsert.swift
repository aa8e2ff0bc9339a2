// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// New rows of one entity, given in blocks, so that they need never be in memory together.
package struct BatchInsert {
  /// What happens to a new row whose unique values a stored row has.
  package enum Duplicates: Sendable {
    /// The batch fails.
    case refuse
    /// The stored row stays as it is.
    case keep
    /// The stored row takes the slots that the new one names.
    case overwriteNamed
    /// The stored row takes all slots.
    case overwrite
  }

  /// A block of rows.
  package struct Block {
    package let chunk: RowChunk
    /// How many of the chunk's rows are of the batch, from the first.
    package let count: Int
    /// The slots that each row names; empty unless the duplicates are `overwriteNamed`.
    package let named: [SlotSet]
    package init(chunk: RowChunk, count: Int, named: [SlotSet] = []) {
      self.chunk = chunk
      self.count = count
      self.named = named
    }
  }

  /// Slots of the stored attributes that no row may leave nil; those that the store derives are not
  /// among them.
  package static func mandatorySlots(of entity: EntityDefinition) -> [Int] {
    entity.storedSlots.filter { slot in
      let property = entity.properties[slot]
      guard !property.isOptional, let attribute = property.attribute else { return false }
      return attribute.derivation == nil
    }
  }

  /// Index of the entity; not abstract.
  package let entity: Int
  package let duplicates: Duplicates
  package var report: BatchReport
  /// The next block, nil after the last; called inside the transaction, so that it must not write to
  /// the store.
  package let next: () throws -> Block?

  package init(
    entity: Int,
    duplicates: Duplicates,
    report: BatchReport,
    next: @escaping () throws -> Block?
  ) {
    self.entity = entity
    self.duplicates = duplicates
    self.report = report
    self.next = next
  }
}
