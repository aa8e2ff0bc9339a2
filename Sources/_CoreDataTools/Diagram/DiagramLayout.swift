// SPDX-License-Identifier: Apache-2.0

/// The positions of the boxes and lines of a diagram.
///
/// Each connected part is laid out in columns, and the parts are arranged in rows. Lines run between the
/// columns and, inside a column, through space reserved for lines, so that no line crosses a box.
package struct DiagramLayout: Sendable {
  package let diagram: Diagram
  /// The frame of each box.
  package private(set) var frames: [DiagramFrame]
  /// The points of each link's line, from the line's `from` end to its `to` end: the ends and the corners.
  package private(set) var lines: [[DiagramPoint]]
  package private(set) var width = 0.0
  package private(set) var height = 0.0

  /// Computes the layout of a diagram.
  package init(_ diagram: Diagram) {
    self.diagram = diagram
    frames = diagram.boxes.map { _ in DiagramFrame(x: 0, y: 0, width: 0, height: 0) }
    lines = diagram.links.map { _ in [] }
    arrange(Self.parts(of: diagram).map { DiagramPart(diagram, boxes: $0) })
  }

  /// Returns the boxes of each connected part, largest parts first.
  private static func parts(of diagram: Diagram) -> [[Int]] {
    var part = Array(diagram.boxes.indices)
    func root(_ box: Int) -> Int {
      var box = box
      while part[box] != box { box = part[box] }
      return box
    }
    for link in diagram.links {
      let (a, b) = (root(link.from.box), root(link.to.box))
      if a != b { part[max(a, b)] = min(a, b) }
    }
    let groups = Dictionary(grouping: diagram.boxes.indices, by: root)
    return groups.values.map { $0.sorted() }.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
  }

  /// Arranges the parts in rows.
  ///
  /// A row is at most as wide as the widest part, or as an image of balanced proportions if such an image is
  /// wider.
  private mutating func arrange(_ parts: [DiagramPart]) {
    let gap = DiagramMetrics.boxGap * 1.5
    let margin = DiagramMetrics.margin
    let area = parts.reduce(0.0) { $0 + ($1.width + gap) * ($1.height + gap) }
    let limit = max(parts.map(\.width).max() ?? 0, (area * 1.6).squareRoot())
    var x = 0.0
    var y = 0.0
    var rowHeight = 0.0
    for part in parts {
      if x > 0, x + part.width > limit {
        y += rowHeight + gap
        x = 0
        rowHeight = 0
      }
      for (box, frame) in zip(part.boxes, part.frames) {
        frames[box] = frame
        frames[box].x += x + margin
        frames[box].y += y + margin
      }
      for (link, line) in part.lines {
        lines[link] = line.map { DiagramPoint($0.x + x + margin, $0.y + y + margin) }
      }
      width = max(width, x + part.width)
      x += part.width + gap
      rowHeight = max(rowHeight, part.height)
      height = max(height, y + rowHeight)
    }
    width += 2 * margin
    height += 2 * margin
  }
}
