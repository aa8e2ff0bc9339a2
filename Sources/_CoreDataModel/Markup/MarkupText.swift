// SPDX-License-Identifier: Apache-2.0

import Foundation

package enum MarkupText {
  /// Returns the text in `data` as UTF-8 bytes; text with a UTF-16 byte order mark is converted.
  ///
  /// - Throws: `ModelError`, with the line of the first invalid bytes, if the text is not valid UTF-8 or
  ///   UTF-16.
  /// - Complexity: O(bytes).
  package static func utf8(_ data: Data, file: String?) throws -> [UInt8] {
    let bytes = Array(data)
    if bytes.starts(with: [0xFF, 0xFE]) { return try utf16(bytes, isBigEndian: false, file) }
    if bytes.starts(with: [0xFE, 0xFF]) { return try utf16(bytes, isBigEndian: true, file) }
    if String(validating: bytes, as: UTF8.self) != nil { return bytes }
    // Each line can be validated separately, because in UTF-8 a newline byte is never part of another
    // character.
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
    throw ModelError(
      file: file,
      line: line + 1,
      reason: "the text is not valid UTF-8; convert it to UTF-8"
    )
  }

  private static func utf16(
    _ bytes: [UInt8],
    isBigEndian: Bool,
    _ file: String?
  ) throws -> [UInt8] {
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { place in
      let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    if bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self) {
      return Array(text.utf8)
    }
    let lines = units.split(separator: 0x0A, omittingEmptySubsequences: false)
    let line = lines.firstIndex { String(validating: $0, as: UTF16.self) == nil }
    throw ModelError(
      file: file,
      line: (line ?? lines.count - 1) + 1,
      reason: "the text begins with a UTF-16 byte order mark, but is not valid UTF-16"
    )
  }

  /// Returns the code point of a character in the form `U+0011`, for error messages.
  static func codePoint(_ scalar: Unicode.Scalar) -> String {
    let number = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - number.count)) + number
  }

  /// Returns the first character that XML 1.0 forbids even as a reference; nil if there is none.
  package static func forbidden(in text: String) -> Unicode.Scalar? {
    text.unicodeScalars.first { scalar in
      scalar.value < 0x20 && scalar != "\t" && scalar != "\n" && scalar != "\r"
        || (0xFFFE...0xFFFF).contains(scalar.value)
    }
  }

  /// Returns the text with `&`, `<`, `>`, `"`, tabs and line breaks replaced by references.
  package static func escaped(_ text: String) -> String { MarkupElement.escaped(text) }

  static func encoding(in declaration: String) -> String? {
    guard let name = declaration.range(of: "encoding") else { return nil }
    let parts = declaration[name.upperBound...].split(whereSeparator: { "\"'".contains($0) })
    return parts.count > 1 ? String(parts[1]) : nil
  }
}
