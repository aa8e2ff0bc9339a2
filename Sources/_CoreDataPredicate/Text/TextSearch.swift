// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Comparisons and searches on UTF-8 bytes.
package enum TextSearch {
  /// Whether all bytes are ASCII; true for an empty text.
  package static func isASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = text.baseAddress else { return true }
    let raw = UnsafeRawPointer(base)
    var at = 0
    while at + 8 <= text.count {
      let word = raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { return false }
      at += 8
    }
    while at < text.count {
      if text[at] >= 0x80 { return false }
      at += 1
    }
    return true
  }

  package static func equal(
    _ left: UnsafeBufferPointer<UInt8>,
    _ right: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    left.count == right.count && hasPrefix(left, right)
  }

  /// Compares bytes like SQLite's BINARY collation; returns a negative number, zero or a positive number.
  package static func compare(
    _ left: UnsafeBufferPointer<UInt8>,
    _ right: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let shared = min(left.count, right.count)
    if shared > 0, let a = left.baseAddress, let b = right.baseAddress {
      let order = Int(memcmp(a, b, shared))
      if order != 0 { return order }
    }
    return left.count - right.count
  }

  /// Compares the UTF-8 bytes of two texts; returns a negative number, zero or a positive number.
  package static func compare(_ left: String, _ right: String) -> Int {
    let fast = left.utf8.withContiguousStorageIfAvailable { a in
      right.utf8.withContiguousStorageIfAvailable { b in compare(a, b) }
    }
    if let fast, let order = fast { return order }
    var left = left
    var right = right
    return left.withUTF8 { a in right.withUTF8 { b in compare(a, b) } }
  }

  static func hasPrefix(
    _ text: UnsafeBufferPointer<UInt8>,
    _ prefix: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    starts(text, 0, prefix)
  }

  static func hasSuffix(
    _ text: UnsafeBufferPointer<UInt8>,
    _ suffix: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    text.count >= suffix.count && starts(text, text.count - suffix.count, suffix)
  }

  private static func starts(
    _ text: UnsafeBufferPointer<UInt8>,
    _ at: Int,
    _ needle: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard needle.count <= text.count - at else { return false }
    guard needle.count > 0, let a = text.baseAddress, let b = needle.baseAddress else {
      return true
    }
    return memcmp(a + at, b, needle.count) == 0
  }

  /// Whether `needle` occurs in `text`; always true for an empty needle.
  static func contains(
    _ text: UnsafeBufferPointer<UInt8>,
    _ needle: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard let base = text.baseAddress, let first = needle.first else { return needle.isEmpty }
    var at = 0
    while text.count - at >= needle.count {
      let rest = text.count - at - needle.count + 1
      guard let found = memchr(base + at, Int32(first), rest) else { return false }
      at = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      if starts(text, at, needle) { return true }
      at += 1
    }
    return false
  }

  /// Whether the ASCII `text`, regardless of its case, has the folded `needle` at the index `at`.
  ///
  /// The needle must not extend past the end of the text.
  @inline(__always)
  static func startsASCII(
    _ text: UnsafeBufferPointer<UInt8>,
    _ at: Int,
    _ needle: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    var index = 0
    while index < needle.count {
      if TextFolding.lowercase(text[at + index]) != needle[index] { return false }
      index += 1
    }
    return true
  }

  /// Compares two ASCII texts ignoring case; returns a negative number, zero or a positive number.
  static func compareFoldedASCII(
    _ left: UnsafeBufferPointer<UInt8>,
    _ right: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let shared = min(left.count, right.count)
    var at = 0
    while at < shared {
      let order = Int(TextFolding.lowercase(left[at])) - Int(TextFolding.lowercase(right[at]))
      if order != 0 { return order }
      at += 1
    }
    return left.count - right.count
  }
}
