// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Cuts a format into tokens.
struct FormatLexer {
  private let format: String
  private let bytes: [UInt8]
  private var at = 0
  private var tokens: [FormatToken] = []

  init(_ format: String) {
    self.format = format
    bytes = Array(format.utf8)
  }

  /// All tokens, `.end` last.
  ///
  /// - Throws: `FormatError` for texts without an end, malformed numbers and stray characters.
  mutating func run() throws -> [FormatToken] {
    while true {
      while at < bytes.count, Self.isSpace(bytes[at]) { at += 1 }
      guard at < bytes.count else { break }
      try readToken()
    }
    add(.end, from: at)
    return tokens
  }

  private mutating func add(_ kind: FormatToken.Kind, from start: Int) {
    tokens.append(FormatToken(kind: kind, range: start..<at))
  }

  private func failure(_ code: FormatError.Code, from start: Int) -> FormatError {
    FormatError(code, in: format, at: start..<max(at, min(start + 1, bytes.count)))
  }

  private func peek(_ offset: Int = 0) -> UInt8 {
    at + offset < bytes.count ? bytes[at + offset] : 0
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private mutating func readToken() throws {
    let start = at
    let byte = bytes[at]
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): try readText(quote: byte)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
    case UInt8(ascii: ".") where Self.isDigit(peek(1)) && !followsOperand(start): try readNumber()
    case UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "$"):
      at += 1
      let word = readIdentifier()
      if word.isEmpty { throw failure(.unexpected, from: start) }
      switch byte {
      case UInt8(ascii: "#"): add(.escaped(word), from: start)
      case UInt8(ascii: "@"): add(.collectionOperator("@" + word), from: start)
      default: add(.variable(word), from: start)
      }
    case UInt8(ascii: "%"): try readPlaceholder()
    default:
      if Self.isLetter(byte) { readWord() } else { try readSymbol() }
    }
  }

  /// Whether the token before `start` is an operand that touches it, so that a dot is a step.
  private func followsOperand(_ start: Int) -> Bool {
    guard let last = tokens.last, last.range.upperBound == start else { return false }
    switch last.kind {
    case .symbol(let symbol): return [")", "]", "}"].contains(symbol)
    default: return true
    }
  }

  private mutating func readIdentifier() -> String {
    let start = at
    while at < bytes.count, Self.isLetter(bytes[at]) || Self.isDigit(bytes[at]) { at += 1 }
    return text(start..<at)
  }

  private mutating func readWord() {
    let start = at
    var word = readIdentifier()
    if word.uppercased() == "UTI" {
      for tail in ["-CONFORMS-TO", "-EQUALS"] where at + tail.utf8.count <= bytes.count {
        let end = at + tail.utf8.count
        guard text(at..<end).uppercased() == tail else { continue }
        at = end
        word = text(start..<at)
        break
      }
    }
    add(.word(word, upper: word.uppercased()), from: start)
  }

  private static let pairs = table([
    "**", "&&", "||", "<<", ">>", "==", "=<", "=>", "<=", "<>", ">=", "!=", ":=",
  ])
  private static let singles = table([
    "(", ")", "{", "}", "[", "]", ",", ".", ":", "+", "-", "*", "/", "&", "|", "^", "<", ">", "=",
    "!", "~",
  ])

  /// Symbols by their bytes as a number.
  private static func table(_ symbols: [String]) -> [Int: String] {
    Dictionary(
      uniqueKeysWithValues: symbols.map { ($0.utf8.reduce(0) { $0 << 8 | Int($1) }, $0) }
    )
  }

  private mutating func readSymbol() throws {
    let start = at
    if let symbol = Self.pairs[Int(peek()) << 8 | Int(peek(1))] {
      at += 2
      return add(.symbol(symbol), from: start)
    }
    if let symbol = Self.singles[Int(peek())] {
      at += 1
      return add(.symbol(symbol), from: start)
    }
    throw failure(.unexpected, from: start)
  }

  private mutating func readPlaceholder() throws {
    let start = at
    at += 1
    switch peek() {
    case UInt8(ascii: "@"):
      at += 1
      return add(.objectPlaceholder, from: start)
    case UInt8(ascii: "K"):
      at += 1
      return add(.keyPlaceholder, from: start)
    default: break
    }
    while at < bytes.count, "+-#0123456789.hlqztjL".utf8.contains(bytes[at]) { at += 1 }
    let conversion = peek()
    if conversion != 0, "diuxXocCDUO".utf8.contains(conversion) {
      at += 1
      add(.integerPlaceholder, from: start)
    } else if conversion != 0, "fFeEgGaA".utf8.contains(conversion) {
      at += 1
      add(.realPlaceholder, from: start)
    } else {
      throw failure(.unexpected, from: start)
    }
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  static func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte >= 0x80
  }
}

