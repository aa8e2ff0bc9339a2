// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A writer of diagrams in the DOT language of Graphviz.
package enum DiagramDOT {
  /// Returns the diagram as the text of a DOT file.
  package static func text(_ diagram: Diagram, title: String) -> String {
    var lines = [
      "digraph \(JSONText.quoted(title)) {",
      "  graph [rankdir=LR, nodesep=0.5, ranksep=1.2];",
      "  node [shape=plain, fontname=\"Helvetica\", fontsize=11];",
      "  edge [dir=both, color=\"#5f7ea8\"];",
    ]
    for (index, box) in diagram.boxes.enumerated() {
      let head = box.isAbstract ? "<i>\(escaped(box.name))</i>" : "<b>\(escaped(box.name))</b>"
      var rows = ["<tr><td port=\"t\" colspan=\"2\" bgcolor=\"#eaf1fb\">\(head)</td></tr>"]
      for (place, row) in box.rows.enumerated() {
        rows.append(
          "<tr><td align=\"left\" port=\"l\(place)\">\(escaped(row.name))</td>"
            + "<td align=\"right\" port=\"r\(place)\">\(escaped(row.type))</td></tr>"
        )
      }
      lines.append(
        "  n\(index) [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" "
          + "cellpadding=\"4\">\(rows.joined())</table>>];"
      )
    }
    for link in diagram.links {
      if link.isInheritance {
        lines.append(
          "  n\(link.to.box):t -> n\(link.from.box):t "
            + "[dir=back, arrowtail=empty, color=\"#9a7b4f\"];"
        )
        continue
      }
      let from = "n\(link.from.box):" + (link.from.row.map { "r\($0)" } ?? "t")
      let to = "n\(link.to.box):" + (link.to.row.map { "l\($0)" } ?? "t")
      lines.append(
        "  \(from) -> \(to) [arrowtail=\(arrow(link.from.count)), "
          + "arrowhead=\(arrow(link.to.count))];"
      )
    }
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }

  private static func arrow(_ count: Diagram.Count) -> String {
    switch count {
    case .one: "teetee"
    case .zeroOrOne: "teeodot"
    case .oneOrMore: "crowtee"
    case .zeroOrMore: "crowodot"
    case .unknown: "none"
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;")
  }
}
