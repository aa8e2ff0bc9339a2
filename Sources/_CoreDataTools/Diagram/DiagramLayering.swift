// SPDX-License-Identifier: Apache-2.0

/// Assigns the boxes of one connected part to columns, so that lines are short and columns are not too high.
struct DiagramLayering {
  /// The height of each box, including the gap below it.
  let heights: [Double]
  /// The two boxes of each line; lines from a box to itself are not included.
  let edges: [(Int, Int)]
  /// The desired maximum height of a column.
  let target: Double

  private var neighbours: [[Int]] {
    var lists = heights.map { _ in [Int]() }
    for (a, b) in edges {
      lists[a].append(b)
      lists[b].append(a)
    }
    return lists
  }

  func columns() -> [Int] {
    let neighbours = neighbours
    var columns = start(neighbours)
    for _ in 0..<60 {
      var improved = false
      for box in columns.indices {
        let old = columns[box]
        var best = (column: old, cost: cost(of: box, at: old, columns, neighbours))
        let low = (columns.min() ?? 0) - 1
        let high = (columns.max() ?? 0) + 1
        for column in low...high where column != old {
          let cost = cost(of: box, at: column, columns, neighbours)
          if cost < best.cost - 0.001 { best = (column, cost) }
        }
        if best.column != old {
          columns[box] = best.column
          improved = true
        }
      }
      if !improved { break }
    }
    let used = Set(columns).sorted()
    return columns.map { column in used.firstIndex(of: column) ?? 0 }
  }

  /// Returns the initial column of each box, assigned in a breadth-first search from the box with the most
  /// lines.
  ///
  /// The search places each new box in a column beside that of its neighbour: left or right, whichever has
  /// the smaller height so far.
  private func start(_ neighbours: [[Int]]) -> [Int] {
    var columns = [Int?](repeating: nil, count: heights.count)
    let hub = heights.indices.max { neighbours[$0].count < neighbours[$1].count } ?? 0
    columns[hub] = 0
    var sums: [Int: Double] = [0: heights[hub]]
    var queue = [hub]
    while !queue.isEmpty {
      let box = queue.removeFirst()
      for other in neighbours[box] where columns[other] == nil {
        let base = columns[box] ?? 0
        let sides = [base + 1, base - 1]
        let side = sides.min { sums[$0, default: 0] < sums[$1, default: 0] } ?? base + 1
        columns[other] = side
        sums[side, default: 0] += heights[other]
        queue.append(other)
      }
    }
    return columns.map { $0 ?? 0 }
  }

  private func cost(
    of box: Int,
    at column: Int,
    _ columns: [Int],
    _ neighbours: [[Int]]
  ) -> Double {
    var cost = 0.0
    for other in neighbours[box] {
      let span = abs(columns[other] - column)
      // A line within a column needs a detour, and a long line takes space in every column that it passes.
      cost += span == 0 ? 2.6 : Double(span - 1) * 1.5 + 1
    }
    var height = heights[box]
    for other in columns.indices where other != box && columns[other] == column {
      height += heights[other]
    }
    let excess = max(0, height - target) / target
    return cost + excess * excess * 6 + excess * 2
  }
}
