// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads an XML document from beginning to end, and passes its elements to a visitor.
///
/// Foundation's parser is not used, because it crashes on some documents and adds a megabyte of libraries.
/// Namespaces are not supported. A document type declaration is skipped; a declaration with an internal
/// subset is an error, so that a document cannot define entities that expand.
/// Source: XML 1.0, fifth edition.
package struct MarkupReader<Visitor: MarkupVisitor> {
  /// The maximum nesting depth of elements, limited because functions that traverse the tree are recursive.
  private static var depth: Int { 256 }

  private var cursor: MarkupCursor
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
      throw ModelError(file: file, line: reader.cursor.line, reason: "\(start): \(error.reason)")
    }
  }

  private init(bytes: [UInt8], visitor: Visitor) {
    cursor = MarkupCursor(bytes)
    self.visitor = visitor
  }

  // MARK: Document

  private mutating func document() throws {
    _ = cursor.skipIfNext("\u{FEFF}")
    if cursor.begins("<?xml"), cursor.position + 5 < cursor.bytes.count,
      cursor.isSpace(cursor.bytes[cursor.position + 5])
    {
      try declaration()
    }
    var hasType = false
    while true {
      cursor.skipSpace()
      if try skipComment() { continue }
      guard !hasType, cursor.skipIfNext("<!DOCTYPE") else {
        break
      }
      hasType = true
      try documentType()
    }
    let root = try elements()
    while true {
      cursor.skipSpace()
      if cursor.position == cursor.bytes.count { return }
      if try !skipComment() {
        throw Failure.malformed("there is content after the end of <\(root)>")
      }
    }
  }

  private mutating func declaration() throws {
    let start = cursor.position
    try cursor.skip(past: "?>", of: "the XML declaration")
    let text = String(decoding: cursor.bytes[start..<cursor.position], as: UTF8.self)
    guard let encoding = MarkupText.encoding(in: text) else { return }
    let isRead = ["utf-8", "utf8", "us-ascii", "ascii", "utf-16"].contains(encoding.lowercased())
    if !isRead, cursor.bytes.contains(where: { $0 > 0x7F }) {
      throw Failure.unsupported("the encoding \(encoding) is not supported; use UTF-8 or UTF-16")
    }
  }

  /// Skips the comment or processing instruction at the current position; returns false if there is neither.
  private mutating func skipComment() throws -> Bool {
    if cursor.skipIfNext("<!--") {
      try cursor.skip(past: "--", of: "a comment")
      guard cursor.skipIfNext(">") else {
        throw Failure.malformed(
          cursor.next == nil ? "a comment is not terminated" : "a comment contains --"
        )
      }
      return true
    }
    guard cursor.skipIfNext("<?") else { return false }
    guard try cursor.name(of: "a processing instruction").lowercased() != "xml" else {
      throw Failure.malformed(
        "<?xml must be at the start of the text, and white space must follow it"
      )
    }
    try cursor.skip(past: "?>", of: "a processing instruction")
    return true
  }

  /// Skips the part of a document type declaration after `<!DOCTYPE`: a name and an optional external
  /// identifier.
  private mutating func documentType() throws {
    let noEnd = Failure.malformed("the document type declaration is not terminated")
    guard cursor.isSpace(cursor.next) else {
      throw cursor.next == nil ? noEnd : Failure.malformed("white space is missing after <!DOCTYPE")
    }
    while let byte = cursor.next, byte != UInt8(ascii: ">") {
      if byte == UInt8(ascii: "[") {
        throw Failure.unsupported(
          "a document type declaration with an internal subset is not supported; remove the subset"
        )
      }
      if byte == UInt8(ascii: "<") { throw noEnd }
      cursor.step()
      guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else { continue }
      while let inner = cursor.next, inner != byte { cursor.step() }
      guard cursor.next == byte else { throw noEnd }
      cursor.step()
    }
    guard cursor.skipIfNext(">") else { throw noEnd }
  }

  // MARK: Elements

  /// Reads the root element and its descendants, without recursion, and returns the name of the root.
  private mutating func elements() throws -> String {
    guard cursor.next == UInt8(ascii: "<") else {
      throw Failure.malformed("an element is expected, but \(cursor.found) follows")
    }
    var text: [UInt8] = []
    repeat {
      guard let byte = cursor.next else { throw unclosed }
      if byte != UInt8(ascii: "<") {
        if cursor.begins("]]>") {
          throw Failure.malformed("]]> is not allowed outside a CDATA section; write ]]&gt;")
        }
        if !cursor.plain(into: &text) { try cursor.character(into: &text) }
        continue
      }
      if try skipComment() { continue }
      if cursor.skipIfNext("<![CDATA[") {
        while !cursor.skipIfNext("]]>") {
          if cursor.next == nil { throw Failure.malformed("a CDATA section is not terminated") }
          try cursor.literal(into: &text)
        }
      } else {
        try addText(&text)
        if cursor.skipIfNext("</") {
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
    let (start, place) = (cursor.line, cursor.position)
    if open.count == Self.depth {
      throw Failure.unsupported("elements are nested more than \(Self.depth) levels deep")
    }
    _ = cursor.skipIfNext("<")
    let name = try cursor.name(of: "an element")
    func unterminated() -> Failure { .malformed("the tag <\(name) is not terminated") }
    var tag = MarkupTag(name: name, line: start, start: place)
    while true {
      let isApart = cursor.isSpace(cursor.next)
      cursor.skipSpace()
      if cursor.skipIfNext(">") {
        open.append((name, start))
        try visitor.begin(tag)
        return nil
      }
      if cursor.skipIfNext("/>") {
        try visitor.begin(tag)
        try visitor.end(name, at: cursor.position)
        return open.isEmpty ? name : nil
      }
      guard cursor.next != nil else { throw unterminated() }
      guard isApart else {
        throw Failure.malformed("\(cursor.found) in the tag <\(name) must follow white space")
      }
      let key = try cursor.name(of: "an attribute of <\(name)>")
      cursor.skipSpace()
      guard cursor.next != nil else { throw unterminated() }
      guard cursor.skipIfNext("=") else {
        throw Failure.malformed("the attribute \(key) of <\(name)> has no value")
      }
      cursor.skipSpace()
      guard cursor.next != nil else { throw unterminated() }
      let value = try attributeValue(of: "the attribute \(key) of <\(name)>")
      if !tag.add(key, value) {
        throw Failure.malformed("<\(name)> has the attribute \(key) twice")
      }
    }
  }

  private mutating func closing() throws -> String? {
    let name = try cursor.name(of: "an end tag")
    cursor.skipSpace()
    guard cursor.skipIfNext(">") else {
      throw Failure.malformed("> is expected after </\(name), but \(cursor.found) follows")
    }
    guard let element = open.last else { throw Failure.malformed("</\(name)> has no start tag") }
    guard element.name == name else {
      throw Failure.malformed(
        "</\(name)> does not match <\(element.name)> on line \(element.line)"
      )
    }
    open.removeLast()
    try visitor.end(name, at: cursor.position)
    return open.isEmpty ? name : nil
  }

  private mutating func attributeValue(of owner: @autoclosure () -> String) throws -> String {
    guard let quote = cursor.next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw Failure.malformed("the value of \(owner()) is not in quotation marks")
    }
    cursor.step()
    var value: [UInt8] = []
    while let byte = cursor.next, byte != quote {
      if byte == UInt8(ascii: "<") {
        throw Failure.malformed("the value of \(owner()) contains <; write &lt;")
      }
      let isReference = byte == UInt8(ascii: "&")
      try cursor.character(into: &value)
      // XML replaces literal white space in an attribute value by a space, but preserves white space from a
      // character reference.
      if !isReference, cursor.isSpace(value.last) { value[value.count - 1] = UInt8(ascii: " ") }
    }
    guard cursor.next == quote else {
      throw Failure.malformed("the value of \(owner()) is not terminated")
    }
    cursor.step()
    return String(decoding: value, as: UTF8.self)
  }
}
