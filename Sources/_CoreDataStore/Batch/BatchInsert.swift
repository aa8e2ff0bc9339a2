// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A batch insert of rows of one entity.
///
/// The rows are created in blocks, so that only one block is in memory at a time.
package struct BatchInsert {
  /// What happens to a new row if a stored row has the same unique values.
  package enum Duplicates: Sendable {
    /// The batch fails.
    case refuse
    /// The stored row is not changed.
    case keep
    /// The new row's values for the slots in `Block.named` are copied to the stored row.
    case overwriteGivenProperties
    /// All values of the new row are copied to the stored row.
    case overwrite
  }

  /// A part of the new rows; it is written before the next block is made.
  package struct Block {
    package let chunk: RowChunk
    /// The number of rows at the start of `chunk` that belong to the batch.
    package let count: Int
    /// For each row, the slots for which the caller gave values; empty unless `duplicates` is
    /// `overwriteGivenProperties`.
    package let named: [SlotSet]
    package init(chunk: RowChunk, count: Int, named: [SlotSet] = []) {
      self.chunk = chunk
      self.count = count
      self.named = named
    }
  }

  /// Returns the slots of the mandatory attributes, except derived attributes.
  package static func mandatorySlots(of entity: EntityDefinition) -> [Int] {
    entity.storedSlots.filter { slot in
      let property = entity.properties[slot]
      guard !property.isOptional, let attribute = property.attribute else { return false }
      return attribute.derivation == nil
    }
  }

  /// The index of the entity in `ModelDefinition.entities`; the entity must not be abstract.
  package let entity: Int
  package let duplicates: Duplicates
  package var report: BatchReport
  /// Returns the next block; nil after the last block.
  ///
  /// The closure is called inside a write transaction, so it must not write to the store.
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
