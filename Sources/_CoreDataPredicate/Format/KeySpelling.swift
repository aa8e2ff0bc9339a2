// SPDX-License-Identifier: Apache-2.0

enum KeySpelling {
  /// Returns the path with `#` before each key that is a reserved word.
  ///
  /// Requires `isBare(path)`.
  static func escaped(_ path: String) -> String {
    if !path.utf8.contains(dot) { return escapedKey(path[...]) }
    return path.split(separator: ".", omittingEmptySubsequences: false)
      .map(escapedKey).joined(separator: ".")
  }

  private static func escapedKey(_ key: Substring) -> String {
    FormatWord.word(key.utf8)?.isReserved == true ? "#" + key : String(key)
  }

  /// Whether the path consists of identifiers separated by dots, with at most one `@` before each.
  static func isBare(_ path: String) -> Bool {
    var isStart = true
    var isOperator = false
    for byte in path.utf8 {
      if byte == dot {
        if isStart { return false }
        isStart = true
        isOperator = false
      } else if byte == UInt8(ascii: "@"), isStart, !isOperator {
        isOperator = true
      } else if FormatLexer.isLetter(byte) || !isStart && FormatLexer.isDigit(byte) {
        isStart = false
      } else {
        return false
      }
    }
    return !isStart
  }

  private static var dot: UInt8 { UInt8(ascii: ".") }
}
