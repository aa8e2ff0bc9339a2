// SPDX-License-Identifier: Apache-2.0

extension RowChunk {
  /// Returns a line for each invariant that the chunk or the row violates; an empty array if all hold.
  ///
  /// Used by tests.
  /// - Complexity: O(slots).
  package func brokenInvariants(ofRow row: Int) -> [String] {
    guard row >= 0, row < count else {
      return ["row \(row) is outside the chunk's rows \(0..<count)"]
    }
    var found: [String] = []
    if count > capacity { found.append("\(count) rows are more than the capacity \(capacity)") }
    if arenaRoom < 0 {
      found.append("the arena is used beyond its end by \(CellText.bytes(-arenaRoom))")
    }
    if stride != layout.stride {
      found.append("the chunk's stride is \(stride), but the layout's is \(layout.stride)")
    }
    for (slot, kind) in layout.kinds.enumerated() where kind.isInArena && !isNull(row, slot) {
      let bytes = word(row, slot)
      let end = Int(bytes >> 32) + Int(bytes & 0xFFFF_FFFF)
      if end > arenaUsed {
        found.append(
          "slot \(slot) ends at byte \(end), but the used arena ends at byte \(arenaUsed)"
        )
      }
    }
    return found
  }
}
