// SPDX-License-Identifier: Apache-2.0

/// A point in an image; y increases downwards.
package struct DiagramPoint: Sendable, Hashable {
  package var x: Double
  package var y: Double
  package init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }
}

/// The position of a box's top left corner, and the size of the box, in points.
package struct DiagramFrame: Sendable, Hashable {
  package var x: Double
  package var y: Double
  package var width: Double
  package var height: Double
  package var right: Double { x + width }
  package var bottom: Double { y + height }
}

/// The sizes used for layout and drawing, in points.
enum DiagramMetrics {
  static let titleHeight = 30.0
  static let rowHeight = 20.0
  /// The space above and below each of the two groups of rows: attributes and relationships.
  static let padding = 6.0
  static let textSize = 12.0
  static let titleSize = 13.0
  /// The space to the left and right of the text in a box.
  static let sideSpace = 12.0
  /// The minimum space between the name and the type of a row.
  static let columnGap = 20.0
  /// The width reserved for the symbol at the end of a line.
  static let endSpace = 30.0
  static let trackSpace = 11.0
  /// The vertical space between adjacent nodes of a column.
  static let boxGap = 26.0
  /// The height reserved for a line that passes through a column.
  static let passHeight = 12.0
  static let margin = 24.0

  static func size(of box: Diagram.Box) -> (width: Double, height: Double) {
    let title = TextMetrics.width(box.name, size: titleSize) * 1.1 + 2 * sideSpace
    let rows = box.rows.map { row in
      TextMetrics.width(row.name, size: textSize) + TextMetrics.width(row.type, size: textSize)
        + columnGap + 2 * sideSpace
    }
    let parts = (box.attributeCount > 0 ? 1 : 0) + (box.rows.count > box.attributeCount ? 1 : 0)
    let height =
      titleHeight + Double(box.rows.count) * rowHeight + Double(parts) * 2 * padding
    return (([title] + rows).max() ?? title, height)
  }

  /// Returns the distance from the top of the box to the middle of a row.
  static func offset(ofRow row: Int, in box: Diagram.Box) -> Double {
    let isRelationship = row >= box.attributeCount
    let parts = isRelationship && box.attributeCount > 0 ? 3.0 : 1.0
    return titleHeight + parts * padding + (Double(row) + 0.5) * rowHeight
  }
}
