// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Rows that a context may write: new objects' and changed objects' rows, in chunks by entity.
struct DraftRows {
  private let model: ModelDefinition
  /// By entity: the chunk that takes the next row.
  private var open: [Int: RowChunk] = [:]
  /// By entity: one row with the default values.
  private var templates: [Int: RowChunk] = [:]

  init(model: ModelDefinition) { self.model = model }

  /// A new row with the entity's default values.
  mutating func newRow(entity: Int) -> (chunk: RowChunk, row: Int) {
    let template = template(entity)
    let chunk = chunk(entity)
    return (chunk, chunk.appendCopy(of: template, row: 0))
  }

  mutating func copy(of source: RowChunk, row: Int, entity: Int) -> (chunk: RowChunk, row: Int) {
    let chunk = chunk(entity)
    return (chunk, chunk.appendCopy(of: source, row: row))
  }

  private mutating func chunk(_ entity: Int) -> RowChunk {
    let last = open[entity]
    if let last, !last.isFull { return last }
    // Small first, so that a single new object does not hold hundreds of rows.
    let capacity = min(512, (last?.capacity ?? 4) * 4)
    let made = RowChunk(
      layout: model.entities[entity].rowLayout,
      capacity: capacity,
      arenaCapacity: capacity * 32
    )
    open[entity] = made
    return made
  }

  /// One row with the default values, not to be written.
  mutating func template(_ entity: Int) -> RowChunk {
    if let known = templates[entity] { return known }
    let definition = model.entities[entity]
    let template = RowChunk(layout: definition.rowLayout, capacity: 1)
    let row = template.appendRow()
    for property in definition.properties {
      if let attribute = property.attribute {
        template.setValue(row, property.slot, attribute.defaultValue)
      }
    }
    templates[entity] = template
    return template
  }
}
