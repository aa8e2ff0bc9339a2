// SPDX-License-Identifier: Apache-2.0

/// A search for a folded needle in unfolded text, which checks eight positions at a time.
///
/// The needle's first two bytes are compared with eight positions in machine words. If one of the positions
/// may match, the eight positions are compared byte by byte.
struct ByteScan: Sendable {
  enum Finding {
    case found, absent
    /// The same two results for a text with non-ASCII bytes, which this type cannot fold.
    case foundAmongNonASCII, absentBesideOthers
  }
  let isNeedleASCII: Bool
  private let ignoresCase: Bool
  private let first: UInt64
  private let second: UInt64
  /// 0x20 in each byte if case is ignored and the needle's first byte is a letter, else 0.
  private let firstCase: UInt64
  private let secondCase: UInt64

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let tops: UInt64 = 0x8080_8080_8080_8080

  init(_ needle: UnsafeBufferPointer<UInt8>, ignoresCase: Bool) {
    isNeedleASCII = TextSearch.isASCII(needle)
    self.ignoresCase = ignoresCase
    func word(_ index: Int) -> (UInt64, UInt64) {
      guard index < needle.count else { return (0, 0) }
      let byte = needle[index]
      let isLetter = ignoresCase && byte &- 0x61 < 26
      return (UInt64(byte) &* Self.ones, isLetter ? 0x20 &* Self.ones : 0)
    }
    (first, firstCase) = word(0)
    (second, secondCase) = word(1)
  }

  /// Searches for the needle, which must not be empty.
  ///
  /// The result also states whether the text has bytes that are not ASCII.
  func find(
    in text: UnsafeBufferPointer<UInt8>,
    _ needle: UnsafeBufferPointer<UInt8>
  ) -> Finding {
    guard let base = text.baseAddress else { return .absent }
    let raw = UnsafeRawPointer(base)
    let last = text.count - needle.count
    var others: UInt64 = 0
    var at = 0
    if needle.count > 1 {
      // `at + 9`, because the second word starts one byte later.
      while at + 9 <= text.count {
        let word = raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        let next = raw.loadUnaligned(fromByteOffset: at + 1, as: UInt64.self)
        others |= word
        let difference = ((word | firstCase) ^ first) | ((next | secondCase) ^ second)
        if hasZero(difference), starts(text, from: at, to: min(at + 7, last), with: needle) {
          return isASCII(text, from: at, others) ? .found : .foundAmongNonASCII
        }
        at += 8
      }
    }
    if starts(text, from: at, to: last, with: needle) {
      return isASCII(text, from: at, others) ? .found : .foundAmongNonASCII
    }
    return isASCII(text, from: at, others) ? .absent : .absentBesideOthers
  }

  @inline(__always)
  private func hasZero(_ word: UInt64) -> Bool {
    (word &- Self.ones) & ~word & Self.tops != 0
  }

  /// Whether the whole text is ASCII, where `others` is the bitwise OR of all words before `at`.
  private func isASCII(
    _ text: UnsafeBufferPointer<UInt8>,
    from at: Int,
    _ others: UInt64
  ) -> Bool {
    if others & Self.tops != 0 { return false }
    return TextSearch.isASCII(UnsafeBufferPointer(rebasing: text[at...]))
  }

  private func starts(
    _ text: UnsafeBufferPointer<UInt8>,
    from: Int,
    to: Int,
    with needle: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    var at = from
    while at <= to {
      var index = 0
      while index < needle.count {
        let byte = text[at + index]
        if (ignoresCase ? TextFolding.lowercase(byte) : byte) != needle[index] { break }
        index += 1
      }
      if index == needle.count { return true }
      at += 1
    }
    return false
  }
}
