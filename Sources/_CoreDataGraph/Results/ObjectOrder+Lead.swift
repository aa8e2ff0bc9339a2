// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The leads of objects: numbers by which many objects are sorted before their values are compared.
extension ObjectOrder {
  /// Returns a function that computes an object's lead; nil if the first sort key that can order objects of
  /// one section is compared by value, or if there is no such key.
  ///
  /// Within a section, the object with the smaller lead comes first; objects with equal leads must be
  /// compared with `compare(_:_:)`. `sectionPath` is the key path of section names; nil for a list without
  /// sections.
  package func lead(sectionedBy sectionPath: String?) -> ((GraphObject) -> UInt64)? {
    var first = 0
    if sectionPath != nil, keys.first?.keyPath == sectionPath, leading > 0 {
      // Objects of one section usually have the same value at the first level, so that level is skipped.
      // There are two exceptions. Null and the empty string have the same section name; the highest bit of
      // the lead tells them apart. Dates within one second have the same section name, so a level of dates is
      // not skipped.
      first = levels[0].kind == .double ? 0 : 1
    }
    guard first < leading else { return nil }
    return { lead(of: $0, from: first) }
  }

  private func lead(of object: GraphObject, from first: Int) -> UInt64 {
    if object.chunk == nil { realize(object) }
    guard let chunk = object.chunk else { return 0 }
    let row = object.rowIndex
    let half = Self.half(levels[first], chunk, row)
    var lead = UInt64(half.word) << 32
    // The second level may be used only if equal halves imply equal values at the first level.
    if half.isWhole, first + 1 < leading {
      lead |= UInt64(Self.half(levels[first + 1], chunk, row).word)
    }
    if first == 0 { return lead }
    let isNull = chunk.isNull(row, levels[0].slotOrIndex)
    return lead >> 1 | (isNull == (levels[0].sign > 0) ? 0 : 1 << 63)
  }

  /// Returns 32 bits that sort as the level's values do, and whether equal bits imply equal values.
  private static func half(
    _ level: Level,
    _ chunk: RowChunk,
    _ row: Int
  ) -> (word: UInt32, isWhole: Bool) {
    // Null and the empty text have the same word, so equal words of a text never imply equal values.
    var half: (word: UInt32, isWhole: Bool) = (0, level.kind != .text)
    if !chunk.isNull(row, level.slotOrIndex) {
      switch level.kind {
      case .value: half.isWhole = false
      case .integer: half = self.half(of: chunk.integer(row, level.slotOrIndex))
      case .double: half = (word(of: chunk.double(row, level.slotOrIndex)), false)
      case .text: half = (word(of: chunk.bytes(row, level.slotOrIndex)), false)
      }
    }
    return level.sign > 0 ? half : (~half.word, half.isWhole)
  }

  private static func half(of number: Int64) -> (word: UInt32, isWhole: Bool) {
    if number < Int64(Int32.min) + 2 { return (1, false) }
    if number >= Int64(Int32.max) { return (.max, false) }
    return (UInt32(truncatingIfNeeded: number) ^ 0x8000_0000, true)
  }

  private static func word(of number: Double) -> UInt32 {
    // 0 and -0 are equal but have different bits.
    let bits = number == 0 ? 0 : number.bitPattern
    let ordered = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    return max(1, UInt32(truncatingIfNeeded: ordered >> 32))
  }

  private static func word(of text: UnsafeRawBufferPointer) -> UInt32 {
    var word: UInt32 = 0
    for index in 0..<4 { word = word << 8 | (index < text.count ? UInt32(text[index]) : 0) }
    return word
  }
}
