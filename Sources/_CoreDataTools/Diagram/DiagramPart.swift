// SPDX-License-Identifier: Apache-2.0

/// The layout of one connected part of a diagram, with its top left corner at (0, 0).
struct DiagramPart {
  let boxes: [Int]
  private(set) var frames: [DiagramFrame] = []
  /// Index of the link → the ends and corners of its line.
  private(set) var lines: [Int: [DiagramPoint]] = [:]
  private(set) var width = 0.0
  private(set) var height = 0.0

  private let diagram: Diagram
  private let links: [Int]
  private let positions: [Int: Int]
  private var columnOf: [Int] = []
  private var columns = DiagramColumns(nodes: [], columns: [], pieces: [])
  /// Index of the link → the nodes of its line, from left to right; a line within one column has no entry.
  private var paths: [Int: [Int]] = [:]
  private var columnX: [Double] = []
  private var columnWidths: [Double] = []

  init(_ diagram: Diagram, boxes: [Int]) {
    self.diagram = diagram
    self.boxes = boxes
    positions = Dictionary(uniqueKeysWithValues: boxes.enumerated().map { ($1, $0) })
    let members = Set(boxes)
    links = diagram.links.indices.filter { members.contains(diagram.links[$0].from.box) }
    arrange()
    route()
  }

  private func position(_ end: Diagram.End) -> Int { positions[end.box] ?? 0 }

  // MARK: Columns

  private mutating func arrange() {
    let sizes = boxes.map { DiagramMetrics.size(of: diagram.boxes[$0]) }
    let area = sizes.reduce(0.0) { $0 + ($1.width + 90) * ($1.height + DiagramMetrics.boxGap) }
    let tallest = sizes.map(\.height).max() ?? 0
    columnOf = DiagramLayering(
      heights: sizes.map { $0.height + DiagramMetrics.boxGap },
      edges: links.map { (position(diagram.links[$0].from), position(diagram.links[$0].to)) }
        .filter { $0.0 != $0.1 },
      target: max(tallest, (area / 1.5).squareRoot())
    ).columns()
    var nodes = boxes.indices.map {
      DiagramColumns.Node(box: boxes[$0], height: sizes[$0].height)
    }
    var lists = [[Int]](repeating: [], count: (columnOf.max() ?? 0) + 1)
    for place in boxes.indices { lists[columnOf[place]].append(place) }
    var pieces: [DiagramColumns.Piece] = []
    for link in links {
      let (from, to) = (diagram.links[link].from, diagram.links[link].to)
      let (a, b) = (position(from), position(to))
      if columnOf[a] == columnOf[b] { continue }
      let swaps = columnOf[a] > columnOf[b]
      let (left, right) = swaps ? (b, a) : (a, b)
      var path = [left]
      for column in columnOf[left] + 1..<columnOf[right] {
        path.append(nodes.count)
        lists[column].append(nodes.count)
        nodes.append(DiagramColumns.Node(box: nil, height: DiagramMetrics.passHeight))
      }
      path.append(right)
      paths[link] = path
      for (one, next) in zip(path, path.dropFirst()) {
        pieces.append(
          DiagramColumns.Piece(
            left: one,
            leftOffset: one == left
              ? offset(swaps ? to : from, link) : DiagramMetrics.passHeight / 2,
            right: next,
            rightOffset: next == right
              ? offset(swaps ? from : to, link) : DiagramMetrics.passHeight / 2
          )
        )
      }
    }
    columns = DiagramColumns(nodes: nodes, columns: lists, pieces: pieces)
    columns.arrange()
    columnWidths = lists.map { list in
      list.filter { $0 < sizes.count }.map { sizes[$0].width }.max() ?? 0
    }
    height = columns.nodes.map { $0.y + $0.height }.max() ?? 0
    frames = boxes.indices.map {
      DiagramFrame(x: 0, y: columns.nodes[$0].y, width: sizes[$0].width, height: sizes[$0].height)
    }
  }

  /// Returns the distance from the top of a box to the point where a line ends at the box.
  ///
  /// At the title, the ends of relationship lines are spread around the middle; a line between an entity and
  /// its parent ends at the middle.
  private func offset(_ end: Diagram.End, _ link: Int) -> Double {
    if let row = end.row { return DiagramMetrics.offset(ofRow: row, in: diagram.boxes[end.box]) }
    let middle = DiagramMetrics.titleHeight / 2
    if diagram.links[link].isInheritance { return middle }
    let others = links.filter { other in
      let line = diagram.links[other]
      return !line.isInheritance
        && (line.to.box == end.box && line.to.row == nil)
    }
    let place = others.firstIndex(of: link) ?? 0
    let step = min(5, (DiagramMetrics.titleHeight - 8) / 2 / Double(max(1, (others.count + 1) / 2)))
    return middle + step * Double(place / 2 + 1) * (place % 2 == 0 ? 1 : -1)
  }

