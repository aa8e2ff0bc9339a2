// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The keys and rows that a fetch returns; `forEach` visits them in the order of the fetch.
package struct FetchedRows: Sendable {
  /// Adjacent rows of a chunk: `count` rows, starting at `first`.
  ///
  /// The rows of all runs, one run after the other, correspond to the elements of `keys`.
  package struct Run: Sendable {
    package let chunk: RowChunk
    package let first: Int
    package var count: Int
    package init(chunk: RowChunk, first: Int, count: Int) {
      self.chunk = chunk
      self.first = first
      self.count = count
    }
  }
  package var keys: [ObjectKey] = []
  package var runs: [Run] = []
  /// The order of the fetch as indexes into `keys`; nil if `keys` is in the order of the fetch.
  package var order: [UInt32]?
  package init() {}

  /// The keys in the order of the fetch.
  package var orderedKeys: [ObjectKey] { order.map { $0.map { keys[Int($0)] } } ?? keys }

  /// Calls `body` with each key, its chunk, and the index of its row in the chunk, in the order of the fetch.
  @inline(__always)
  package func forEach(_ body: (ObjectKey, RowChunk, Int) throws -> Void) rethrows {
    guard let order else {
      var position = 0
      for run in runs {
        for row in run.first..<run.first + run.count {
          try body(keys[position], run.chunk, row)
          position += 1
        }
      }
      return
    }
    var starts: [Int] = []
    var total = 0
    for run in runs {
      starts.append(total)
      total += run.count
    }
    for position in order.lazy.map(Int.init) {
      var low = 0
      var high = starts.count
      while high - low > 1 {
        let middle = (low + high) / 2
        if starts[middle] <= position { low = middle } else { high = middle }
      }
      try body(keys[position], runs[low].chunk, runs[low].first + position - starts[low])
    }
  }
}

extension FetchedRows {
  /// Appends the row with the index `row` of `chunk`; `order` must be nil.
  package mutating func append(_ key: ObjectKey, _ chunk: RowChunk, _ row: Int) {
    keys.append(key)
    if let last = runs.last, last.chunk === chunk, last.first + last.count == row {
      runs[runs.count - 1].count += 1
    } else {
      runs.append(Run(chunk: chunk, first: row, count: 1))
    }
  }

  /// Returns the rows in the order of the fetch, in blocks of at most `size` rows.
  package func blocks(of size: Int) -> [FetchedRows] {
    var blocks: [FetchedRows] = []
    forEach { key, chunk, row in
      if blocks.last.map({ $0.keys.count == size }) ?? true { blocks.append(FetchedRows()) }
      blocks[blocks.count - 1].append(key, chunk, row)
    }
    return blocks
  }
}
