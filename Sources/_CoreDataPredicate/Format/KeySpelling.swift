// SPDX-License-Identifier: Apache-2.0

/// How key paths are written in a format.
enum KeySpelling {
  /// The path with `#` before the keys that are reserved words; the path has to be a bare one.
  static func escaped(_ path: String) -> String {
    if !path.utf8.contains(dot) { return escapedKey(path[...]) }
    return path.split(separator: ".", omittingEmptySubsequences: false)
      .map(escapedKey).joined(separator: ".")
  }

  private static func escapedKey(_ key: Substring) -> String {
    FormatWord.word(key.utf8)?.isReserved == true ? "#" + key : String(key)
  }

  /// Whether the path can be written as it is: names with dots between them.
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
