// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads and writes XML property lists; reads the references of keyed archives (`CF$UID`) too.
package enum PropertyListMarkup {
  /// Returns the root of an XML property list.
  ///
  /// - Throws: `ModelError`, with the line, if the text is not well-formed XML, its elements are not those of
  ///   a property list, or a value cannot be read.
  static func root(of data: Data) throws -> PropertyListNode {
    try value(of: MarkupParser.root(of: data, file: nil))
  }

  /// Returns the value of the `<plist>` element that is the root of a tree; nil if the tree is not complete.
  package static func value(of tree: MarkupTree) throws -> PropertyListNode? {
    try tree.root.map(value)
  }

  private static func value(of root: MarkupElement) throws -> PropertyListNode {
    guard root.name == "plist" else {
      throw error("the root element is <\(root.name)>, not <plist>", at: root)
    }
    guard let top = root.children.first else {
      throw error("the property list contains no value", at: root)
    }
    return try node(top)
  }

  private static func error(_ reason: String, at element: MarkupElement) -> ModelError {
    ModelError(line: element.line, reason: reason)
  }

  private static func invalid(_ element: MarkupElement, expected: String) -> ModelError {
    error("the <\(element.name)> “\(element.text.prefix(40))” is not \(expected)", at: element)
  }

  /// The recursion is bounded, because `MarkupParser` limits the depth of the elements.
  private static func node(_ element: MarkupElement) throws -> PropertyListNode {
    switch element.name {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "string": return .text(element.text)
    case "integer":
      guard let number = Int64(plain(element)) else {
        throw invalid(element, expected: "an integer of 64 bits")
      }
      return .integer(number)
    case "real":
      guard let number = Double(plain(element)) else {
        throw invalid(element, expected: "a number")
      }
      return .real(number)
    case "date":
      // Foundation's error is discarded, because `invalid` reports the line and the text of the element.
      guard let date = try? Date(plain(element), strategy: .iso8601) else {
        throw invalid(element, expected: "a date such as 2001-01-01T00:00:00Z")
      }
      return .date(date.timeIntervalSinceReferenceDate)
    case "data":
      guard
        let data = Data(base64Encoded: element.text, options: .ignoreUnknownCharacters)
      else { throw invalid(element, expected: "data in Base64") }
      return .data(data)
    case "array": return .array(try element.children.map(node))
    case "dict": return try dictionary(element)
    default: throw error("<\(element.name)> is not an element of property lists", at: element)
    }
  }

  private static func plain(_ element: MarkupElement) -> String {
    element.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func dictionary(_ element: MarkupElement) throws -> PropertyListNode {
    guard element.children.count % 2 == 0 else {
      throw error("a <dict> must contain a value for each <key>", at: element)
    }
    var members: [String: PropertyListNode] = [:]
    for index in stride(from: 0, to: element.children.count, by: 2) {
      let key = element.children[index]
      guard key.name == "key" else {
        throw error("a <dict> contains <\(key.name)> where a <key> is expected", at: key)
      }
      members[key.text] = try node(element.children[index + 1])
    }
    if members.count == 1, let index = members["CF$UID"]?.integer {
      return .reference(Int(clamping: index))
    }
    return .dictionary(members)
  }

  // MARK: Writing

  /// Returns a `<plist>` element, without an XML declaration, in the form that Apple's framework writes into
  /// XML stores.
  ///
  /// The element is indented with `indent`. Keys are sorted, so that the text is deterministic.
  /// - Throws: `ModelError` if a string contains a character that XML does not allow, or if the list contains
  ///   a reference.
  package static func text(_ node: PropertyListNode, indent: String) throws -> String {
    var text = "\(indent)<plist version=\"1.0\">\n"
    try write(node, indent + "    ", to: &text)
    return text + "\(indent)</plist>\n"
  }

  private static func write(
    _ node: PropertyListNode,
    _ indent: String,
    to output: inout String
  ) throws {
    output += indent
    switch node {
    case .bool(let flag): output += flag ? "<true/>" : "<false/>"
    case .integer(let number): output += "<integer>\(number)</integer>"
    case .real(let number): output += "<real>\(number)</real>"
    case .date(let seconds):
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      output += "<date>\(date.formatted(.iso8601))</date>"
    case .text(let text): output += "<string>\(try escaped(text))</string>"
    case .data(let data): output += "<data>\n\t\t\(data.base64EncodedString())\n\t\t</data>"
    case .reference: throw ModelError(reason: "an XML property list cannot contain a reference")
    case .array(let members):
      output += "<array>\n"
      for member in members { try write(member, indent + "    ", to: &output) }
      output += indent + "</array>"
    case .dictionary(let members):
      output += "<dict>\n"
      for (key, value) in members.sorted(by: { utf8Less($0.key, $1.key) }) {
        output += "\(indent)    <key>\(try escaped(key))</key>\n"
        try write(value, indent + "    ", to: &output)
      }
      output += indent + "</dict>"
    }
    output += "\n"
  }

  private static func escaped(_ text: String) throws -> String {
    guard let forbidden = MarkupText.forbidden(in: text) else {
      return MarkupElement.escaped(text)
    }
    throw ModelError(
      reason:
        "the string “\(text.prefix(40))” has the character \(MarkupText.codePoint(forbidden)), which XML "
        + "does not allow"
    )
  }
}
