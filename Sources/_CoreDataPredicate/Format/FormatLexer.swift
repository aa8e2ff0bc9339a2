// SPDX-License-Identifier: Apache-2.0

struct FormatLexer {
  let format: String
  let bytes: [UInt8]
  /// The index in `bytes` at which the lexer continues.
  private(set) var at = 0
  private var followsOperand = false

  init(_ format: String) {
    self.format = format
    bytes = Array(format.utf8)
  }

  /// Reads the next token.
  ///
  /// At the end of the format, every call returns a token of the kind `.end`.
  ///
  /// - Throws: `FormatError` for unterminated strings, malformed numbers, unknown placeholders, unknown
  ///   characters, and `#`, `@` or `$` without a name.
  mutating func next() throws -> FormatToken {
    skipSpace()
    let token = try readToken()
    followsOperand = token.endsOperand
    return token
  }

  /// Whether the first byte after the current token and any white space is `byte`.
  func isFollowed(by byte: UInt8) -> Bool {
    var place = at
    while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 }
    return place < bytes.count && bytes[place] == byte
  }

  /// Whether the current token is followed by a colon that does not begin `:=`.
  var isFollowedByColon: Bool {
    guard isFollowed(by: UInt8(ascii: ":")) else { return false }
    let colon = bytes[at...].firstIndex(of: UInt8(ascii: ":")) ?? at
    return colon + 1 == bytes.count || bytes[colon + 1] != UInt8(ascii: "=")
  }

  /// Reads the keys that follow the current token, such as `.b.c` after `a`, and returns the index after
  /// them.
  ///
  /// Operators (`.@count`) and escaped keys (`.#like`) count as keys. The method stops before any other step,
  /// such as a call.
  mutating func readKeys() -> Int {
    while peek() == UInt8(ascii: ".") {
      let dot = at
      at += peek(1) == UInt8(ascii: "@") || peek(1) == UInt8(ascii: "#") ? 2 : 1
      let start = at
      if Self.isLetter(peek()) { skipIdentifier() }
      if at == start || isFollowed(by: UInt8(ascii: "(")) {
        at = dot
        break
      }
    }
    return at
  }

  func text(_ range: Range<Int>) -> String {
    // The callers pass ranges of whole characters, so decoding does not replace any bytes.
    String(decoding: bytes[range], as: UTF8.self)
  }

  func failure(
    _ code: FormatError.Code,
    from start: Int,
    expected: [String] = [],
    suggestion: String? = nil
  ) -> FormatError {
    // An unknown character can have several bytes, all of which belong to the range.
    var end = max(at, min(start + 1, bytes.count))
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    return FormatError(
      code,
      in: format,
      at: start..<end,
      expected: expected,
      suggestion: suggestion
    )
  }
}

extension FormatLexer {
  func peek(_ offset: Int = 0) -> UInt8 {
    at + offset < bytes.count ? bytes[at + offset] : 0
  }

  mutating func skip(_ count: Int) { at = min(at + count, bytes.count) }

  mutating func skipDigits() {
    while at < bytes.count, Self.isDigit(bytes[at]) { at += 1 }
  }

  private mutating func skipSpace() {
    while at < bytes.count, Self.isSpace(bytes[at]) { at += 1 }
  }

