// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Texts reduced to the bytes that `[c]` and `[d]` compare: case and diacritics removed, composed.
///
/// ASCII bytes are folded in place; scalars of the Latin, Greek, Cyrillic, Hebrew and Arabic blocks by
/// a table that Foundation fills once; Foundation is asked for the rest, and for whole texts in which
/// a mark combines with what precedes it.
/// Source: chosen; equal to Foundation's `folding(options:locale:)`, composed, without marks.
package struct TextFolding: Hashable, Sendable {
  package let ignoresCase: Bool
  package let ignoresDiacritics: Bool
  /// Whether texts are compared as the current locale compares them (`[l]`).
  package let isLocaleSensitive: Bool

  /// The folding that the options ask for; `[n]` overrides the other letters.
  package init(_ options: TextOptions) {
    let folds = !options.contains(.normalized)
    ignoresCase = folds && options.contains(.caseInsensitive)
    ignoresDiacritics = folds && options.contains(.diacriticInsensitive)
    isLocaleSensitive = folds && options.contains(.localeSensitive)
  }

  /// Whether folded texts are the texts themselves; `[l]` folds nothing.
  package var isIdentity: Bool { !ignoresCase && !ignoresDiacritics }

  /// Foundation's options for the same folding.
  var compareOptions: String.CompareOptions {
    var options: String.CompareOptions = []
    if ignoresCase { options.insert(.caseInsensitive) }
    if ignoresDiacritics { options.insert(.diacriticInsensitive) }
    return options
  }

  /// The folded bytes of a text.
  ///
  /// - Complexity: O(bytes).
  package func folded(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { folded($0) }
  }

  /// The folded bytes of UTF-8 text; malformed sequences are kept as they are.
  package func folded(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    if isIdentity { return [UInt8](bytes) }
    return withFolded(bytes) { [UInt8]($0) }
  }

  /// Whether two texts are the same for the folding.
  package func equal(_ left: String, _ right: String) -> Bool {
    if isLocaleSensitive { return localizedOrder(left, right) == 0 }
    if isIdentity {
      return left.utf8.count == right.utf8.count && TextSearch.compare(left, right) == 0
    }
    return order(left, right) == 0
  }

  /// Negative, zero or positive, by the folded bytes; nothing is allocated for short texts.
  package func order(_ left: String, _ right: String) -> Int {
    var left = left
    var right = right
    return left.withUTF8 { a in right.withUTF8 { b in order(a, b) } }
  }

  /// Negative, zero or positive, by the folded bytes of UTF-8 texts.
  package func order(
    _ left: UnsafeBufferPointer<UInt8>,
    _ right: UnsafeBufferPointer<UInt8>
  ) -> Int {
    if isIdentity { return TextSearch.compare(left, right) }
    if ignoresCase, TextSearch.isASCII(left), TextSearch.isASCII(right) {
      return TextSearch.compareFoldedASCII(left, right)
    }
    return withFolded(left) { a in withFolded(right) { b in TextSearch.compare(a, b) } }
  }

  /// Negative, zero or positive, as the current locale orders.
  func localizedOrder(_ left: String, _ right: String) -> Int {
    left.compare(right, options: compareOptions, locale: .current).rawValue
  }

  /// Foundation's folding, composed, without the marks that stand alone.
  func wholeFold(_ text: String) -> String {
    let folded = text.folding(options: compareOptions, locale: nil)
      .precomposedStringWithCanonicalMapping
    guard ignoresDiacritics else { return folded }
    var kept = String.UnicodeScalarView()
    kept.append(contentsOf: folded.unicodeScalars.lazy.filter { !Self.isMark($0.value) })
    return String(kept)
  }
}

extension TextFolding {
  /// Calls `body` with the folded bytes, which live on the stack for texts of up to 256 bytes.
  func withFolded<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let capacity = max(1, bytes.count * Self.growth)
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { room in
      if let count = fold(bytes, into: room) {
        return body(UnsafeBufferPointer(rebasing: room[..<count]))
      }
      var whole = wholeFold(String(decoding: bytes, as: UTF8.self))
      return whole.withUTF8(body)
    }
  }

  /// Folds scalar by scalar and gives the number of bytes; nil where a mark combines with what
  /// precedes it, or where there is no room.
  private func fold(
    _ bytes: UnsafeBufferPointer<UInt8>,
    into room: UnsafeMutableBufferPointer<UInt8>
  ) -> Int? {
    let (low, high) = FoldTable.tables(ignoresCase, ignoresDiacritics)
    var count = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte < 0x80 {
        room[count] = ignoresCase ? Self.lowercase(byte) : byte
        count += 1
        index += 1
        continue
      }
      let (scalar, length) = Self.decode(bytes, at: index)
      index += length
      // Overlong sequences of malformed text are no place in a table.
      if length == 2, scalar >= 0x80 {
        guard low.write(scalar, to: room, &count) else { return nil }
      } else if scalar >= 0x1E00, scalar < 0x2000 {
        guard high.write(scalar, to: room, &count) else { return nil }
      } else {
        switch Self.kind(of: scalar) {
        case .plain:
          for at in index - length..<index {
            room[count] = bytes[at]
            count += 1
          }
        case .mark: if !ignoresDiacritics { return nil }
        case .combining: return nil
        case .unknown:
          guard append(scalar, length, to: room, &count) else { return nil }
        }
      }
    }
    return count
  }

  /// Asks Foundation for a scalar of no table.
  private func append(
    _ scalar: UInt32,
    _ length: Int,
    to room: UnsafeMutableBufferPointer<UInt8>,
    _ count: inout Int
  ) -> Bool {
    guard let unicode = Unicode.Scalar(scalar) else { return false }
    let folded = wholeFold(String(Character(unicode))).utf8
    if folded.count > length * Self.growth { return false }
    for byte in folded {
      room[count] = byte
      count += 1
    }
    return true
  }

  /// The most bytes that one byte becomes; texts that would need more are folded whole.
  static var growth: Int { 3 }

  @inline(__always) static func lowercase(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  /// The scalar that starts at `index` and its length; 0 and 1 for malformed bytes.
  @inline(__always) static func decode(
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
}
