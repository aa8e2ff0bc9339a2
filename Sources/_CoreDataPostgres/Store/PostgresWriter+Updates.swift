// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataStore

extension PostgresWriter {
  /// Updates that write the same properties, which one statement can write.
  private struct Shape: Hashable {
    let entity: Int
    let slots: SlotSet
    let checksVersion: Bool
  }

  /// The number of rows from which one UPDATE writes rows of one shape.
  private static let manyUpdates = 8
  /// The greatest number of rows of one UPDATE.
  private static let updateBlock = 1_000

  /// Sends the updates, in the order of the keys, so that two saves of the same rows rarely wait for each other.
  func update(
    _ updates: SaveBatch.Updates,
    _ pipeline: PostgresPipeline,
    conflict: @escaping (ObjectKey) -> Void
  ) throws {
    if updates.isEmpty { return }
    var shapes: [Shape: [SaveBatch.Update]] = [:]
    var order: [Shape] = []
    for update in updates.sorted(by: { $0.key.raw < $1.key.raw }) {
      let shape = Shape(
        entity: update.key.entity,
        slots: update.slots,
        checksVersion: update.expectedVersion != nil
      )
      if shapes[shape] == nil { order.append(shape) }
      shapes[shape, default: []].append(update)
    }
    for shape in order {
      let rows = shapes[shape] ?? []
      if writesMany, rows.count >= Self.manyUpdates {
        try updateEach(rows, of: shape, pipeline, conflict: conflict)
      } else {
        try updateOne(rows, of: shape, pipeline, conflict: conflict)
      }
    }
  }

  private func updateOne(
    _ updates: [SaveBatch.Update],
    of shape: Shape,
    _ pipeline: PostgresPipeline,
    conflict: @escaping (ObjectKey) -> Void
  ) throws {
    let statement = statements.update(
      shape.entity,
      slots: shape.slots,
      checksVersion: shape.checksVersion
    )
    var values = PostgresFields()
    for update in updates {
      values.removeAll()
      try encoder.append(
        statement.steps,
        of: update.chunk,
        update.row,
        key: update.key,
        to: &values
      )
      values.append(update.key.number)
      if let version = update.expectedVersion { values.append(version) }
      try pipeline.send(statement.text, values, failingFor: [update.key]) { result in
        if result.changes == 0, update.needsRow { conflict(update.key) }
      }
    }
  }

  private func updateEach(
    _ updates: [SaveBatch.Update],
    of shape: Shape,
    _ pipeline: PostgresPipeline,
    conflict: @escaping (ObjectKey) -> Void
  ) throws {
    let statement = statements.updateEach(
      shape.entity,
      slots: shape.slots,
      checksVersion: shape.checksVersion
    )
    var values = PostgresFields()
    for first in stride(from: 0, to: updates.count, by: Self.updateBlock) {
      let block = updates[first..<min(first + Self.updateBlock, updates.count)]
      values.removeAll()
      for step in statement.steps {
        try values.appendArray(of: step.type, count: block.count) { elements in
          for update in block {
            try encoder.append(step, of: update.chunk, update.row, key: update.key, to: &elements)
          }
        }
      }
      values.append(block.map(\.key.number))
      if shape.checksVersion { values.append(block.map { $0.expectedVersion ?? 0 }) }
      try pipeline.send(statement.text, values) { result in
        if result.rowCount == block.count { return }
        let written = Set((0..<result.rowCount).map { result.integer($0, 0) })
        for update in block where update.needsRow && !written.contains(update.key.number) {
          conflict(update.key)
        }
      }
    }
  }
}
#endif