  private mutating func readToken() throws -> FormatToken {
    guard at < bytes.count else { return FormatToken(kind: .end, start: at, end: at) }
    let start = at
    let byte = bytes[at]
    if Self.isLetter(byte) { return readWord() }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return try readText(quote: byte)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
    case UInt8(ascii: ".") where Self.isDigit(peek(1)) && !(followsOperand && touches(start)):
      return try readNumber()
    case UInt8(ascii: "#"): return try readMarked(.escapedKey)
    case UInt8(ascii: "@"): return try readMarked(.operatorKey)
    case UInt8(ascii: "$"): return try readMarked(.variable)
    case UInt8(ascii: "%"): return try readPlaceholder()
    default:
      guard let symbol = readSymbol(byte) else {
        throw failure(.unexpected, from: start, suggestion: byte == 0x3F ? "%@" : nil)
      }
      return FormatToken(kind: .symbol(symbol), start: start, end: at)
    }
  }

  private func touches(_ start: Int) -> Bool { start > 0 && !Self.isSpace(bytes[start - 1]) }

  private mutating func skipIdentifier() {
    while at < bytes.count, Self.isLetter(bytes[at]) || Self.isDigit(bytes[at]) { at += 1 }
  }

  /// Reads a word after `#`, `@` or `$`.
  private mutating func readMarked(_ kind: FormatToken.Kind) throws -> FormatToken {
    let start = at
    at += 1
    guard Self.isLetter(peek()) || kind == .variable && Self.isDigit(peek()) else {
      let marker = Character(Unicode.Scalar(bytes[start]))
      throw failure(.unexpected, from: start, expected: ["a name after \(marker)"])
    }
    skipIdentifier()
    return FormatToken(kind: kind, start: start, end: at)
  }

  private mutating func readWord() -> FormatToken {
    let start = at
    skipIdentifier()
    if at - start == 3, peek() == UInt8(ascii: "-"), let word = readTypeOperator(start) {
      return FormatToken(kind: .word(word), start: start, end: at)
    }
    let word = FormatWord.word(bytes[start..<at])
    return FormatToken(kind: word.map { .word($0) } ?? .key, start: start, end: at)
  }

  /// Reads the rest of `UTI-CONFORMS-TO` or `UTI-EQUALS` after the `UTI` at `start`; nil for any other word.
  private mutating func readTypeOperator(_ start: Int) -> FormatWord? {
    for word in [FormatWord.utiConformsTo, .utiEquals] {
      let end = start + word.spelling.utf8.count
      guard end <= bytes.count, FormatWord.word(bytes[start..<end]) == word else { continue }
      // A following letter or digit belongs to the word, which is then a key and not this operator.
      if end < bytes.count, Self.isLetter(bytes[end]) || Self.isDigit(bytes[end]) { continue }
      at = end
      return word
    }
    return nil
  }

  private mutating func readPlaceholder() throws -> FormatToken {
    let start = at
    at += 1
    let kind: FormatToken.Kind
    if peek() == UInt8(ascii: "@") {
      kind = .objectPlaceholder
    } else if peek() == UInt8(ascii: "K") {
      kind = .keyPlaceholder
    } else {
      while at < bytes.count, "+-#0123456789.hlqztjL".utf8.contains(bytes[at]) { at += 1 }
      switch peek() {
      case 0: throw failure(.unexpected, from: start, expected: [Self.placeholders])
      case let letter where "diuxXocCDUO".utf8.contains(letter): kind = .integerPlaceholder
      case let letter where "fFeEgGaA".utf8.contains(letter): kind = .realPlaceholder
      case let letter:
        if Self.isLetter(letter) { at += 1 }
        throw failure(
          .unexpected,
          from: start,
          expected: [Self.placeholders],
          suggestion: letter | 0x20 == 0x73 ? "%@" : nil
        )
      }
    }
    at += 1
    return FormatToken(kind: kind, start: start, end: at)
  }

  private static let placeholders = "a placeholder such as %@, %K, %d or %f"

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  static func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte >= 0x80
  }

  private mutating func readSymbol(_ byte: UInt8) -> FormatSymbol? {
    if let symbol = Self.pair(byte, peek(1)) {
      at += 2
      return symbol
    }
    guard let symbol = Self.single(byte) else { return nil }
    at += 1
    return symbol
  }

  private static func pair(_ first: UInt8, _ second: UInt8) -> FormatSymbol? {
    switch (Unicode.Scalar(first), Unicode.Scalar(second)) {
    case ("=", "="): .equal
    case ("!", "="), ("<", ">"): .notEqual
    case ("<", "="), ("=", "<"): .lessOrEqual
    case (">", "="), ("=", ">"): .greaterOrEqual
    case ("&", "&"): .and
    case ("|", "|"): .or
    case ("*", "*"): .power
    case ("<", "<"): .shiftLeft
    case (">", ">"): .shiftRight
    case (":", "="): .assign
    default: nil
    }
  }

  private static func single(_ byte: UInt8) -> FormatSymbol? {
    switch Unicode.Scalar(byte) {
    case "(": .leftParenthesis
    case ")": .rightParenthesis
    case "{": .leftBrace
    case "}": .rightBrace
    case "[": .leftBracket
    case "]": .rightBracket
    case ",": .comma
    case ".": .dot
    case ":": .colon
    case "+": .plus
    case "-": .minus
    case "*": .star
    case "/": .slash
    case "&": .ampersand
    case "|": .bar
    case "^": .caret
    case "~": .tilde
    case "<": .less
    case ">": .greater
    case "=": .equal
    case "!": .not
    default: nil
    }
  }
}
