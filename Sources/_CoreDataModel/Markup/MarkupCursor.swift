// SPDX-License-Identifier: Apache-2.0

/// The position of a `MarkupReader` in the bytes of a document.
struct MarkupCursor {
  let bytes: [UInt8]
  var position = 0
  private(set) var line = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  // MARK: Names

  mutating func name(of part: @autoclosure () -> String) throws -> String {
    let start = position
    while let byte = next, isInName(byte, isFirst: position == start) { step() }
    if position == start {
      throw MarkupFailure.malformed("the name of \(part()) is expected, but \(found) follows")
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private func isInName(_ byte: UInt8, isFirst: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...:
      true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !isFirst
    default: false
    }
  }

  // MARK: Characters

  /// Appends the next byte to `text` or, if a reference such as `&lt;` is next, the character to which it
  /// refers.
  mutating func character(into text: inout [UInt8]) throws {
    guard skipIfNext("&") else { return try literal(into: &text) }
    let start = position
    // 32 bytes are enough for any reference, even one with leading zeros.
    while let byte = next, byte != UInt8(ascii: ";"), position - start < 32 { position += 1 }
    let reference = String(decoding: bytes[start..<position], as: UTF8.self)
    guard skipIfNext(";") else {
      throw MarkupFailure.malformed(
        "& begins a reference without a semicolon; write &amp; for the character &"
      )
    }
    guard let scalar = Self.scalar(reference) else {
      throw MarkupFailure.malformed(
        reference.hasPrefix("#")
          ? "&\(reference); does not refer to a character that XML allows"
          : "the entity &\(reference); is not defined; write &amp; for the character &"
      )
    }
    text += Array(String(Character(scalar)).utf8)
  }

  private static func scalar(_ reference: String) -> Unicode.Scalar? {
    switch reference {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard reference.hasPrefix("#") else { return nil }
      let isHex = reference.hasPrefix("#x")
      let digits = reference.dropFirst(isHex ? 2 : 1)
      // `UInt32.init` would accept a sign; XML does not.
      guard digits.first?.isHexDigit == true, let code = UInt32(digits, radix: isHex ? 16 : 10),
        let scalar = Unicode.Scalar(code), isAllowed(scalar)
      else { return nil }
      return scalar
    }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x9, 0xA, 0xD: true
    case 0..<0x20, 0xFFFE, 0xFFFF: false
    default: true
    }
  }

  /// Appends the next byte to `text` without resolving references; appends a newline for CR and for CR LF.
  ///
  /// Does nothing at the end of the document.
  mutating func literal(into text: inout [UInt8]) throws {
    guard let byte = next else { return }
    if byte == UInt8(ascii: "\r") {
      step()
      if next == UInt8(ascii: "\n") { step() }
      text.append(UInt8(ascii: "\n"))
      return
    }
    let isForbidden =
      byte < 0x20 && !isSpace(byte)
      || byte == 0xEF && (begins("\u{FFFE}") || begins("\u{FFFF}"))
    if isForbidden {
      throw MarkupFailure.malformed("the text contains \(found), which XML does not allow")
    }
    step()
    text.append(byte)
  }

  /// Appends the bytes of an element's text up to the first byte that may need special treatment, such as
  /// `<`, `&` or CR.
  ///
  /// - Returns: false if no bytes were appended.
  mutating func plain(into text: inout [UInt8]) -> Bool {
    var end = position
    scan: while end < bytes.count {
      switch bytes[end] {
      case UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "]"), UInt8(ascii: "\r"), 0xEF:
        break scan
      case UInt8(ascii: "\n"): line += 1
      case UInt8(ascii: "\t"), 0x20...: break
      default: break scan
      }
      end += 1
    }
    if end == position { return false }
    text += bytes[position..<end]
    position = end
    return true
  }

  // MARK: Bytes

  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  var found: String {
    let rest = bytes[position...].prefix(4)
    guard let scalar = String(decoding: rest, as: UTF8.self).unicodeScalars.first else {
      return "the end of the text"
    }
    let isShown = scalar.value > 0x20 && ![0xFEFF, 0xFFFE, 0xFFFF].contains(scalar.value)
    return isShown ? "“\(scalar)”" : MarkupText.codePoint(scalar)
  }

  /// Advances by one byte and counts lines, which end with CR, LF or CR LF.
  mutating func step() {
    switch bytes[position] {
    case UInt8(ascii: "\r"): line += 1
    case UInt8(ascii: "\n"):
      if position == 0 || bytes[position - 1] != UInt8(ascii: "\r") { line += 1 }
    default: break
    }
    position += 1
  }

  func isSpace(_ byte: UInt8?) -> Bool {
    byte == 0x20 || byte == 0x9 || byte == 0xA || byte == 0xD
  }

  mutating func skipSpace() { while isSpace(next) { step() } }

  func begins(_ words: String) -> Bool {
    // The first comparison is fast and rejects most candidates.
    next == words.utf8.first && bytes[position...].starts(with: words.utf8)
  }

  /// Skips `words` if the remaining text begins with them; returns whether it did.
  ///
  /// `words` must not contain a newline, because this function does not count lines.
  mutating func skipIfNext(_ words: String) -> Bool {
    guard begins(words) else { return false }
    position += words.utf8.count
    return true
  }

  /// Skips the text up to and including the next occurrence of `words`.
  ///
  /// - Throws: `MarkupFailure`, which names `part`, if `words` does not occur.
  mutating func skip(past words: String, of part: String) throws {
    var ignored: [UInt8] = []
    while !skipIfNext(words) {
      if next == nil { throw MarkupFailure.malformed("\(part) is not terminated") }
      try literal(into: &ignored)
      ignored.removeAll(keepingCapacity: true)
    }
  }
}

/// The reason for which a document cannot be read.
struct MarkupFailure: Error {
  let reason: String
  /// True if the document is not well-formed; false if the reader does not support a part of the document.
  let isMalformed: Bool

  static func malformed(_ reason: String) -> MarkupFailure {
    MarkupFailure(reason: reason, isMalformed: true)
  }
  static func unsupported(_ reason: String) -> MarkupFailure {
    MarkupFailure(reason: reason, isMalformed: false)
  }
}
