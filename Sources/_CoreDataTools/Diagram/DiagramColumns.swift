// SPDX-License-Identifier: Apache-2.0

/// Orders the nodes of each column and sets their vertical positions, so that few lines cross and lines are
/// nearly straight.
struct DiagramColumns {
  /// A box, or the point where a line passes through a column.
  struct Node {
    let box: Int?
    let height: Double
    var y = 0.0
  }

  /// The segment of a line between two nodes in adjacent columns.
  ///
  /// Each offset is the distance from the top of a node to the line.
  struct Piece {
    let left: Int
    let leftOffset: Double
    let right: Int
    let rightOffset: Double
  }

  private(set) var nodes: [Node]
  private(set) var columns: [[Int]]
  let pieces: [Piece]
  private var rightPieces: [[Int]]
  private var leftPieces: [[Int]]

  init(nodes: [Node], columns: [[Int]], pieces: [Piece]) {
    self.nodes = nodes
    self.columns = columns
    self.pieces = pieces
    rightPieces = nodes.map { _ in [] }
    leftPieces = nodes.map { _ in [] }
    for (index, piece) in pieces.enumerated() {
      rightPieces[piece.left].append(index)
      leftPieces[piece.right].append(index)
    }
  }

  mutating func arrange() {
    stack()
    var best = columns
    var fewest = crossings()
    for round in 0..<24 {
      let forward = round % 2 == 0
      for column in forward ? Array(columns.indices) : columns.indices.reversed() {
        order(column, fromLeft: forward)
      }
      let count = crossings()
      if count < fewest {
        fewest = count
        best = columns
      }
    }
    columns = best
    exchange()
    stack()
    for round in 0..<40 {
      for column in round % 2 == 0 ? Array(columns.indices) : columns.indices.reversed() {
        straighten(column)
      }
    }
    let top = nodes.map(\.y).min() ?? 0
    for index in nodes.indices { nodes[index].y -= top }
  }

  // MARK: Order

  private mutating func stack() {
    let heights = columns.map { column in
      column.reduce(0.0) { $0 + nodes[$1].height + gap }
    }
    let tallest = heights.max() ?? 0
    for (index, column) in columns.enumerated() {
      var y = (tallest - heights[index]) / 2
      for node in column {
        nodes[node].y = y
        y += nodes[node].height + gap
      }
    }
  }

  private var gap: Double { DiagramMetrics.boxGap }

  /// Sorts the nodes of a column by the mean y position of the points to which their lines lead in an
  /// adjacent column.
  ///
  /// The adjacent column is the left one if `fromLeft` is true, otherwise the right one. A node without lines
  /// to that column is sorted by the y position of its own middle.
  private mutating func order(_ column: Int, fromLeft: Bool) {
    var keys: [Int: Double] = [:]
    for node in columns[column] {
      let places =
        fromLeft
        ? leftPieces[node].map { nodes[pieces[$0].left].y + pieces[$0].leftOffset }
        : rightPieces[node].map { nodes[pieces[$0].right].y + pieces[$0].rightOffset }
      keys[node] =
        places.isEmpty
        ? nodes[node].y + nodes[node].height / 2
        : places.reduce(0, +) / Double(places.count)
    }
    columns[column] = columns[column].enumerated().sorted {
      (keys[$0.element] ?? 0, $0.offset) < (keys[$1.element] ?? 0, $1.offset)
    }.map(\.element)
    stack()
  }

  /// Swaps adjacent nodes if this reduces the number of crossings, in at most 8 rounds over all columns.
  private mutating func exchange() {
    var fewest = crossings()
    for _ in 0..<8 {
      var improved = false
      for column in columns.indices where columns[column].count > 1 {
        for place in 0..<columns[column].count - 1 {
          columns[column].swapAt(place, place + 1)
          stack()
          let count = crossings()
          if count < fewest {
            fewest = count
            improved = true
          } else {
            columns[column].swapAt(place, place + 1)
          }
        }
      }
      stack()
      if !improved { return }
    }
  }

  private func crossings() -> Int {
    var columnOf = [Int](repeating: 0, count: nodes.count)
    for (index, column) in columns.enumerated() {
      for node in column { columnOf[node] = index }
    }
    var byGap: [Int: [(Double, Double)]] = [:]
    for piece in pieces {
      byGap[columnOf[piece.left], default: []].append(
        (nodes[piece.left].y + piece.leftOffset, nodes[piece.right].y + piece.rightOffset)
      )
    }
    var count = 0
    for ends in byGap.values {
      for first in ends.indices {
        for second in ends.indices.dropFirst(first + 1) {
          let left = ends[first].0 - ends[second].0
          let right = ends[first].1 - ends[second].1
          if left * right < 0 { count += 1 }
        }
      }
    }
    return count
  }

  // MARK: Heights

  /// Moves the nodes of a column vertically so that their lines are as straight as possible.
  ///
  /// The nodes keep their order and the minimum distance between them.
  private mutating func straighten(_ column: Int) {
    let order = columns[column]
    var wanted: [Double] = []
    var weights: [Double] = []
    for node in order {
      var places: [Double] = []
      for piece in leftPieces[node].map({ pieces[$0] }) {
        places.append(nodes[piece.left].y + piece.leftOffset - piece.rightOffset)
      }
      for piece in rightPieces[node].map({ pieces[$0] }) {
        places.append(nodes[piece.right].y + piece.rightOffset - piece.leftOffset)
      }
      wanted.append(
        places.isEmpty ? nodes[node].y : places.reduce(0, +) / Double(places.count)
      )
      weights.append(places.isEmpty ? 0.1 : Double(places.count) * (nodes[node].box == nil ? 4 : 1))
    }
    // Isotonic regression: the nodes keep their order and distance if their offsets from their stacked
    // positions never decrease from top to bottom. Adjacent nodes whose offsets would decrease are pooled and
    // share a weighted mean.
    var starts: [Double] = []
    var y = 0.0
    for node in order {
      starts.append(y)
      y += nodes[node].height + gap
    }
    var pools: [(sum: Double, weight: Double, count: Int)] = []
    for index in order.indices {
      pools.append(((wanted[index] - starts[index]) * weights[index], weights[index], 1))
      while pools.count > 1 {
        let last = pools[pools.count - 1]
        let before = pools[pools.count - 2]
        if before.sum / before.weight <= last.sum / last.weight { break }
        pools.removeLast(2)
        pools.append(
          (before.sum + last.sum, before.weight + last.weight, before.count + last.count)
        )
      }
    }
    var place = 0
    for pool in pools {
      for _ in 0..<pool.count {
        nodes[order[place]].y = starts[place] + pool.sum / pool.weight
        place += 1
      }
    }
  }
}
