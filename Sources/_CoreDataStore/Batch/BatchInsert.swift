// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// New rows of one entity, in blocks, so that not all rows are in memory at once.
package struct BatchInsert {
  /// What happens to a new row if a stored row has the same unique values.
  package enum Duplicates: Sendable {
    /// The batch fails.
    case refuse
    /// The stored row stays as it is.
    case keep
    /// The stored row gets the new row's values for the slots in `Block.named`.
    case overwriteGivenProperties
    /// The stored row gets the new row's values for all slots.
    case overwrite
  }

  /// A part of the new rows, which is written before the next block is made.
  package struct Block {
    package let chunk: RowChunk
    /// The number of rows of the chunk, from the first, that belong to the batch.
    package let count: Int
    /// The slots for which each row has values; empty unless `duplicates` is `overwriteGivenProperties`.
    package let named: [SlotSet]
    package init(chunk: RowChunk, count: Int, named: [SlotSet] = []) {
      self.chunk = chunk
      self.count = count
      self.named = named
    }
  }

  /// Returns the slots of the stored attributes that must not be nil in a row, except those that the store
  /// derives.
  package static func mandatorySlots(of entity: EntityDefinition) -> [Int] {
    entity.storedSlots.filter { slot in
      let property = entity.properties[slot]
      guard !property.isOptional, let attribute = property.attribute else { return false }
      return attribute.derivation == nil
    }
  }

  /// The index of the entity, which is not abstract.
  package let entity: Int
  package let duplicates: Duplicates
  package var report: BatchReport
  /// Returns the next block; nil after the last block.
  ///
  /// Called inside the transaction, and therefore must not write to the store.
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
