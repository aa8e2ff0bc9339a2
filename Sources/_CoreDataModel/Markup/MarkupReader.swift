// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Receives the elements of an XML document while a `MarkupReader` reads it.
package protocol MarkupVisitor {
  /// Called for a start tag and for an empty-element tag.
  mutating func begin(_ tag: MarkupTag) throws
  /// Called for text directly inside the innermost open element, with references resolved.
  ///
  /// Text between two tags can come in several pieces, if comments divide it.
  mutating func text(_ text: String) throws
  /// Called for an end tag, and after `begin(_:)` for an empty-element tag.
  ///
  /// `position` is the offset of the byte after the tag in the UTF-8 form of the document.
  mutating func end(_ name: String, at position: Int) throws
}

/// A start tag: the name and the attributes of an element, and the line of the tag, counted from 1.
package struct MarkupTag {
  package let name: String
  package private(set) var attributes: [(name: String, value: String)] = []
  package let line: Int
  /// The offset of the tag's first byte in the UTF-8 form of the document.
  package let start: Int

  init(name: String, line: Int, start: Int) {
    self.name = name
    self.line = line
    self.start = start
  }

  package subscript(_ name: String) -> String? {
    attributes.first { $0.name == name }?.value
  }

  /// Adds an attribute; returns false if the tag has it already.
  mutating func add(_ name: String, _ value: String) -> Bool {
    if attributes.contains(where: { $0.name == name }) { return false }
    attributes.append((name, value))
    return true
  }
}

