// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The chunks into which a context writes rows.
///
/// The chunks hold the rows of new and changed objects, which later changes may overwrite, and the rows of
/// faults that fire one by one.
package struct ContextRows {
  private let model: ModelDefinition
  private var open: [Int: RowChunk] = [:]
  private var templates: [Int: RowChunk] = [:]
  /// Entity → the chunk that receives the rows of faults that fire one by one; empty until the first such
  /// fault after a reset.
  private var fired: [RowChunk?] = []
  /// The number of rows that objects have stopped using since the last compaction; see
  /// `ObjectGraph.compactRows()`.
  package var replaced = 0

  package init(model: ModelDefinition) { self.model = model }

  /// Returns a new row with the entity's default values.
  package mutating func newRow(entity: Int) -> ChunkRow {
    let template = template(entity)
    let chunk = chunk(entity)
    return (chunk, chunk.appendCopy(of: template, row: 0))
  }

  /// Returns a copy of a row; changes may overwrite the copy.
  package mutating func copy(of source: RowChunk, row: Int, entity: Int) -> ChunkRow {
    let chunk = chunk(entity)
    return (chunk, chunk.appendCopy(of: source, row: row))
  }

  private mutating func chunk(_ entity: Int) -> RowChunk {
    let last = open[entity]
    if let last, !last.isFull { return last }
    // The first chunk is small, so that a single new object does not hold hundreds of rows.
    let capacity = min(512, (last?.capacity ?? 4) * 4)
    let made = RowChunk(
      layout: model.entities[entity].rowLayout,
      capacity: capacity,
      arenaCapacity: capacity * 32
    )
    open[entity] = made
    return made
  }

  /// Returns the chunk that receives the row of the entity's next fault that fires alone; nil before
  /// `setChunkForFault(_:entity:)` has set one.
  package mutating func chunkForFault(entity: Int) -> RowChunk? {
    if fired.isEmpty { fired = Array(repeating: nil, count: model.entities.count) }
    return fired[entity]
  }

  /// Sets the chunk that `chunkForFault(entity:)` returns for the entity.
  ///
  /// That function must have been called before, because it allocates the table of chunks.
  package mutating func setChunkForFault(_ chunk: RowChunk, entity: Int) {
    if fired[entity] !== chunk { fired[entity] = chunk }
  }

  /// Forgets the chunks that receive rows; a chunk with large values can have several megabytes.
  package mutating func discardOpenChunks() {
    fired = []
    open = [:]
  }

  /// Returns a chunk with one row, which holds the entity's default values.
  ///
  /// Later calls return the same chunk, so callers must not write to the row.
  package mutating func template(_ entity: Int) -> RowChunk {
    if let known = templates[entity] { return known }
    let definition = model.entities[entity]
    let (template, row) = RowChunk.single(definition.rowLayout)
    for property in definition.properties {
      if let attribute = property.attribute {
        template.setValue(row, property.slot, attribute.defaultValue)
      }
    }
    templates[entity] = template
    return template
  }
}