extension FormatLexer {
  private mutating func readNumber() throws {
    let start = at
    if peek() == 0x30, let radix = Self.radix(peek(1)) {
      at += 2
      let digits = readIdentifier()
      guard let number = UInt64(digits, radix: radix) else {
        throw failure(.malformedNumber, from: start)
      }
      let whole = Int64(exactly: number)
      add(whole.map { .integer($0) } ?? .real(Double(number)), from: start)
      return
    }
    var isReal = false
    skipDigits()
    if peek() == UInt8(ascii: "."), !Self.isLetter(peek(1)) {
      isReal = true
      at += 1
      skipDigits()
    }
    if peek() | 0x20 == UInt8(ascii: "e"),
      Self.isDigit(peek(1)) || "+-".utf8.contains(peek(1)) && Self.isDigit(peek(2))
    {
      isReal = true
      at += 2
      skipDigits()
    }
    if Self.isLetter(peek()) || isReal && peek() == UInt8(ascii: ".") {
      at += 1
      throw failure(.malformedNumber, from: start)
    }
    try addNumber(text(start..<at), isReal, from: start)
  }

  private mutating func addNumber(_ digits: String, _ isReal: Bool, from start: Int) throws {
    if !isReal, let number = Int64(digits) {
      add(.integer(number), from: start)
    } else if let number = Double("0" + digits + (digits.hasSuffix(".") ? "0" : "")) {
      add(.real(number), from: start)
    } else {
      throw failure(.malformedNumber, from: start)
    }
  }

  private mutating func skipDigits() {
    while at < bytes.count, Self.isDigit(bytes[at]) { at += 1 }
  }

  private static func radix(_ letter: UInt8) -> Int? {
    switch letter | 0x20 {
    case UInt8(ascii: "x"): 16
    case UInt8(ascii: "o"): 8
    case UInt8(ascii: "b"): 2
    default: nil
    }
  }

  private mutating func readText(quote: UInt8) throws {
    let start = at
    at += 1
    var content: [UInt8] = []
    while at < bytes.count, bytes[at] != quote {
      if bytes[at] == UInt8(ascii: "\\") {
        try readEscape(into: &content)
      } else {
        content.append(bytes[at])
        at += 1
      }
    }
    guard at < bytes.count else { throw failure(.unterminatedText, from: start) }
    at += 1
    add(.text(String(decoding: content, as: UTF8.self)), from: start)
  }

  private mutating func readEscape(into content: inout [UInt8]) throws {
    let start = at
    guard at + 1 < bytes.count else { throw failure(.unterminatedText, from: start) }
    let letter = bytes[at + 1]
    at += 2
    switch letter {
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "v"): content.append(0x0B)
    case UInt8(ascii: "a"): content.append(0x07)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "x"): try readScalar(digits: 2, radix: 16, from: start, into: &content)
    case UInt8(ascii: "u"): try readScalar(digits: 4, radix: 16, from: start, into: &content)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      at -= 1
      try readScalar(digits: 3, radix: 8, from: start, into: &content)
    default: content.append(letter)
    }
  }

  private mutating func readScalar(
    digits: Int,
    radix: UInt32,
    from start: Int,
    into content: inout [UInt8]
  ) throws {
    let end = at + digits
    guard end <= bytes.count, let value = UInt32(text(at..<end), radix: Int(radix)) else {
      throw failure(.malformedText, from: start)
    }
    at = end
    guard let scalar = Unicode.Scalar(value) else { throw failure(.malformedText, from: start) }
    content.append(contentsOf: String(Character(scalar)).utf8)
  }
}
