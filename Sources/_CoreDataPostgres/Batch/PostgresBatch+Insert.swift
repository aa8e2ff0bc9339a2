// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

extension PostgresBatch {
  /// Inserts the rows block by block: by COPY if a duplicate is an error or impossible, and otherwise by
  /// statements that are sent in a pipeline.
  ///
  /// - Throws: `StoreError.constraint` for a duplicate; `.missingValue` for a new row that lacks a mandatory
  ///   value.
  mutating func insert(_ insert: BatchInsert) throws {
    let constraints = store.statements.constraints.byEntity[insert.entity]
    let isPlain = constraints.isEmpty || insert.duplicates == .refuse
    while let block = try insert.next() {
      if block.count == 0 { continue }
      let keys = try store.keys.take(
        Array(repeating: insert.entity, count: block.count),
        losses: store.pool.losses,
        reserve: { text, count in
          let blocks = try connection.run(text, PostgresFields([.integer(count)]))
          return (0..<blocks.rowCount).map { blocks.integer($0, 0) }
        }
      )
      if isPlain {
        try copy(block, keys, insert.entity)
        record(inserted: keys, insert.report)
      } else {
        try upsert(block, keys, insert)
      }
    }
  }

  private func copy(_ block: BatchInsert.Block, _ keys: [ObjectKey], _ entity: Int) throws {
    let statement = store.statements.inserts[entity]
    let encoder = PostgresRowEncoder(layout: layout, path: store.path)
    let number = Int32(truncatingIfNeeded: layout.entities[entity].number)
    try connection.copy(into: statement.target, rows: block.count) { row, fields in
      fields.beginRow(fields: statement.steps.count + 3)
      fields.append(keys[row].number)
      fields.append(entity: number)
      fields.append(Int64(1))
      try encoder.append(statement.steps, of: block.chunk, row, key: keys[row], to: &fields)
    }
  }

  private mutating func record(inserted keys: [ObjectKey], _ report: BatchReport) {
    outcome.count += keys.count
    history?.inserts(keys)
    if report.contains(.keys) { outcome.keys += keys }
    if report.contains(.changes) || history != nil { outcome.inserted += keys }
  }

  // MARK: Duplicates

  private mutating func upsert(
    _ block: BatchInsert.Block,
    _ keys: [ObjectKey],
    _ insert: BatchInsert
  ) throws {
    let encoder = PostgresRowEncoder(layout: layout, path: store.path)
    let statement = store.statements.inserts[insert.entity]
    let reader = store.reader
    var written: [(key: ObjectKey, isNew: Bool, row: Int)] = []
    try connection.pipelined { pipeline in
      var fields = PostgresFields()
      for row in 0..<block.count {
        let text = store.statements.upsert(
          insert,
          named: block.named.isEmpty ? nil : block.named[row]
        )
        fields.removeAll()
        fields.append(keys[row].number)
        try encoder.append(statement.steps, of: block.chunk, row, key: keys[row], to: &fields)
        try pipeline.send(text, fields, failingFor: [keys[row]]) { result in
          if result.rowCount == 0 { return }
          let key = try reader.key(
            entityNumber: result.integer(0, 1),
            result.integer(0, 0)
          )
          written.append((key, key.number == keys[row].number, row))
        }
      }
    }
    if insert.duplicates == .overwriteGivenProperties {
      for new in written where new.isNew { try requireValues(block, new.row, insert.entity) }
    }
    record(inserted: written.filter(\.isNew).map(\.key), insert.report)
    let changed = written.filter { !$0.isNew }
    outcome.count += changed.count
    var seen = Set(outcome.keys + outcome.updated)
    let slots = SlotSet(model.entities[insert.entity].storedSlots)
    for (key, _, _) in changed where seen.insert(key).inserted {
      history?.update(key, slots)
      if insert.report.contains(.keys) { outcome.keys.append(key) }
      if insert.report.contains(.changes) || history != nil { outcome.updated.append(key) }
    }
  }

  private func requireValues(_ block: BatchInsert.Block, _ row: Int, _ index: Int) throws {
    let entity = model.entities[index]
    for slot in BatchInsert.mandatorySlots(of: entity) where block.chunk.isNull(row, slot) {
      throw StoreError(.missingValue, entity.properties[slot].name)
    }
  }
}
#endif
