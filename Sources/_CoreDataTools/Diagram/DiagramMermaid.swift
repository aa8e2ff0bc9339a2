// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Converts a diagram to the Mermaid language, which many Markdown renderers support.
package enum DiagramMermaid {
  /// Returns the diagram as the text of a Mermaid file; a line between an entity and its parent is labelled
  /// “is a”.
  package static func text(_ diagram: Diagram) -> String {
    var lines = ["erDiagram"]
    for box in diagram.boxes {
      lines.append("  \(name(box.name)) {")
      for row in box.rows.prefix(box.attributeCount) {
        let key = row.isUnique ? " UK" : ""
        lines.append("    \(word(row.type)) \(word(row.name))\(key)")
      }
      lines.append("  }")
    }
    for link in diagram.links {
      let (from, to) = (diagram.boxes[link.from.box].name, diagram.boxes[link.to.box].name)
      if link.isInheritance {
        lines.append("  \(name(to)) ||..o| \(name(from)) : \"is a\"")
        continue
      }
      lines.append(
        "  \(name(from)) \(left(link.from.count))--\(right(link.to.count)) \(name(to)) "
          + ": \"\(link.name)\""
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func left(_ count: Diagram.Count) -> String {
    switch count {
    case .one: "||"
    case .zeroOrOne: "|o"
    case .oneOrMore: "}|"
    case .zeroOrMore, .unknown: "}o"
    }
  }

  private static func right(_ count: Diagram.Count) -> String {
    switch count {
    case .one: "||"
    case .zeroOrOne: "o|"
    case .oneOrMore: "|{"
    case .zeroOrMore, .unknown: "o{"
    }
  }

  private static func name(_ text: String) -> String {
    text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? text : "\"\(text)\""
  }

  /// Returns a property's name or type as a single word, as Mermaid requires.
  private static func word(_ text: String) -> String {
    let plain = text.hasSuffix("?") ? String(text.dropLast()) : text
    return String(plain.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
  }
}
