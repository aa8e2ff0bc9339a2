// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads XML text into a tree of `MarkupElement`s.
final class MarkupParser: NSObject, XMLParserDelegate {
  private var open: [MarkupElement] = []
  private var root: MarkupElement?

  /// - Throws: `ModelError` with file and line where the text is no well-formed XML.
  static func root(of data: Data, file: String) throws -> MarkupElement {
    let delegate = MarkupParser()
    let parser = XMLParser(data: data)
    parser.delegate = delegate
    let isWellFormed = parser.parse()
    if isWellFormed, let root = delegate.root { return root }
    let line = data.isEmpty ? nil : max(1, parser.lineNumber)
    throw ModelError(
      file: file,
      line: line,
      reason: data.isEmpty ? "the file is empty" : "it is not well-formed XML"
    )
  }

  func parser(
    _ parser: XMLParser,
    didStartElement elementName: String,
    namespaceURI: String?,
    qualifiedName qName: String?,
    attributes attributeDict: [String: String]
  ) {
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
    guard let closed = open.popLast() else { return }
    if open.isEmpty {
      root = closed
    } else {
      open[open.count - 1].children.append(closed)
    }
  }
}
