// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads XML property lists, including the references of keyed archives (`CF$UID`).
enum PropertyListMarkup {
  /// Returns the root of an XML property list.
  ///
  /// - Throws: `ModelError`, with the line, if the text is not well-formed XML, its elements are not those of
  ///   a property list, or a value cannot be read.
  static func root(of data: Data) throws -> PropertyListNode {
    let root = try MarkupParser.root(of: data, file: nil)
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
      guard let number = Int64(element.text) else {
        throw invalid(element, expected: "an integer of 64 bits")
      }
      return .integer(number)
    case "real":
      guard let number = Double(element.text) else {
        throw invalid(element, expected: "a number")
      }
      return .real(number)
    case "date":
      // Foundation's error is discarded, because `invalid` reports the line and the text of the element.
      guard let date = try? Date(element.text, strategy: .iso8601) else {
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
}
