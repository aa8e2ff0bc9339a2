// SPDX-License-Identifier: Apache-2.0

extension RowChunk {
  /// Returns a line for each invariant of chunks that the row violates; empty for a valid row.
  ///
  /// Used by tests.
  /// - Complexity: O(slots).
  package func brokenInvariants(ofRow row: Int) -> [String] {
    guard row >= 0, row < count else {
      return ["row \(row) is not one of the chunk's \(count) rows"]
    }
    var found: [String] = []
    if count > capacity { found.append("\(count) rows are more than the capacity \(capacity)") }
    if arenaRoom < 0 { found.append("the arena is used beyond its end by \(-arenaRoom) bytes") }
    if stride != layout.stride {
      found.append("a row has \(stride) words, but the layout has \(layout.stride)")
    }
    for (slot, kind) in layout.kinds.enumerated() where kind.isInArena && !isNull(row, slot) {
      let bytes = word(row, slot)
      let end = Int(bytes >> 32) + Int(bytes & 0xFFFF_FFFF)
      if end > arenaUsed {
        found.append("slot \(slot) ends at byte \(end) of an arena of \(arenaUsed) bytes")
      }
    }
    return found
  }
}