  // MARK: Lines

  private struct Step {
    let link: Int
    let crossing: DiagramTracks.Crossing
  }

  private mutating func route() {
    var steps = [[Step]](repeating: [], count: columnWidths.count)
    for link in links {
      let line = diagram.links[link]
      let (a, b) = (position(line.from), position(line.to))
      let group = line.isInheritance ? line.to.box : nil
      if columnOf[a] == columnOf[b] {
        steps[columnOf[a]].append(
          Step(
            link: link,
            crossing: DiagramTracks.Crossing(
              from: frames[a].y + offset(line.from, link),
              to: frames[b].y + offset(line.to, link),
              returns: true,
              group: group
            )
          )
        )
        continue
      }
      let swaps = columnOf[a] > columnOf[b]
      let path = paths[link] ?? []
      for (index, (one, next)) in zip(path, path.dropFirst()).enumerated() {
        let column = columnOf[swaps ? b : a] + index
        steps[column].append(
          Step(
            link: link,
            crossing: DiagramTracks.Crossing(
              from: y(of: one, end: swaps ? line.to : line.from, link),
              to: y(of: next, end: swaps ? line.from : line.to, link),
              returns: false,
              // Lines from children to the same parent share one track on each side of the parent.
              group: group.map { $0 * 2 + (swaps ? 1 : 0) }
            )
          )
        )
      }
    }
    setColumns(steps)
  }

  private func y(of node: Int, end: Diagram.End, _ link: Int) -> Double {
    columns.nodes[node].y
      + (node < boxes.count ? offset(end, link) : DiagramMetrics.passHeight / 2)
  }

  /// Sets the x positions of columns, boxes and lines, and the width of the part.
  ///
  /// Leaves space for the tracks between the columns.
  private mutating func setColumns(_ steps: [[Step]]) {
    var x = 0.0
    var corners: [Int: [DiagramPoint]] = [:]
    for (column, list) in steps.enumerated() {
      columnX.append(x)
      for place in boxes.indices where columnOf[place] == column {
        frames[place].x = x + (columnWidths[column] - frames[place].width) / 2
      }
      let (tracks, count) = DiagramTracks.assign(list.map(\.crossing))
      let start = x + columnWidths[column] + DiagramMetrics.endSpace
      for (step, track) in zip(list, tracks) {
        let trackX = start + Double(track) * DiagramMetrics.trackSpace
        corners[step.link, default: []] += [
          DiagramPoint(trackX, step.crossing.from), DiagramPoint(trackX, step.crossing.to),
        ]
      }
      let isLast = column == steps.count - 1
      let tracksWidth = Double(max(0, count - 1)) * DiagramMetrics.trackSpace
      x +=
        columnWidths[column]
        + (isLast
          ? (list.isEmpty ? 0 : DiagramMetrics.endSpace + tracksWidth + 4)
          : 2 * DiagramMetrics.endSpace + tracksWidth)
    }
    width = x
    for link in links { lines[link] = line(link, corners[link] ?? []) }
  }

  /// Returns the points of a line: its ends, and the corners at which it turns.
  private func line(_ link: Int, _ corners: [DiagramPoint]) -> [DiagramPoint] {
    let (from, to) = (diagram.links[link].from, diagram.links[link].to)
    let (a, b) = (frames[position(from)], frames[position(to)])
    guard let first = corners.first, let last = corners.last else { return [] }
    let same = columnOf[position(from)] == columnOf[position(to)]
    let swaps = columnOf[position(from)] > columnOf[position(to)]
    let start = DiagramPoint((swaps ? b : a).right, first.y)
    let end = DiagramPoint(same ? b.right : (swaps ? a : b).x, last.y)
    var points = [start]
    for point in corners + [end] {
      if let before = points.last, abs(before.x - point.x) < 0.01, abs(before.y - point.y) < 0.01 {
        continue
      }
      if points.count > 1 {
        let (one, two) = (points[points.count - 2], points[points.count - 1])
        let straight =
          (abs(one.y - two.y) < 0.01 && abs(two.y - point.y) < 0.01)
          || (abs(one.x - two.x) < 0.01 && abs(two.x - point.x) < 0.01)
        if straight { points.removeLast() }
      }
      points.append(point)
    }
    return swaps ? points.reversed() : points
  }
}
