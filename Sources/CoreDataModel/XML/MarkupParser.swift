// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads XML text into a tree of `MarkupElement`s.
///
/// Our own: Foundation's parser stops the program on some texts, and brings libraries of a megabyte
/// that nothing else needs. No namespaces; of a document type only its presence is read, and an own
/// subset of one is refused, so that no text grows by entities. Source: XML 1.0, fifth edition.
struct MarkupParser {
  /// Elements deeper than this are refused: whoever walks the tree recurses.
  private static let depth = 256

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var open: [MarkupElement] = []

  private struct Malformed: Error {}

  /// - Throws: `ModelError` with file and line where the text is no well-formed XML in UTF-8.
  /// - Complexity: the length of the text.
  static func root(of data: Data, file: String?) throws -> MarkupElement {
    if data.isEmpty { throw ModelError(file: file, reason: "the file is empty") }
    guard String(validating: data, as: UTF8.self) != nil else {
      throw ModelError(file: file, reason: "it is no XML text in UTF-8")
    }
    var parser = MarkupParser(bytes: Array(data))
    do {
      return try parser.document()
    } catch {
      throw ModelError(file: file, line: parser.line, reason: "it is not well-formed XML")
    }
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  // MARK: Document

  private mutating func document() throws -> MarkupElement {
    _ = takes("\u{FEFF}")
    if begins("<?xml") { try declaration() }
    var hasType = false
    while true {
      skipSpace()
      if takes("<!--") {
        try skip(past: "--", then: ">")
      } else if !hasType, takes("<!DOCTYPE") {
        hasType = true
        try documentType()
      } else {
        break
      }
    }
    let root = try elements()
    while true {
      skipSpace()
      if position == bytes.count { return root }
      guard takes("<!--") else { throw Malformed() }
      try skip(past: "--", then: ">")
    }
  }

  private mutating func declaration() throws {
    guard takes("<?xml"), isSpace(next) else { throw Malformed() }
    try skip(past: "?>")
  }

  /// A name and perhaps where its definition is.
  private mutating func documentType() throws {
    guard isSpace(next) else { throw Malformed() }
    while let byte = next, byte != UInt8(ascii: ">") {
      if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "<") { throw Malformed() }
      step()
      guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else { continue }
      while let inner = next, inner != byte { step() }
      guard next == byte else { throw Malformed() }
      step()
    }
    guard takes(">") else { throw Malformed() }
  }

  // MARK: Elements

  /// The root and everything in it, without recursion.
  private mutating func elements() throws -> MarkupElement {
    guard next == UInt8(ascii: "<") else { throw Malformed() }
    var text: [UInt8] = []
    repeat {
      guard let byte = next else { throw Malformed() }
      if byte != UInt8(ascii: "<") {
        if begins("]]>") { throw Malformed() }
        try character(into: &text)
        continue
      }
      if takes("<!--") {
        try skip(past: "--", then: ">")
      } else if takes("<![CDATA[") {
        while !takes("]]>") { try literal(into: &text) }
      } else {
        addText(&text)
        if takes("</") {
          if let root = try closing() { return root }
        } else if let root = try opening() {
          return root
        }
      }
    } while true
  }

  private mutating func addText(_ text: inout [UInt8]) {
    if !open.isEmpty, !text.isEmpty {
      open[open.count - 1].text += String(decoding: text, as: UTF8.self)
    }
    text.removeAll(keepingCapacity: true)
  }

  /// A start tag; the root where it is empty and the only one.
  private mutating func opening() throws -> MarkupElement? {
    let start = line
    guard takes("<"), open.count < Self.depth else { throw Malformed() }
    var element = MarkupElement(name: try name(), attributes: [:], line: start)
    while true {
      let isApart = isSpace(next)
      skipSpace()
      if takes(">") {
        open.append(element)
        return nil
      }
      if takes("/>") { return close(element) }
      guard isApart else { throw Malformed() }
      let key = try name()
      skipSpace()
      guard takes("=") else { throw Malformed() }
      skipSpace()
      if element.attributes.updateValue(try attributeValue(), forKey: key) != nil {
        throw Malformed()
      }
    }
  }

  private mutating func closing() throws -> MarkupElement? {
    let name = try name()
    skipSpace()
    guard takes(">"), let element = open.popLast(), element.name == name else { throw Malformed() }
    return close(element)
  }

  /// The element goes to its parent; the root is given back.
  private mutating func close(_ element: MarkupElement) -> MarkupElement? {
    var element = element
    element.text = element.text.trimmingCharacters(in: .whitespacesAndNewlines)
    if open.isEmpty { return element }
    open[open.count - 1].children.append(element)
    return nil
  }

  private mutating func attributeValue() throws -> String {
    guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw Malformed()
    }
    step()
    var value: [UInt8] = []
    while let byte = next, byte != quote {
      if byte == UInt8(ascii: "<") { throw Malformed() }
      let isReference = byte == UInt8(ascii: "&")
      try character(into: &value)
      // White space as it stands is one space; what references name stays.
      if !isReference, isSpace(value.last) { value[value.count - 1] = UInt8(ascii: " ") }
    }
    guard next == quote else { throw Malformed() }
    step()
    return String(decoding: value, as: UTF8.self)
  }

  private mutating func name() throws -> String {
    let start = position
    while let byte = next, isInName(byte, isFirst: position == start) { step() }
    if position == start { throw Malformed() }
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

  /// One character of text or of an attribute, a reference resolved.
  private mutating func character(into text: inout [UInt8]) throws {
    guard takes("&") else { return try literal(into: &text) }
    let start = position
    while let byte = next, byte != UInt8(ascii: ";"), position - start < 12 { step() }
    let reference = String(decoding: bytes[start..<position], as: UTF8.self)
    guard takes(";"), let scalar = Self.scalar(reference) else { throw Malformed() }
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
      // A number may not begin with a sign.
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

  /// One byte as it stands; every end of a line becomes a newline.
  private mutating func literal(into text: inout [UInt8]) throws {
    guard let byte = next else { throw Malformed() }
    if byte == UInt8(ascii: "\r") {
      step()
      if next == UInt8(ascii: "\n") { step() }
      text.append(UInt8(ascii: "\n"))
      return
    }
    if byte < 0x20, !isSpace(byte) { throw Malformed() }
    if byte == 0xEF, begins("\u{FFFE}") || begins("\u{FFFF}") { throw Malformed() }
    step()
    text.append(byte)
  }

  // MARK: Bytes

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func step() {
    if bytes[position] == UInt8(ascii: "\n") { line += 1 }
    position += 1
  }

  private func isSpace(_ byte: UInt8?) -> Bool {
    byte == 0x20 || byte == 0x9 || byte == 0xA || byte == 0xD
  }

  private mutating func skipSpace() { while isSpace(next) { step() } }

  private func begins(_ words: String) -> Bool { bytes[position...].starts(with: words.utf8) }

  /// Goes past the words where the rest begins with them; they have no newline.
  private mutating func takes(_ words: String) -> Bool {
    guard begins(words) else { return false }
    position += words.utf8.count
    return true
  }

  /// Goes past the next occurrence of the words, behind which the others must stand.
  private mutating func skip(past words: String, then others: String = "") throws {
    var ignored: [UInt8] = []
    while !takes(words) {
      try literal(into: &ignored)
      ignored.removeAll(keepingCapacity: true)
    }
    guard takes(others) else { throw Malformed() }
  }
}