/// Reads an XML document from beginning to end, and passes its elements to a visitor.
///
/// Foundation's parser is not used, because it crashes on some documents and adds a megabyte of libraries.
/// Namespaces are not supported. A document type declaration is skipped; a declaration with an internal
/// subset is an error, so that a document cannot define entities that expand.
/// Source: XML 1.0, fifth edition.
package struct MarkupReader<Visitor: MarkupVisitor> {
  /// The maximum nesting depth of elements, limited because functions that traverse the tree are recursive.
  private static var depth: Int { 256 }

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var open: [(name: String, line: Int)] = []
  private var visitor: Visitor

  private typealias Failure = MarkupFailure

  /// Reads an XML document in UTF-8, or in UTF-16 with a byte order mark, and returns the visitor.
  ///
  /// - Throws: `ModelError` if the document is empty, not well-formed or not supported. The error contains
  ///   the file and, unless the document is empty, the line. Errors of the visitor end the reading and are
  ///   thrown as they are.
  /// - Complexity: O(bytes).
  package static func read(
    _ data: Data,
    file: String?,
    with visitor: Visitor
  ) throws -> Visitor {
    if data.isEmpty { throw ModelError(file: file, reason: "the file is empty") }
    var reader = MarkupReader(bytes: try MarkupText.utf8(data, file: file), visitor: visitor)
    do {
      try reader.document()
      return reader.visitor
    } catch let error as MarkupFailure {
      let start = error.isMalformed ? "the XML is not well-formed" : "the XML cannot be read"
      throw ModelError(file: file, line: reader.line, reason: "\(start): \(error.reason)")
    }
  }

  private init(bytes: [UInt8], visitor: Visitor) {
    self.bytes = bytes
    self.visitor = visitor
  }

  // MARK: Document

  private mutating func document() throws {
    _ = skipIfNext("\u{FEFF}")
    if begins("<?xml"), position + 5 < bytes.count, isSpace(bytes[position + 5]) {
      try declaration()
    }
    var hasType = false
    while true {
      skipSpace()
      if try skipComment() { continue }
      guard !hasType, skipIfNext("<!DOCTYPE") else {
        break
      }
      hasType = true
      try documentType()
    }
    let root = try elements()
    while true {
      skipSpace()
      if position == bytes.count { return }
      if try !skipComment() {
        throw Failure.malformed("there is content after the end of <\(root)>")
      }
    }
  }

  private mutating func declaration() throws {
    let start = position
    try skip(past: "?>", of: "the XML declaration")
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let encoding = MarkupText.encoding(in: text) else { return }
    let isRead = ["utf-8", "utf8", "us-ascii", "ascii", "utf-16"].contains(encoding.lowercased())
    if !isRead, bytes.contains(where: { $0 > 0x7F }) {
      throw Failure.unsupported("the encoding \(encoding) is not supported; use UTF-8 or UTF-16")
    }
  }

  /// Skips the comment or processing instruction at the current position; returns false if there is neither.
  private mutating func skipComment() throws -> Bool {
    if skipIfNext("<!--") {
      try skip(past: "--", of: "a comment")
      guard skipIfNext(">") else {
        throw Failure.malformed(
          next == nil ? "a comment is not terminated" : "a comment contains --"
        )
      }
      return true
    }
    guard skipIfNext("<?") else { return false }
    guard try name(of: "a processing instruction").lowercased() != "xml" else {
      throw Failure.malformed(
        "<?xml must be at the start of the text, and white space must follow it"
      )
    }
    try skip(past: "?>", of: "a processing instruction")
    return true
  }

  /// Skips the part of a document type declaration after `<!DOCTYPE`: a name and an optional external
  /// identifier.
  private mutating func documentType() throws {
    let noEnd = Failure.malformed("the document type declaration is not terminated")
    guard isSpace(next) else {
      throw next == nil ? noEnd : Failure.malformed("white space is missing after <!DOCTYPE")
    }
    while let byte = next, byte != UInt8(ascii: ">") {
      if byte == UInt8(ascii: "[") {
        throw Failure.unsupported(
          "a document type declaration with an internal subset is not supported; remove the subset"
        )
      }
      if byte == UInt8(ascii: "<") { throw noEnd }
      step()
      guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else { continue }
      while let inner = next, inner != byte { step() }
      guard next == byte else { throw noEnd }
      step()
    }
    guard skipIfNext(">") else { throw noEnd }
  }

  // MARK: Elements

  /// Reads the root element and its descendants, without recursion, and returns the name of the root.
  private mutating func elements() throws -> String {
    guard next == UInt8(ascii: "<") else {
      throw Failure.malformed("an element is expected, but \(found) follows")
    }
    var text: [UInt8] = []
    repeat {
      guard let byte = next else { throw unclosed }
      if byte != UInt8(ascii: "<") {
        if begins("]]>") {
          throw Failure.malformed("]]> is not allowed outside a CDATA section; write ]]&gt;")
        }
        try character(into: &text)
        continue
      }
      if try skipComment() { continue }
      if skipIfNext("<![CDATA[") {
        while !skipIfNext("]]>") {
          if next == nil { throw Failure.malformed("a CDATA section is not terminated") }
          try literal(into: &text)
        }
      } else {
        try addText(&text)
        if skipIfNext("</") {
          if let root = try closing() { return root }
        } else if let root = try opening() {
          return root
        }
      }
    } while true
  }

  private var unclosed: Failure {
    guard let element = open.last else {
      return Failure.malformed("the text ends without a root element")
    }
    return Failure.malformed("<\(element.name)> on line \(element.line) is not closed")
  }

  private mutating func addText(_ text: inout [UInt8]) throws {
    if !open.isEmpty, !text.isEmpty { try visitor.text(String(decoding: text, as: UTF8.self)) }
    text.removeAll(keepingCapacity: true)
  }

  /// Reads a start tag or an empty-element tag.
  ///
  /// Returns the name if the tag is an empty-element root, such as `<model/>`; otherwise nil.
  private mutating func opening() throws -> String? {
    let (start, place) = (line, position)
    if open.count == Self.depth {
      throw Failure.unsupported("elements are nested more than \(Self.depth) levels deep")
    }
    _ = skipIfNext("<")
    let name = try name(of: "an element")
    func unterminated() -> Failure { .malformed("the tag <\(name) is not terminated") }
    var tag = MarkupTag(name: name, line: start, start: place)
    while true {
      let isApart = isSpace(next)
      skipSpace()
      if skipIfNext(">") {
        open.append((name, start))
        try visitor.begin(tag)
        return nil
      }
      if skipIfNext("/>") {
        try visitor.begin(tag)
        try visitor.end(name, at: position)
        return open.isEmpty ? name : nil
      }
      guard next != nil else { throw unterminated() }
      guard isApart else {
        throw Failure.malformed("\(found) in the tag <\(name) needs white space before it")
      }
      let key = try self.name(of: "an attribute of <\(name)>")
      skipSpace()
      guard next != nil else { throw unterminated() }
      guard skipIfNext("=") else {
        throw Failure.malformed("the attribute \(key) of <\(name)> has no value")
      }
      skipSpace()
      guard next != nil else { throw unterminated() }
      let value = try attributeValue(of: "the attribute \(key) of <\(name)>")
      if !tag.add(key, value) {
        throw Failure.malformed("<\(name)> has the attribute \(key) twice")
      }
    }
  }

  private mutating func closing() throws -> String? {
    let name = try name(of: "an end tag")
    skipSpace()
    guard skipIfNext(">") else {
      throw Failure.malformed("> is expected after </\(name), but \(found) follows")
    }
    guard let element = open.last else { throw Failure.malformed("</\(name)> has no start tag") }
    guard element.name == name else {
      throw Failure.malformed(
        "</\(name)> does not match <\(element.name)> on line \(element.line)"
      )
    }
    open.removeLast()
    try visitor.end(name, at: position)
    return open.isEmpty ? name : nil
  }

  private mutating func attributeValue(of owner: @autoclosure () -> String) throws -> String {
    guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw Failure.malformed("the value of \(owner()) is not in quotation marks")
    }
    step()
    var value: [UInt8] = []
    while let byte = next, byte != quote {
      if byte == UInt8(ascii: "<") {
        throw Failure.malformed("the value of \(owner()) contains <; write &lt;")
      }
      let isReference = byte == UInt8(ascii: "&")
      try character(into: &value)
      // XML replaces literal white space in an attribute value by a space, but preserves white space from a
      // character reference.
      if !isReference, isSpace(value.last) { value[value.count - 1] = UInt8(ascii: " ") }
    }
    guard next == quote else {
      throw Failure.malformed("the value of \(owner()) is not terminated")
    }
    step()
    return String(decoding: value, as: UTF8.self)
  }

  private mutating func name(of part: @autoclosure () -> String) throws -> String {
    let start = position
    while let byte = next, isInName(byte, isFirst: position == start) { step() }
    if position == start {
      throw Failure.malformed("the name of \(part()) is expected, but \(found) follows")
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
  private mutating func character(into text: inout [UInt8]) throws {
    guard skipIfNext("&") else { return try literal(into: &text) }
    let start = position
    // 32 bytes are enough for any reference, even one with leading zeros.
    while let byte = next, byte != UInt8(ascii: ";"), position - start < 32 { position += 1 }
    let reference = String(decoding: bytes[start..<position], as: UTF8.self)
    guard skipIfNext(";") else {
      throw Failure.malformed(
        "& begins a reference without a semicolon; write &amp; for the character &"
      )
    }
    guard let scalar = Self.scalar(reference) else {
      throw Failure.malformed(
        reference.hasPrefix("#")
          ? "&\(reference); does not refer to a character that XML allows"
          : "the entity of &\(reference); is not defined; write &amp; for the character &"
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
  private mutating func literal(into text: inout [UInt8]) throws {
    guard let byte = next else { throw unclosed }
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
      throw Failure.malformed("the text contains \(found), which XML does not allow")
    }
    step()
    text.append(byte)
  }

  // MARK: Bytes

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private var found: String {
    let rest = bytes[position...].prefix(4)
    guard let scalar = String(decoding: rest, as: UTF8.self).unicodeScalars.first else {
      return "the end of the text"
    }
    let isShown = scalar.value > 0x20 && ![0xFEFF, 0xFFFE, 0xFFFF].contains(scalar.value)
    return isShown ? "“\(scalar)”" : MarkupText.codePoint(scalar)
  }

  /// Advances by one byte and counts lines, which end with CR, LF or CR LF.
  private mutating func step() {
    switch bytes[position] {
    case UInt8(ascii: "\r"): line += 1
    case UInt8(ascii: "\n"):
      if position == 0 || bytes[position - 1] != UInt8(ascii: "\r") { line += 1 }
    default: break
    }
    position += 1
  }

  private func isSpace(_ byte: UInt8?) -> Bool {
    byte == 0x20 || byte == 0x9 || byte == 0xA || byte == 0xD
  }

  private mutating func skipSpace() { while isSpace(next) { step() } }

  private func begins(_ words: String) -> Bool {
    // The first comparison is fast and rejects most candidates.
    next == words.utf8.first && bytes[position...].starts(with: words.utf8)
  }

  /// Skips `words` if the remaining text begins with them; returns whether it did.
  ///
  /// `words` must not contain a newline, because this function does not count lines.
  private mutating func skipIfNext(_ words: String) -> Bool {
    guard begins(words) else { return false }
    position += words.utf8.count
    return true
  }

  /// Skips the text up to and including the next occurrence of `words`.
  ///
  /// - Throws: `Failure`, which names `part`, if `words` do not occur.
  private mutating func skip(past words: String, of part: String) throws {
    var ignored: [UInt8] = []
    while !skipIfNext(words) {
      if next == nil { throw Failure.malformed("\(part) is not terminated") }
      try literal(into: &ignored)
      ignored.removeAll(keepingCapacity: true)
    }
  }
}

/// Why a document cannot be read.
private struct MarkupFailure: Error {
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
