// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Texts reduced to the bytes that `[c]` and `[d]` compare: case and diacritics removed, composed.
///
/// ASCII bytes are folded in place; scalars of the Latin, Greek, Cyrillic, Hebrew and Arabic blocks by
/// a table that Foundation fills once; Foundation is asked for the rest.
/// Source: chosen; equal to Foundation's `folding(options:locale:)` scalar by scalar.
package struct TextFolding: Hashable, Sendable {
  package let ignoresCase: Bool
  package let ignoresDiacritics: Bool

  /// The folding that the options ask for; `[n]` overrides `[c]` and `[d]`.
  package init(_ options: TextOptions) {
    let folds = !options.contains(.normalized)
    ignoresCase = folds && options.contains(.caseInsensitive)
    ignoresDiacritics = folds && options.contains(.diacriticInsensitive)
  }

  /// Whether texts are compared as they are.
  package var isIdentity: Bool { !ignoresCase && !ignoresDiacritics }

  /// The folded bytes of a text.
  ///
  /// - Complexity: O(bytes), allocation-free beyond the result for ASCII.
  package func folded(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { folded($0) }
  }

  /// The folded bytes of UTF-8 text; malformed sequences are kept as they are.
  package func folded(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    if isIdentity { return [UInt8](bytes) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 4)
    if !append(bytes, to: &result) {
      result.removeAll(keepingCapacity: true)
      result.append(contentsOf: wholeFold(String(decoding: bytes, as: UTF8.self)).utf8)
    }
    return result
  }

  /// Folds scalar by scalar; false where a mark has to be composed with what precedes it.
  private func append(_ bytes: UnsafeBufferPointer<UInt8>, to result: inout [UInt8]) -> Bool {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte < 0x80 {
        result.append(ignoresCase ? Self.lowercase(byte) : byte)
        index += 1
        continue
      }
      let (scalar, length) = Self.decode(bytes, at: index)
      if isCombiningMark(scalar), !ignoresDiacritics { return false }
      if let table = table(for: scalar) {
        table.append(scalar, to: &result)
      } else if needsFoundation(scalar), let unicode = Unicode.Scalar(scalar) {
        result.append(contentsOf: wholeFold(String(Character(unicode))).utf8)
      } else {
        result.append(contentsOf: bytes[index..<index + length])
      }
      index += length
    }
    return true
  }

  /// Foundation's folding, composed, without the marks that stand alone.
  func wholeFold(_ text: String) -> String {
    var options: String.CompareOptions = []
    if ignoresCase { options.insert(.caseInsensitive) }
    if ignoresDiacritics { options.insert(.diacriticInsensitive) }
    let folded = text.folding(options: options, locale: nil).precomposedStringWithCanonicalMapping
    guard ignoresDiacritics else { return folded }
    var kept = String.UnicodeScalarView()
    kept.append(contentsOf: folded.unicodeScalars.lazy.filter { !isCombiningMark($0.value) })
    return String(kept)
  }
}

extension TextFolding {
  @inline(__always) static func lowercase(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  /// The scalar that starts at `index` and its length; 0 and 1 for malformed bytes.
  static func decode(
    _ bytes: UnsafeBufferPointer<UInt8>,
    at index: Int
  ) -> (scalar: UInt32, length: Int) {
    let first = bytes[index]
    let length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard length > 1, index + length <= bytes.count else { return (0, 1) }
    var scalar = UInt32(first) & (0x7F >> UInt32(length))
    for offset in 1..<length { scalar = scalar << 6 | UInt32(bytes[index + offset] & 0x3F) }
    return (scalar, length)
  }

  private func isCombiningMark(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
    default: false
    }
  }

  /// Scripts and symbols without case or strippable marks need no look-up.
  private func needsFoundation(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0...0x7F, 0x2000...0x20CF, 0x2190...0x245F, 0x2500...0x2BFF, 0x2E80...0xA63F,
      0xAC00...0xD7A3, 0x1F000...0x3FFFF:
      false
    default: true
    }
  }

  private func table(for scalar: UInt32) -> FoldTable? {
    switch (scalar, ignoresCase, ignoresDiacritics) {
    case (0x80...0x7FF, true, true): FoldTable.lowBoth
    case (0x80...0x7FF, true, false): FoldTable.lowCase
    case (0x80...0x7FF, false, true): FoldTable.lowDiacritics
    case (0x1E00...0x1FFF, true, true): FoldTable.highBoth
    case (0x1E00...0x1FFF, true, false): FoldTable.highCase
    case (0x1E00...0x1FFF, false, true): FoldTable.highDiacritics
    default: nil
    }
  }
}

/// The folded bytes of a range of scalars.
private struct FoldTable: Sendable {
  static let lowBoth = FoldTable(0x80...0x7FF, [.caseInsensitive, .diacriticInsensitive])
  static let lowCase = FoldTable(0x80...0x7FF, .caseInsensitive)
  static let lowDiacritics = FoldTable(0x80...0x7FF, .diacriticInsensitive)
  static let highBoth = FoldTable(0x1E00...0x1FFF, [.caseInsensitive, .diacriticInsensitive])
  static let highCase = FoldTable(0x1E00...0x1FFF, .caseInsensitive)
  static let highDiacritics = FoldTable(0x1E00...0x1FFF, .diacriticInsensitive)

  private let first: UInt32
  private var ends: [UInt16] = []
  private var bytes: [UInt8] = []

  private init(_ range: ClosedRange<UInt32>, _ options: TextOptions) {
    first = range.lowerBound
    let folding = TextFolding(options)
    for value in range {
      if let scalar = Unicode.Scalar(value) {
        bytes.append(contentsOf: folding.wholeFold(String(Character(scalar))).utf8)
      }
      ends.append(UInt16(bytes.count))
    }
  }

  func append(_ scalar: UInt32, to result: inout [UInt8]) {
    let index = Int(scalar - first)
    var at = index == 0 ? 0 : Int(ends[index - 1])
    let end = Int(ends[index])
    while at < end {
      result.append(bytes[at])
      at += 1
    }
  }
}
