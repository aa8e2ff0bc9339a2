// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Parses an XML document into a tree of `MarkupElement`s.
enum MarkupParser {
  /// Returns the root element of an XML document in UTF-8, or in UTF-16 with a byte order mark.
  ///
  /// - Throws: `ModelError` if the document is empty, not well-formed or not supported. The error contains
  ///   the file and, unless the document is empty, the line.
  /// - Complexity: O(bytes).
  static func root(of data: Data, file: String?) throws -> MarkupElement {
    let tree = try MarkupReader.read(data, file: file, with: MarkupTree())
    guard let root = tree.root else {
      preconditionFailure("internal error: a document was read without a root element")
    }
    return root
  }
}

/// Builds a tree from the elements that a `MarkupReader` passes to this visitor.
package struct MarkupTree: MarkupVisitor {
  /// The root element; nil until the reader has passed its end.
  private(set) var root: MarkupElement?
  /// Whether white space at the start and end of an element's text is kept.
  private let keepsSpace: Bool
  private var open: [MarkupElement] = []

  package init(keepsSpace: Bool = false) { self.keepsSpace = keepsSpace }

  package mutating func begin(_ tag: MarkupTag) {
    let attributes = Dictionary(tag.attributes.map { ($0.name, $0.value) }) { first, _ in first }
    open.append(MarkupElement(name: tag.name, attributes: attributes, line: tag.line))
  }

  package mutating func text(_ text: String) {
    if !open.isEmpty { open[open.count - 1].text += text }
  }

  package mutating func end(_ name: String, at position: Int) {
    guard var element = open.popLast() else { return }
    if !keepsSpace { element.text = element.text.trimmingCharacters(in: .whitespacesAndNewlines) }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }
}
