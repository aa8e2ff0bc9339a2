// SPDX-License-Identifier: Apache-2.0

/// The positions of the boxes and lines of a diagram.
///
/// Each connected part of the diagram is laid out in columns, and the parts are arranged in rows. Lines run
/// in the gaps between columns, or through space reserved for them in a column, so that no line crosses a
/// box.
package struct DiagramLayout: Sendable {
  package let diagram: Diagram
  /// The position and size of each box, in the order of `diagram.boxes`.
  package private(set) var frames: [DiagramFrame]
  /// For each link, the points of its line: the ends and the corners, starting at the end `from`.
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

  /// Returns the boxes of each connected part, the largest part first.
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
  /// The maximum width of a row is the greater of two widths: that of the widest part, and that of a 1.6:1
  /// rectangle with the total area of the parts.
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
