// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension RowSorter {
  /// Packs the values of the sort columns into the rows' keys; returns how many leading columns the keys
  /// contain completely.
  func pack(_ entries: inout [SortedRow], _ chunks: [RowChunk]) -> Int {
    var bits = 64
    for (index, column) in columns.enumerated() {
      if bits == 0 { return index }
      let whole: Bool
      switch column.kind {
      case .double, .date: whole = packDoubles(column, of: &entries, in: chunks, bits: &bits)
      case .text, .url: whole = packTexts(column, of: &entries, in: chunks, bits: &bits)
      default: whole = packIntegers(column, of: &entries, in: chunks, bits: &bits)
      }
      if !whole { return index }
    }
    return columns.count
  }

  /// Adds a code of `width` bits to a key, directly below the bits in use.
  ///
  /// `room` is the number of unused bits. If there are fewer than `width`, only the highest bits of the code
  /// are added.
  private func put(
    _ code: UInt64,
    width: Int,
    of column: Column,
    into entry: inout SortedRow,
    room: Int
  ) {
    let full = width == 64 ? UInt64.max : (1 << UInt64(width)) - 1
    let directed = column.isAscending ? code : full - code
    entry.key |=
      width <= room
      ? directed << UInt64(room - width) : directed >> UInt64(width - room)
  }

  // MARK: Numbers

  /// Packs a column of integers; returns whether the keys contain the column completely.
  ///
  /// The code is 0 for null, and otherwise 1 plus the difference from the smallest number in the column.
  private func packIntegers(
    _ column: Column,
    of entries: inout [SortedRow],
    in chunks: [RowChunk],
    bits: inout Int
  ) -> Bool {
    var low = Int64.max
    var high = Int64.min
    for entry in entries {
      let chunk = chunks[Int(entry.chunk)]
      if chunk.isNull(Int(entry.row), column.slot) { continue }
      let number = chunk.integer(Int(entry.row), column.slot)
      low = min(low, number)
      high = max(high, number)
    }
    if low > high { return true }
    let (span, overflows) = high.subtractingReportingOverflow(low)
    // With a wider span, the values could use every code and leave none for null.
    guard !overflows, span < Int64.max - 1 else { return false }
    let width = 64 - (UInt64(span) + 1).leadingZeroBitCount
    for index in entries.indices {
      let entry = entries[index]
      let chunk = chunks[Int(entry.chunk)]
      let code =
        chunk.isNull(Int(entry.row), column.slot)
        ? 0 : UInt64(chunk.integer(Int(entry.row), column.slot) - low) + 1
      put(code, width: width, of: column, into: &entries[index], room: bits)
    }
    return use(width, &bits)
  }

  /// Packs a column of doubles; returns whether the keys contain the column completely.
  ///
  /// The code is 0 for null, otherwise the bits of the number, changed so that codes sort like numbers.
  private func packDoubles(
    _ column: Column,
    of entries: inout [SortedRow],
    in chunks: [RowChunk],
    bits: inout Int
  ) -> Bool {
    for index in entries.indices {
      let entry = entries[index]
      let chunk = chunks[Int(entry.chunk)]
      var code: UInt64 = 0
      if !chunk.isNull(Int(entry.row), column.slot) {
        // Adding zero turns -0 into 0.
        let pattern = (chunk.double(Int(entry.row), column.slot) + 0).bitPattern
        code = pattern >> 63 == 0 ? pattern | 1 << 63 : ~pattern
      }
      put(code, width: 64, of: column, into: &entries[index], room: bits)
    }
    return use(64, &bits)
  }

  private func use(_ width: Int, _ bits: inout Int) -> Bool {
    let fits = width <= bits
    bits = max(0, bits - width)
    return fits
  }

  // MARK: Texts

  /// Packs a column of strings: the ranks of the strings if there are few distinct ones, otherwise the first
  /// eight bytes of each string.
  ///
  /// Returns whether the keys contain the column completely.
  private func packTexts(
    _ column: Column,
    of entries: inout [SortedRow],
    in chunks: [RowChunk],
    bits: inout Int
  ) -> Bool {
    if let ranks = TextRanks(column.slot, entries, chunks) {
      for index in entries.indices {
        put(
          ranks.codes[index],
          width: ranks.width,
          of: column,
          into: &entries[index],
          room: bits
        )
      }
      return use(ranks.width, &bits)
    }
    for index in entries.indices {
      let entry = entries[index]
      let chunk = chunks[Int(entry.chunk)]
      var code: UInt64 = 0
      if !chunk.isNull(Int(entry.row), column.slot) {
        let bytes = chunk.bytes(Int(entry.row), column.slot)
        var shift: UInt64 = 56
        for byte in bytes.prefix(8) {
          code |= UInt64(byte) << shift
          shift &-= 8
        }
      }
      put(code, width: 64, of: column, into: &entries[index], room: bits)
    }
    bits = 0
    return false
  }
}

/// The sort ranks of a column's strings; the initializer returns nil for more than `limit` distinct strings.
private struct TextRanks {
  /// The rank of each entry's string, from 1; 0 for null.
  private(set) var codes: [UInt64]
  private(set) var width = 0

  private static let limit = 1024

  init?(_ slot: Int, _ entries: [RowSorter.SortedRow], _ chunks: [RowChunk]) {
    codes = [UInt64](repeating: 0, count: entries.count)
    var texts: [UnsafeRawBufferPointer] = []
    let mask = Self.limit * 4 - 1
    var table = [Int32](repeating: -1, count: mask + 1)
    for (index, entry) in entries.enumerated() {
      let chunk = chunks[Int(entry.chunk)]
      if chunk.isNull(Int(entry.row), slot) { continue }
      let bytes = chunk.bytes(Int(entry.row), slot)
      var cell = Self.hash(bytes) & mask
      while table[cell] >= 0, RowSorter.compare(texts[Int(table[cell])], bytes) != 0 {
        cell = (cell + 1) & mask
      }
      if table[cell] < 0 {
        if texts.count == Self.limit { return nil }
        table[cell] = Int32(texts.count)
        texts.append(bytes)
      }
      codes[index] = UInt64(table[cell]) + 1
    }
    let order = texts.indices.sorted { RowSorter.compare(texts[$0], texts[$1]) < 0 }
    var ranks = [UInt64](repeating: 0, count: texts.count + 1)
    for (rank, text) in order.enumerated() { ranks[text + 1] = UInt64(rank) + 1 }
    for index in codes.indices { codes[index] = ranks[Int(codes[index])] }
    width = Int.bitWidth - texts.count.leadingZeroBitCount
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: hash ^ hash >> 29)
  }
}
