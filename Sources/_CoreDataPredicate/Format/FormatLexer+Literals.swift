// SPDX-License-Identifier: Apache-2.0

extension FormatLexer {
  mutating func readNumber() throws -> FormatToken {
    let start = at
    if peek() == 0x30, let radix = Self.radix(peek(1)) { return try readDigits(radix) }
    var isReal = false
    skipDigits()
    if peek() == UInt8(ascii: "."), !Self.isLetter(peek(1)) || hasExponent(1) {
      isReal = true
      skip(1)
      skipDigits()
    }
    if hasExponent(0) {
      isReal = true
      skip(2)
      skipDigits()
    }
    if Self.isLetter(peek()) || isReal && peek() == UInt8(ascii: ".") {
      skip(1)
      throw failure(.malformedNumber, from: start)
    }
    if !isReal, let number = whole(start..<at) {
      return FormatToken(kind: .integer, start: start, end: at, number: number)
    }
    return FormatToken(kind: .real, start: start, end: at)
  }

  private func hasExponent(_ offset: Int) -> Bool {
    guard peek(offset) | 0x20 == UInt8(ascii: "e") else { return false }
    let next = peek(offset + 1)
    let isSign = next == UInt8(ascii: "+") || next == UInt8(ascii: "-")
    return Self.isDigit(next) || isSign && Self.isDigit(peek(offset + 2))
  }

  /// Returns the value of the decimal digits in `range`; nil if the value is greater than `UInt64.max`.
  private func whole(_ range: Range<Int>) -> UInt64? {
    var number: UInt64 = 0
    for byte in bytes[range] {
      let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isTooLargeNow) = tens.addingReportingOverflow(UInt64(byte &- 0x30))
      if isTooLarge || isTooLargeNow { return nil }
      number = sum
    }
    return number
  }

  /// Reads an integer with the prefix `0x`, `0o` or `0b`.
  private mutating func readDigits(_ radix: UInt64) throws -> FormatToken {
    let start = at
    skip(2)
    var number: UInt64 = 0
    var isValid = false
    var isTooLarge = false
    while Self.isLetter(peek()) || Self.isDigit(peek()) {
      let digit = Self.digit(peek())
      let (scaled, overflow) = number.multipliedReportingOverflow(by: radix)
      isTooLarge = digit < radix && overflow
      isValid = digit < radix && !overflow
      guard isValid else { break }
      number = scaled + digit
      skip(1)
    }
    guard isValid else {
      skip(1)
      throw failure(
        .malformedNumber,
        from: start,
        expected: [isTooLarge ? "at most 64 bits" : Self.digitRule(radix)]
      )
    }
    return FormatToken(kind: .integer, start: start, end: at, number: number)
  }

  private static func digitRule(_ radix: UInt64) -> String {
    switch radix {
    case 2: "at least one digit after 0b, and only binary digits"
    case 8: "at least one digit after 0o, and only octal digits"
    default: "at least one digit after 0x, and only hexadecimal digits"
    }
  }

  /// Returns the value of a hexadecimal digit; 255 for any other byte.
  private static func digit(_ byte: UInt8) -> UInt64 {
    if isDigit(byte) { return UInt64(byte - 0x30) }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? UInt64(letter) + 10 : 255
  }

  private static func radix(_ letter: UInt8) -> UInt64? {
    switch letter | 0x20 {
    case UInt8(ascii: "x"): 16
    case UInt8(ascii: "o"): 8
    case UInt8(ascii: "b"): 2
    default: nil
    }
  }

  /// Returns the value of a `real` token; infinity if the value is too large for a `Double`.
  func real(_ token: FormatToken) -> Double { Double(text(token.range)) ?? .infinity }

  mutating func readText(quote: UInt8) throws -> FormatToken {
    let start = at
    skip(1)
    while peek() != quote {
      guard at < bytes.count else { throw failure(.unterminatedText, from: start) }
      skip(peek() == UInt8(ascii: "\\") ? 2 : 1)
    }
    skip(1)
    return FormatToken(kind: .text, start: start, end: at)
  }

  /// Returns the content of a `text` token, without quotes and with escapes resolved.
  ///
  /// - Throws: `FormatError` (`malformedText`) for an invalid escape.
  func content(_ token: FormatToken) throws -> String {
    let inner = token.start + 1..<token.end - 1
    guard bytes[inner].contains(UInt8(ascii: "\\")) else { return text(inner) }
    var content: [UInt8] = []
    content.reserveCapacity(inner.count)
    var place = inner.lowerBound
    while place < inner.upperBound {
      if bytes[place] == UInt8(ascii: "\\") {
        place = try decodeEscape(place, inner.upperBound, into: &content)
      } else {
        content.append(bytes[place])
        place += 1
      }
    }
    return String(decoding: content, as: UTF8.self)
  }

  /// Appends the character that the escape at `start` encodes, and returns the index after the escape.
  private func decodeEscape(
    _ start: Int,
    _ end: Int,
    into content: inout [UInt8]
  ) throws -> Int {
    let letter = bytes[start + 1]
    switch letter {
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "v"): content.append(0x0B)
    case UInt8(ascii: "a"): content.append(0x07)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "x"):
      append(try number(start + 2, digits: 2, radix: 16, end, start), to: &content)
      return start + 4
    case UInt8(ascii: "u"): return try decodeUnits(start, end, into: &content)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      append(try number(start + 1, digits: 3, radix: 8, end, start), to: &content)
      return start + 4
    default: content.append(letter)
    }
    return start + 2
  }

  /// Decodes `\uXXXX`, or a surrogate pair of two such escapes.
  private func decodeUnits(
    _ start: Int,
    _ end: Int,
    into content: inout [UInt8]
  ) throws -> Int {
    let first = try number(start + 2, digits: 4, radix: 16, end, start)
    if Unicode.Scalar(first) != nil {
      append(first, to: &content)
      return start + 6
    }
    let second = start + 6
    guard first < 0xDC00, second + 1 < end, bytes[second] == UInt8(ascii: "\\"),
      bytes[second + 1] == UInt8(ascii: "u")
    else { throw malformed(start, second, Self.surrogates) }
    let low = try number(second + 2, digits: 4, radix: 16, end, start)
    guard 0xDC00..<0xE000 ~= low else { throw malformed(start, second + 6, Self.surrogates) }
    append(0x10000 + (first - 0xD800) << 10 + (low - 0xDC00), to: &content)
    return second + 6
  }

  private func append(_ scalar: UInt32, to content: inout [UInt8]) {
    if let scalar = Unicode.Scalar(scalar) { content += Array(String(Character(scalar)).utf8) }
  }

  private func number(
    _ place: Int,
    digits: Int,
    radix: UInt64,
    _ end: Int,
    _ escape: Int
  ) throws -> UInt32 {
    func expected() -> String { "\(digits) \(radix == 8 ? "octal" : "hexadecimal") digits" }
    guard place + digits <= end else { throw malformed(escape, end, expected()) }
    var number: UInt64 = 0
    for byte in bytes[place..<place + digits] {
      let digit = Self.digit(byte)
      guard digit < radix else { throw malformed(escape, place + digits, expected()) }
      number = number * radix + digit
    }
    return UInt32(number)
  }

  private static let surrogates = "a pair of surrogates, such as \\uD83D\\uDE00"

  private func malformed(_ start: Int, _ end: Int, _ expected: String) -> FormatError {
    FormatError(.malformedText, in: format, at: start..<end, expected: [expected])
  }
}
