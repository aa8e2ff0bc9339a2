// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads XML text into a tree of `MarkupElement`s.
final class MarkupParser: NSObject, XMLParserDelegate {
  /// Elements deeper than this are refused: whoever walks the tree recurses.
  private static let depth = 256
  private var isTooDeep = false
  private var open: [MarkupElement] = []
  private var root: MarkupElement?

  /// - Throws: `ModelError` with file and line where the text is no well-formed XML.
  static func root(of data: Data, file: String?) throws -> MarkupElement {
    guard isSafe(data) else {
      throw ModelError(file: file, reason: "it is no XML text of the usual form")
    }
    let delegate = MarkupParser()
    let parser = XMLParser(data: data)
    parser.delegate = delegate
    let isWellFormed = parser.parse()
    if isWellFormed, !delegate.isTooDeep, let root = delegate.root { return root }
    let line = data.isEmpty ? nil : max(1, parser.lineNumber)
    throw ModelError(
      file: file,
      line: line,
      reason: data.isEmpty ? "the file is empty" : "it is not well-formed XML"
    )
  }

  /// Foundation's parser stops the program on texts that are no UTF-8, on processing instructions
  /// without content and on declarations that it does not expect.
  private static func isSafe(_ data: Data) -> Bool {
    guard let text = String(validating: data, as: UTF8.self) else { return false }
    var rest = text.utf8[...]
    func begins(_ words: String...) -> Bool { words.contains { rest.starts(with: $0.utf8) } }
    if begins("<?") {
      guard begins("<?xml version=") else { return false }
      rest = rest.dropFirst(2)
    }
    while let place = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[place...]
      if begins("<?") { return false }
      if begins("<!"),
        !begins("<!--", "<![CDATA[", "<!DOCTYPE plist PUBLIC \"", "<!DOCTYPE database ")
      {
        return false
      }
      rest = rest.dropFirst()
    }
    return true
  }

  func parser(
    _ parser: XMLParser,
    didStartElement elementName: String,
    namespaceURI: String?,
    qualifiedName qName: String?,
    attributes attributeDict: [String: String]
  ) {
    if open.count >= Self.depth {
      isTooDeep = true
      parser.abortParsing()
    }
    open.append(
      MarkupElement(name: elementName, attributes: attributeDict, line: parser.lineNumber)
    )
  }

  func parser(
    _ parser: XMLParser,
    didEndElement elementName: String,
    namespaceURI: String?,
    qualifiedName qName: String?
  ) {
    guard var closed = open.popLast() else { return }
    closed.text = closed.text.trimmingCharacters(in: .whitespacesAndNewlines)
    if open.isEmpty {
      root = closed
    } else {
      open[open.count - 1].children.append(closed)
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    if open.isEmpty { return }
    open[open.count - 1].text += string
  }
}
