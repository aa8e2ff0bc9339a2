// SPDX-License-Identifier: Apache-2.0

/// A table of the folded bytes of each scalar in a range.
///
/// The bytes are in a buffer instead of an array, so that reading them does not retain anything.
final class FoldTable: @unchecked Sendable {
  // Unchecked: a table is immutable after `init`, and the tables live as long as the process.
  private static let both = Pair([.caseInsensitive, .diacriticInsensitive])
  private static let caseOnly = Pair(.caseInsensitive)
  private static let diacriticsOnly = Pair(.diacriticInsensitive)

  /// Returns the tables for U+0080...U+07FF and for U+1E00...U+1FFF.
  ///
  /// At least one of the arguments must be true.
  static func tables(
    _ ignoresCase: Bool,
    _ ignoresDiacritics: Bool
  ) -> (low: FoldTable, high: FoldTable) {
    let pair = !ignoresCase ? diacriticsOnly : ignoresDiacritics ? both : caseOnly
    return (pair.low, pair.high)
  }

  private final class Pair: Sendable {
    let low: FoldTable
    let high: FoldTable
    init(_ options: TextOptions) {
      low = FoldTable(0x80...0x7FF, options)
      high = FoldTable(0x1E00...0x1FFF, options)
    }
  }

  private static let width = 8
  /// The length that marks a scalar which cannot be folded alone; a text with such a scalar is folded as a
  /// whole.
  private static let combining: UInt8 = 0xFF

  private let first: UInt32
  /// Eight bytes for each scalar: up to seven folded bytes, and the count of these bytes in the eighth.
  private let cells: UnsafeMutablePointer<UInt8>

  private init(_ range: ClosedRange<UInt32>, _ options: TextOptions) {
    first = range.lowerBound
    cells = .allocate(capacity: range.count * Self.width)
    cells.initialize(repeating: 0, count: range.count * Self.width)
    let folding = TextFolding(options)
    for value in range {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let cell = cells + Int(value - first) * Self.width
      let bytes = Array(folding.wholeFold(String(Character(scalar))).utf8)
      let isMark = TextFolding.isMark(value)
      let isCombining =
        isMark
        ? !folding.ignoresDiacritics
        : scalar.properties.canonicalCombiningClass != .notReordered
      let room = min(Self.width - 1, String(scalar).utf8.count * TextFolding.growth)
      if isCombining || bytes.count > room {
        cell[Self.width - 1] = Self.combining
      } else if !isMark {
        for (index, byte) in bytes.enumerated() { cell[index] = byte }
        cell[Self.width - 1] = UInt8(bytes.count)
      }
    }
  }

  deinit { cells.deallocate() }

  /// Appends the folded scalar and returns true; returns false if the text must be folded as a whole.
  @inline(__always)
  func write(
    _ scalar: UInt32,
    to room: UnsafeMutableBufferPointer<UInt8>,
    _ count: inout Int
  ) -> Bool {
    let cell = cells + Int(scalar &- first) * Self.width
    let length = cell[Self.width - 1]
    if length == Self.combining { return false }
    var index = 0
    while index < Int(length) {
      room[count] = cell[index]
      count += 1
      index += 1
    }
    return true
  }
}
