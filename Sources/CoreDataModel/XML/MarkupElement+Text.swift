// SPDX-License-Identifier: Apache-2.0

import Foundation

extension MarkupElement {
  /// The text of a file with this element at its top, indented as Xcode's.
  var document: Data {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
    write(to: &text, indent: "")
    return Data(text.utf8)
  }

  private func write(to output: inout String, indent: String) {
    output += indent + "<" + name
    for (key, value) in sortedAttributes { output += " \(key)=\"\(Self.escaped(value))\"" }
    if children.isEmpty, text.isEmpty {
      output += "/>\n"
      return
    }
    output += ">" + Self.escaped(text)
    if !children.isEmpty {
      output += "\n"
      for child in children { child.write(to: &output, indent: indent + "    ") }
      output += indent
    }
    output += "</\(name)>\n"
  }

  /// Xcode's order for what it knows, then by name.
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

  /// The text with everything as an entity that markup would take for its own.
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

  /// Whether name, attributes, text and children agree; lines do not count.
  func isSame(as other: MarkupElement) -> Bool {
    name == other.name && attributes == other.attributes && text == other.text
      && children.count == other.children.count
      && zip(children, other.children).allSatisfy { $0.isSame(as: $1) }
  }
}
