// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// What a slot holds, or that the object has to be asked another way.
package enum SlotAccess {
  case word(UInt64)
  case null
  /// A fault, or a class whose slots are not the model's.
  case slow
}

/// What a text slot holds, or that the object has to be asked another way.
package enum TextAccess {
  case text(String)
  case null
  /// A fault, or a class whose slots are not the model's.
  case slow
}

/// The reads of generated accessors. They stand here, beside the variables they read: from another
/// module every access would be checked for exclusivity at run time.
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
  /// Realises a fault, if there is still a context.
  package final func realizeFault(for slot: Int?) { registry.graph?.realize(self, for: slot) }
  package final var isMisaligned: Bool { flags.contains(.misaligned) }
  package final var isWatched: Bool { !flags.isDisjoint(with: .watched) }
  package final var writesSlowly: Bool { !flags.isDisjoint(with: .slowWrite) }

  /// The word of a slot of the running model, in a realised object; nil where it is null.
  package final func presentWord(_ slot: Int) -> UInt64? {
    guard let chunk, !chunk.isNull(Int(row), slot) else { return nil }
    return chunk.word(Int(row), slot)
  }

  /// The text of a slot of the running model, in a realised object; nil where it is null.
  package final func presentText(_ slot: Int) -> String? {
    guard let chunk, !chunk.isNull(Int(row), slot) else { return nil }
    return chunk.text(Int(row), slot)
  }

  /// Where the values of a realised object are, borrowed from it; nil for a fault.
  package final var borrowedPlace: KeyedPlace? {
    guard !flags.contains(.fault), let chunk = borrowedChunk else { return nil }
    return KeyedPlace(
      entity: Unmanaged.passUnretained(entityDefinition),
      chunk: chunk,
      row: Int(row)
    )
  }

  /// Records a change of the slot and returns the row to write at.
  ///
  /// An object without a context has a row of its own. One that a reset has left as a fault has none: what
  /// is written to it goes to a row that nothing reads, so the object stays a fault.
  package final func willWrite(_ slot: Int) -> ChunkRow {
    if let graph = registry.graph { return graph.willWrite(self, slot: slot) }
    if let chunk { return (chunk, Int(row)) }
    let unread = RowChunk(layout: entityDefinition.rowLayout, capacity: 1)
    return (unread, unread.appendRow())
  }

  /// The chunk without a retain: the object holds it for as long as one of its reads runs.
  @inline(__always)
  private final var borrowedChunk: Unmanaged<RowChunk>? {
    chunk.map(Unmanaged.passUnretained)
  }
}
