// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate

/// What to fetch, in terms of the model: what every store understands.
package struct FetchDescription: Sendable {
  package enum Shape: Sendable {
    /// Keys and rows.
    case rows
    /// Keys alone.
    case keys
    /// The number of rows.
    case count
    case dictionaries(DictionaryShape)
  }

  /// Index of the entity.
  package var entity: Int
  package var includesSubentities = true
  package var condition: Condition?
  package var order: [SortKey] = []
  /// 0 for no limit.
  package var limit = 0
  package var offset = 0
  package var shape = Shape.rows

  package init(entity: Int) { self.entity = entity }
}

/// The columns of dictionary results.
package struct DictionaryShape: Sendable {
  package struct Column: Sendable {
    /// The key in the resulting dictionaries.
    package var name: String
    package var term: Term
    /// Nil where the type follows from the term.
    package var type: AttributeType?
    package init(name: String, term: Term, type: AttributeType? = nil) {
      self.name = name
      self.term = term
      self.type = type
    }
  }
  package var columns: [Column]
  package var groupBy: [Term] = []
  package var having: Condition?
  package var isDistinct = false
  package init(columns: [Column]) { self.columns = columns }
}

/// What a fetch gave, according to `FetchDescription.shape`.
package enum FetchResult: Sendable {
  case rows(FetchedRows)
  case keys([ObjectKey])
  case count(Int)
  /// One array for each row, in the order of the columns; `.key` for a to-one.
  case dictionaries([[Value]])
}

/// Keys and their rows; read them in the fetch's order with `forEach`.
package struct FetchedRows: Sendable {
  /// The rows `first..<first + count` of `chunk` belong to the next `count` keys.
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
  /// The fetch's order as indexes into `keys`; nil where it is the order of `keys`.
  package var order: [UInt32]?
  package init() {}

  /// Calls `body` with each key and the place of its row, in the fetch's order.
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
    // Index of the first key of each run.
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
