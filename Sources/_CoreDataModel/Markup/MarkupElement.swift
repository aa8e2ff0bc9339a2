// SPDX-License-Identifier: Apache-2.0

import Foundation

struct MarkupElement {
  let name: String
  var attributes: [String: String]
  /// The line number of the start tag, counted from 1; nil or 0 if the element was not parsed from XML.
  let line: Int?
  var children: [MarkupElement] = []
  /// The text directly inside the element, without leading and trailing white space.
  var text = ""

  subscript(_ attribute: String) -> String? {
    get { attributes[attribute] }
    set { attributes[attribute] = newValue }
  }

  func children(named name: String) -> [MarkupElement] { children.filter { $0.name == name } }
}

extension MarkupElement {
  /// Returns an XML document with this element as the root, indented like the files that Xcode writes.
  ///
  /// - Throws: `ModelError` if the element or a descendant contains a character that XML does not allow. The
  ///   error names the enclosing entity and property, if there are any.
  func document() throws -> Data {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
    try write(to: &text, indent: "")
    return Data(text.utf8)
  }

  private func write(to output: inout String, indent: String) throws {
    do {
      try writeLines(to: &output, indent: indent)
    } catch var error as ModelError {
      switch name {
      case "entity", "composite": error.entity = self["name"]
      case "attribute", "relationship", "fetchedProperty": error.property = self["name"]
      default: break
      }
      throw error
    }
  }

  private func writeLines(to output: inout String, indent: String) throws {
    output += indent + "<" + name
    for (key, value) in sortedAttributes {
      try check(value, key)
      output += " \(key)=\"\(Self.escaped(value))\""
    }
    try check(text, "text")
    if children.isEmpty, text.isEmpty {
      output += "/>\n"
      return
    }
    output += ">" + Self.escaped(text)
    if !children.isEmpty {
      output += "\n"
      for child in children { try child.write(to: &output, indent: indent + "    ") }
      output += indent
    }
    output += "</\(name)>\n"
  }

  /// Throws an error if `text` contains a character that XML 1.0 forbids even as a character reference.
  private func check(_ text: String, _ part: String) throws {
    guard let forbidden = MarkupText.forbidden(in: text) else { return }
    let owner = (self["name"] ?? self["key"]).map { " \($0)" } ?? ""
    throw ModelError(
      reason: "the \(part) of the \(name)\(owner) has the character "
        + "\(MarkupText.codePoint(forbidden)), which XML does not allow. Remove the character, or write a "
        + ".mom, which can contain it"
    )
  }

  /// The position of each known attribute in the order in which Xcode writes attributes.
  ///
  /// Other attributes follow, sorted by name.
  private static let order: [String: Int] = {
    let names = [
      "key", "value", "type", "documentVersion", "lastSavedToolsVersion", "systemVersion",
      "minimumToolsVersion", "sourceLanguage", "userDefinedModelVersionIdentifier", "name",
      "property", "expression", "entity", "representedClassName", "parentEntity", "isAbstract",
      "elementID", "optional", "transient", "toMany", "minCount", "maxCount", "ordered",
      "deletionRule", "destinationEntity", "inverseName", "inverseEntity", "attributeType",
    ]
    return Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
  }()

  private var sortedAttributes: [(String, String)] {
    attributes.sorted { left, right in
      let places = (Self.order[left.key] ?? .max, Self.order[right.key] ?? .max)
      return places.0 != places.1 ? places.0 < places.1 : utf8Less(left.key, right.key)
    }.map { ($0.key, $0.value) }
  }

  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\n", "\r", "\t": escaped += "&#\(scalar.value);"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Whether the elements and their descendants are equal, apart from line numbers.
  func isSame(as other: MarkupElement) -> Bool {
    name == other.name && attributes == other.attributes && text == other.text
      && children.count == other.children.count
      && zip(children, other.children).allSatisfy { $0.isSame(as: $1) }
  }
}
