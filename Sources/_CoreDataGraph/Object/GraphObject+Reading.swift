// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The result of a direct read of a slot.
package enum SlotAccess {
  case word(UInt64)
  case null
  /// The slot cannot be read directly, so the caller must use the general accessor.
  ///
  /// The object is a fault, has no row, or has a class that was generated for slots other than the model's;
  /// or its reads must check the thread or be reported to Swift's Observation.
  case slow
}

/// The result of a direct read of a text slot.
package enum TextAccess {
  case text(String)
  case null
  /// The slot cannot be read directly; see `SlotAccess.slow`.
  case slow
}

/// Direct reads and writes for generated accessors.
///
/// These functions are declared in the same module as the variables that they access. In another module, each
/// access would be checked for exclusivity at run time.
extension GraphObject {
  package final func word(_ slot: Int) -> SlotAccess {
    if !flags.isDisjoint(with: .slowAccess) { return .slow }
    guard let chunk = borrowedChunk else { return .slow }
    return chunk._withUnsafeGuaranteedRef { chunk in
      chunk.isNull(Int(row), slot) ? .null : .word(chunk.word(Int(row), slot))
    }
  }

  package final func text(_ slot: Int) -> TextAccess {
    if !flags.isDisjoint(with: .slowAccess) { return .slow }
    guard let chunk = borrowedChunk else { return .slow }
    return chunk._withUnsafeGuaranteedRef { chunk in
      chunk.isNull(Int(row), slot) ? .null : .text(chunk.text(Int(row), slot))
    }
  }

  package final var isUnrealized: Bool { flags.contains(.fault) }
  package final var isConfined: Bool { flags.contains(.confined) }

  /// Returns the object's key if the object's row must be read; otherwise nil.
  ///
  /// The row of a fault must be read if it is not in memory. If `refreshing` is true, the row of every other
  /// object with a permanent key must be read too.
  package final func keyOfUnreadRow(refreshing: Bool) -> ObjectKey? {
    let isUnread = isUnrealized ? chunk == nil : refreshing && !key.isTemporary
    return isUnread ? key : nil
  }

  /// Fires the fault if the object still has a context; stops the program if the row cannot be read.
  ///
  /// `slot` is the slot of the property that is read; nil if the property is not known.
  package final func realizeFault(for slot: Int?) { registry.graph?.realize(self, for: slot) }
  package final var isMisaligned: Bool { flags.contains(.misaligned) }
  package final var isWatched: Bool { !flags.isDisjoint(with: .watched) }
  package final var writesSlowly: Bool { !flags.isDisjoint(with: .slowWrite) }

  /// Returns the word in a slot; nil if the value is null or the object has no row.
  ///
  /// `slot` is the slot in the model in use, which can differ from the slot for which the class was
  /// generated. The object must not be a fault.
  package final func presentWord(_ slot: Int) -> UInt64? {
    guard let chunk, !chunk.isNull(Int(row), slot) else { return nil }
    return chunk.word(Int(row), slot)
  }

  /// Returns the text in a slot; nil if the value is null or the object has no row.
  ///
  /// `slot` is the slot in the model in use, which can differ from the slot for which the class was
  /// generated. The object must not be a fault.
  package final func presentText(_ slot: Int) -> String? {
    guard let chunk, !chunk.isNull(Int(row), slot) else { return nil }
    return chunk.text(Int(row), slot)
  }

  /// The location of the current values, borrowed from the object without a retain; nil for a fault and for
  /// an object without a row.
  package final var borrowedRow: KeyedRow? {
    guard !flags.contains(.fault), let chunk = borrowedChunk else { return nil }
    return KeyedRow(
      entity: Unmanaged.passUnretained(entityDefinition),
      chunk: chunk,
      row: Int(row)
    )
  }

  /// Records a change of the slot and returns the row to write to.
  ///
  /// If the object has no context, no change is recorded, and the result is the object's current row. If the
  /// object has no row either, for example after a reset, the result is a new row that is never read.
  package final func willWrite(_ slot: Int) -> ChunkRow {
    if let graph = registry.graph { return graph.willWrite(self, slot: slot) }
    if let chunk { return (chunk, Int(row)) }
    return RowChunk.single(entityDefinition.rowLayout)
  }

  /// The chunk, not retained, because the object keeps the chunk alive during a read.
  @inline(__always)
  private final var borrowedChunk: Unmanaged<RowChunk>? {
    chunk.map(Unmanaged.passUnretained)
  }
}
