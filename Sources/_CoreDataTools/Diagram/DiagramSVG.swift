// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Draws a diagram as an SVG image that follows the light or dark appearance of the browser.
package struct DiagramSVG {
  private let layout: DiagramLayout
  private let title: String
  private var diagram: Diagram { layout.diagram }

  package init(_ diagram: Diagram, title: String) {
    layout = DiagramLayout(diagram)
    self.title = title
  }

  /// The text of the SVG file; it depends only on the diagram and the title.
  package var text: String {
    let (width, height) = (number(layout.width.rounded(.up)), number(layout.height.rounded(.up)))
    var parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" role="img" aria-label="\(escaped(title))">
      <title>\(escaped(title))</title>
      \(Self.style)
      <rect class="page" width="\(width)" height="\(height)"/>
      """
    ]
    parts += diagram.links.indices.map(link)
    parts += diagram.boxes.indices.map(box)
    return parts.joined(separator: "\n") + "\n</svg>\n"
  }

  private static let style = """
    <style>
    svg { --page: #ffffff; --box: #ffffff; --edge: #c3cad5; --head: #eaf1fb; --ink: #1d2733;
      --soft: #66717f; --line: #5f7ea8; --tree: #9a7b4f; --abstract: #f5efe4; }
    @media (prefers-color-scheme: dark) { svg { --page: #14181f; --box: #1d232c; --edge: #3a4452;
      --head: #24344c; --ink: #e8edf4; --soft: #98a4b3; --line: #83a8db; --tree: #d0ab75;
      --abstract: #3a3226; } }
    .page { fill: var(--page); }
    text { font-family: -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
      font-size: 12px; fill: var(--ink); }
    .box { fill: var(--box); stroke: var(--edge); }
    .head { fill: var(--head); }
    .abstract .head { fill: var(--abstract); }
    .name { font-size: 13px; font-weight: 600; text-anchor: middle; }
    .abstract .name { font-style: italic; }
    .type { fill: var(--soft); text-anchor: end; }
    .transient { font-style: italic; fill: var(--soft); }
    .rule { stroke: var(--edge); }
    .link { fill: none; stroke: var(--line); stroke-width: 1.4; }
    .tree { fill: none; stroke: var(--tree); stroke-width: 1.4; }
    .mark { fill: var(--page); stroke: var(--line); stroke-width: 1.4; }
    .bar { fill: none; stroke: var(--line); stroke-width: 1.4; }
    .top { fill: var(--page); stroke: var(--tree); stroke-width: 1.4; }
    </style>
    """

  // MARK: Boxes

  private func box(_ index: Int) -> String {
    let box = diagram.boxes[index]
    let frame = layout.frames[index]
    let middle = frame.x + frame.width / 2
    let head = DiagramMetrics.titleHeight
    var parts = [
      "<g\(box.isAbstract ? " class=\"abstract\"" : "")>",
      rect("box", frame, radius: 7),
      box.rows.isEmpty
        ? rect("box head", frame, radius: 7)
        // Only the upper corners are rounded, because rows follow below the head.
        : "<path class=\"head\" d=\"M\(number(frame.x + 0.5)) \(number(frame.y + head))"
          + "v\(number(7 - head))q0 -6.5 6.5 -6.5h\(number(frame.width - 14))q6.5 0 6.5 6.5"
          + "v\(number(head - 7))z\"/>",
      "<text class=\"name\" x=\"\(number(middle))\" y=\"\(number(frame.y + 20))\">"
        + "\(escaped(box.name))</text>",
    ]
    if !box.rows.isEmpty { parts.append(rule(frame, at: head)) }
    if box.attributeCount > 0, box.rows.count > box.attributeCount {
      let offset = head + 2 * DiagramMetrics.padding
      parts.append(rule(frame, at: offset + Double(box.attributeCount) * DiagramMetrics.rowHeight))
    }
    for (place, row) in box.rows.enumerated() {
      let y = frame.y + DiagramMetrics.offset(ofRow: place, in: box) + 4
      let style = row.isTransient ? " class=\"transient\"" : ""
      let line = row.isUnique ? " text-decoration=\"underline\"" : ""
      parts.append(
        "<text\(style)\(line) x=\"\(number(frame.x + DiagramMetrics.sideSpace))\" "
          + "y=\"\(number(y))\">\(escaped(row.name))</text>"
      )
      parts.append(
        "<text class=\"type\" x=\"\(number(frame.right - DiagramMetrics.sideSpace))\" "
          + "y=\"\(number(y))\">\(escaped(row.type))</text>"
      )
    }
    return (parts + ["</g>"]).joined(separator: "\n")
  }

  private func rect(_ style: String, _ frame: DiagramFrame, radius: Double) -> String {
    "<rect class=\"\(style)\" x=\"\(number(frame.x))\" y=\"\(number(frame.y))\" "
      + "width=\"\(number(frame.width))\" height=\"\(number(frame.height))\" "
      + "rx=\"\(number(radius))\"/>"
  }

  private func rule(_ frame: DiagramFrame, at offset: Double) -> String {
    "<path class=\"rule\" d=\"M\(number(frame.x)) \(number(frame.y + offset))"
      + "h\(number(frame.width))\"/>"
  }

  // MARK: Lines

  private func link(_ index: Int) -> String {
    let link = diagram.links[index]
    let points = layout.lines[index]
    guard points.count > 1 else { return "" }
    let style = link.isInheritance ? "tree" : "link"
    var parts = [
      "<g><title>\(escaped(link.name))</title>",
      "<path class=\"\(style)\" d=\"\(path(points))\"/>",
    ]
    if link.isInheritance {
      parts.append(triangle(at: points[points.count - 1], from: points[points.count - 2]))
    } else {
      parts.append(mark(link.from.count, at: points[0], from: points[1]))
      parts.append(
        mark(link.to.count, at: points[points.count - 1], from: points[points.count - 2])
      )
    }
    return (parts + ["</g>"]).joined(separator: "\n")
  }

  private func path(_ points: [DiagramPoint]) -> String {
    var text = "M\(coordinates(points[0]))"
    for index in 1..<points.count {
      guard index + 1 < points.count else {
        text += "L\(coordinates(points[index]))"
        break
      }
      let (before, corner, after) = (points[index - 1], points[index], points[index + 1])
      let radius = min(6, distance(before, corner) / 2, distance(corner, after) / 2)
      text += "L\(coordinates(step(from: corner, to: before, by: radius)))"
      text += "Q\(coordinates(corner)) \(coordinates(step(from: corner, to: after, by: radius)))"
    }
    return text
  }

  private func triangle(at tip: DiagramPoint, from before: DiagramPoint) -> String {
    let way = before.x > tip.x ? 1.0 : -1.0
    return "<path class=\"top\" d=\"M\(coordinates(tip))l\(number(12 * way)) -7v14z\"/>"
  }

  /// Returns the crow's foot symbol for a multiplicity; an empty string for `.unknown`.
  private func mark(
    _ count: Diagram.Count,
    at end: DiagramPoint,
    from before: DiagramPoint
  ) -> String {
    let way = before.x > end.x ? 1.0 : -1.0
    func bar(_ distance: Double) -> String {
      "<path class=\"bar\" d=\"M\(number(end.x + distance * way)) \(number(end.y - 5))v10\"/>"
    }
    func circle(_ distance: Double) -> String {
      "<circle class=\"mark\" cx=\"\(number(end.x + distance * way))\" cy=\"\(number(end.y))\" "
        + "r=\"3.6\"/>"
    }
    let foot =
      "<path class=\"bar\" d=\"M\(number(end.x)) \(number(end.y - 6))L"
      + "\(number(end.x + 11 * way)) \(number(end.y))L\(number(end.x)) \(number(end.y + 6))\"/>"
    switch count {
    case .one: return bar(7) + bar(11)
    case .zeroOrOne: return bar(7) + circle(14.6)
    case .oneOrMore: return foot + bar(14)
    case .zeroOrMore: return foot + circle(14.6)
    case .unknown: return ""
    }
  }

  // MARK: Numbers and texts

  private func distance(_ a: DiagramPoint, _ b: DiagramPoint) -> Double {
    abs(a.x - b.x) + abs(a.y - b.y)
  }

  private func step(from: DiagramPoint, to: DiagramPoint, by: Double) -> DiagramPoint {
    let length = max(distance(from, to), 0.001)
    return DiagramPoint(
      from.x + (to.x - from.x) / length * by,
      from.y + (to.y - from.y) / length * by
    )
  }

  private func coordinates(_ point: DiagramPoint) -> String {
    "\(number(point.x)) \(number(point.y))"
  }

  private func number(_ value: Double) -> String {
    CellText.double((value * 10).rounded() / 10)
  }

  private func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
  }
}
