// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Copies of rows, in separate chunks that another thread may read.
struct RowCopies {
  private let model: ModelDefinition
  private var open: [Int: RowChunk] = [:]
  private(set) var rows = FetchedRows()

  init(_ model: ModelDefinition) { self.model = model }

  mutating func add(_ key: ObjectKey, _ source: RowChunk, _ row: Int) {
    let chunk = chunk(key.entity)
    rows.append(key, chunk, chunk.appendCopy(of: source, row: row))
  }

  private mutating func chunk(_ entity: Int) -> RowChunk {
    if let known = open[entity], !known.isFull { return known }
    let capacity = min(512, (open[entity]?.capacity ?? 2) * 4)
    let made = RowChunk(layout: model.entities[entity].rowLayout, capacity: capacity)
    open[entity] = made
    return made
  }
}
