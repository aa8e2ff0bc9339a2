// SPDX-License-Identifier: Apache-2.0

extension RowChunk {
  /// A writer for a new row, which a store fills slot by slot.
  ///
  /// The row's version and the null bits of its first 32 slots form one word. For speed, only `finish()`
  /// writes this word to memory.
  @usableFromInline
  package struct NewRow {
    /// The row's index in its chunk.
    @usableFromInline package let index: Int
    @usableFromInline let words: UnsafeMutablePointer<UInt64>
    @usableFromInline let slots: UnsafeMutablePointer<UInt64>
    @usableFromInline var header: UInt64

    @inlinable @inline(__always)
    init(index: Int, words: UnsafeMutablePointer<UInt64>, headerWords: Int, version: Int64) {
      self.index = index
      self.words = words
      slots = words + headerWords
      header = 0xFFFF_FFFF_0000_0000 | UInt64(UInt32(truncatingIfNeeded: version))
    }

    /// Writes the slot's word and clears its null bit.
    @inlinable @inline(__always)
    package mutating func setWord(_ slot: Int, _ word: UInt64) {
      slots[slot] = word
      if slot < 32 {
        header &= ~(1 << UInt64(32 + slot))
      } else {
        words[1 + (slot - 32) >> 6] &= ~(1 << UInt64((slot - 32) & 63))
      }
    }

    /// Writes the header word: the version and the first 32 null bits.
    ///
    /// Without this call, the version is 0 and the first 32 slots are null.
    @inlinable @inline(__always)
    package func finish() { words[0] = header }
  }

  /// Appends a row whose slots are all null, and returns a writer for the row.
  @inlinable @inline(__always)
  package func newRow(version: Int64) -> NewRow {
    let row = appendRow()
    return NewRow(
      index: row,
      words: words + row * stride,
      headerWords: headerWords,
      version: version
    )
  }
}
