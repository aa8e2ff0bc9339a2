// SPDX-License-Identifier: Apache-2.0

/// Receives the elements of an XML document while a `MarkupReader` reads it.
package protocol MarkupVisitor {
  /// Called for a start tag and for an empty-element tag.
  mutating func begin(_ tag: MarkupTag) throws
  /// Called for the text between two tags, which is directly inside the innermost open element.
  ///
  /// Character and entity references are resolved, and comments are left out.
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

  /// Adds an attribute; returns false if the tag already has an attribute of that name.
  mutating func add(_ name: String, _ value: String) -> Bool {
    if attributes.contains(where: { $0.name == name }) { return false }
    attributes.append((name, value))
    return true
  }
}
