// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A conversion of texts for comparison: `[c]` removes case, `[d]` removes diacritics, and either option
/// composes characters.
///
/// ASCII bytes are folded directly. The scalars U+0080 to U+07FF (such as Latin, Greek, Cyrillic, Hebrew and
/// Arabic) and U+1E00 to U+1FFF are folded with tables that are built once. Scalars of blocks without case
/// and diacritics stay unchanged. Foundation folds each of the other scalars, and the whole text if a scalar
/// can compose with the preceding one.
///
/// Source: this library's choice. The result equals that of `folding(options:locale:)` in composed form; if
/// diacritics are ignored, combining marks are also removed.
package struct TextFolding: Hashable, Sendable {
  package let ignoresCase: Bool
  package let ignoresDiacritics: Bool
  /// Whether texts are compared by the rules of the current locale (`[l]`).
  package let isLocaleSensitive: Bool

  /// Creates the folding for the options; `[n]` overrides the other options.
  package init(_ options: TextOptions) {
    let folds = !options.contains(.normalized)
    ignoresCase = folds && options.contains(.caseInsensitive)
    ignoresDiacritics = folds && options.contains(.diacriticInsensitive)
    isLocaleSensitive = folds && options.contains(.localeSensitive)
  }

  /// Whether folding leaves every text unchanged.
  ///
  /// `[l]` alone does not fold.
  package var isIdentity: Bool { !ignoresCase && !ignoresDiacritics }

  var compareOptions: String.CompareOptions {
    var options: String.CompareOptions = []
    if ignoresCase { options.insert(.caseInsensitive) }
    if ignoresDiacritics { options.insert(.diacriticInsensitive) }
    return options
  }

  /// Returns the UTF-8 bytes of a text after folding.
  ///
  /// - Complexity: O(bytes).
  package func folded(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { folded($0) }
  }

  /// Returns the folded bytes of UTF-8 text; the result for malformed UTF-8 is unspecified.
  package func folded(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    if isIdentity { return [UInt8](bytes) }
    return withFolded(bytes) { [UInt8]($0) }
  }

  /// Whether two texts are equal after folding; with `[l]`, whether the current locale compares them as
  /// equal.
  package func equal(_ left: String, _ right: String) -> Bool {
    if isLocaleSensitive { return localizedOrder(left, right) == 0 }
    if isIdentity {
      return left.utf8.count == right.utf8.count && TextSearch.compare(left, right) == 0
    }
    return order(left, right) == 0
  }

  /// Compares the folded bytes of two texts; returns a negative number, zero or a positive number.
  package func order(_ left: String, _ right: String) -> Int {
    var left = left
    var right = right
    return left.withUTF8 { a in right.withUTF8 { b in order(a, b) } }
  }

  /// Compares the folded bytes of two UTF-8 texts; returns a negative number, zero or a positive number.
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

  /// Compares two texts by the current locale; returns a negative number, zero or a positive number.
  func localizedOrder(_ left: String, _ right: String) -> Int {
    left.compare(right, options: compareOptions, locale: .current).rawValue
  }

  /// Returns the text folded by Foundation, in composed form, and without combining marks if diacritics
  /// are ignored.
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
  /// Calls `body` with the folded bytes, which are valid only during the call.
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

  /// Folds the text into `room`, one scalar at a time, and returns the number of folded bytes.
  ///
  /// Nil if the text must be folded as a whole.
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
      // The scalar of an overlong sequence in malformed text is below the range of the table.
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

  /// Folds a scalar with Foundation, appends the result and returns true; returns false if the scalar is
  /// invalid or the result is longer than `growth` allows.
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

  /// The maximum number of folded bytes for each original byte of a scalar.
  ///
  /// A text with a scalar that needs more bytes is folded as a whole.
  static var growth: Int { 3 }

  @inline(__always) static func lowercase(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  /// Returns the scalar at `index` and its length in bytes; the scalar must not be ASCII.
  ///
  /// Returns 0 and 1 for a continuation byte, and for an incomplete sequence at the end. Other malformed
  /// sequences are not detected.
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
