// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads XML property lists, including the references of keyed archives (`CF$UID`).
enum PropertyListMarkup {
  /// Returns the root of an XML property list.
  ///
  /// - Throws: `ModelError` if the text is not a well-formed property list.
  static func root(of data: Data) throws -> PropertyListNode {
    let root = try MarkupParser.root(of: data, file: nil)
    guard root.name == "plist", let top = root.children.first else { throw damaged(root) }
    return try node(top)
  }

  private static func damaged(_ element: MarkupElement) -> ModelError {
    ModelError(line: element.line, reason: "the property list is not well-formed")
  }

  /// Reads an element and its children; `MarkupParser` limits the depth, and with it the recursion.
  private static func node(_ element: MarkupElement) throws -> PropertyListNode {
    switch element.name {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "string": return .text(element.text)
    case "integer":
      guard let number = Int64(element.text) else { throw damaged(element) }
      return .integer(number)
    case "real":
      guard let number = Double(element.text) else { throw damaged(element) }
      return .real(number)
    case "date":
      // Foundation's error is dropped: `damaged` names the line of the element.
      guard let date = try? Date(element.text, strategy: .iso8601) else { throw damaged(element) }
      return .date(date.timeIntervalSinceReferenceDate)
    case "data":
      guard
        let data = Data(base64Encoded: element.text, options: .ignoreUnknownCharacters)
      else { throw damaged(element) }
      return .data(data)
    case "array": return .array(try element.children.map(node))
    case "dict": return try dictionary(element)
    default: throw damaged(element)
    }
  }

  private static func dictionary(_ element: MarkupElement) throws -> PropertyListNode {
    guard element.children.count % 2 == 0 else { throw damaged(element) }
    var members: [String: PropertyListNode] = [:]
    for index in stride(from: 0, to: element.children.count, by: 2) {
      let key = element.children[index]
      guard key.name == "key" else { throw damaged(key) }
      members[key.text] = try node(element.children[index + 1])
    }
    if members.count == 1, let index = members["CF$UID"]?.integer {
      return .reference(Int(clamping: index))
    }
    return .dictionary(members)
  }
}
