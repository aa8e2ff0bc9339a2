// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Copies result rows into row chunks.
///
/// The columns of a result are those of a `RowSource`: primary key, version, entity number if the source has
/// one, and the values.
struct PostgresRowReader: Sendable {
  let layout: Layout
  let storeIndex: Int
  let path: String

  /// Appends the rows of a result.
  ///
  /// - Throws: `StoreError.corrupt` for an invalid primary key or entity number, and for a value that does not
  ///   have the form of its type.
  func read(
    _ result: PostgresResult,
    _ source: RowSource,
    control: FetchControl? = nil,
    into rows: inout FetchedRows
  ) throws {
    var open = [RowChunk?](repeating: nil, count: source.fields.count)
    let count = result.rowCount
    rows.keys.reserveCapacity(rows.keys.count + count)
    for row in 0..<count {
      try append(
        PostgresResultRow(result: result, row: row),
        of: source,
        capacity: count - row,
        control: control,
        open: &open,
        to: &rows
      )
    }
    control?.reportRows(count)
  }

  /// Appends the rows of a statement that is run by COPY.
  ///
  /// - Throws: as `read(_:_:control:into:)`; errors of the statement.
  func copy(
    _ statement: String,
    from connection: PostgresConnection,
    _ source: RowSource,
    control: FetchControl?,
    into rows: inout FetchedRows
  ) throws {
    var open = [RowChunk?](repeating: nil, count: source.fields.count)
    try connection.copyRows(of: statement, control: control) { row in
      // The number of rows that follow is not known: chunks are as large as what there is.
      let capacity = max(16, rows.keys.count)
      try append(
        row,
        of: source,
        capacity: capacity,
        control: control,
        open: &open,
        to: &rows
      )
    }
    control?.reportRows(rows.keys.count)
  }

  /// Returns whether the rows of a source can be copied: COPY does not tell a record from other values.
  func canCopy(_ source: RowSource) -> Bool {
    source.columns.allSatisfy { $0.kinds == nil }
  }

  @inline(__always)
  private func append(
    _ row: some PostgresRow,
    of source: RowSource,
    capacity: Int,
    control: FetchControl?,
    open: inout [RowChunk?],
    to rows: inout FetchedRows
  ) throws {
    let offset = source.hasEntityColumn ? try offset(ofNumber: row.integer(2), source) : 0
    let chunk = chunk(
      &open[offset],
      of: source.entity + offset,
      row: rows.keys.count,
      capacity: capacity,
      control
    )
    let number = try number(row.integer(0), source.entity)
    let index = try fill(chunk, source.fields[offset], from: row)
    rows.append(ObjectKey(base: base(source.entity + offset), number: number), chunk, index)
  }

  /// Returns the keys of a result with the columns of keys: primary key and, if the source has one, entity
  /// number.
  func keys(_ result: PostgresResult, _ source: RowSource) throws -> [ObjectKey] {
    try (0..<result.rowCount).map { row in
      var entity = source.entity
      if source.hasEntityColumn { entity += try offset(ofNumber: result.integer(row, 1), source) }
      return ObjectKey(base: base(entity), number: try number(result.integer(row, 0), entity))
    }
  }

  /// Returns the key with this primary key and the entity with this number.
  func key(entityNumber: Int64, _ number: Int64) throws -> ObjectKey {
    guard let entity = layout.entityByNumber[entityNumber] else {
      throw damaged(
        "a row has the entity number \(entityNumber) (z_ent), which no entity of the model has"
      )
    }
    return try key(entity, number)
  }

  func key(_ entity: Int, _ number: Int64) throws -> ObjectKey {
    ObjectKey(base: base(entity), number: try self.number(number, entity))
  }

  private func chunk(
    _ open: inout RowChunk?,
    of entity: Int,
    row: Int,
    capacity: Int,
    _ control: FetchControl?
  ) -> RowChunk {
    if let chunk = open, !chunk.isFull { return chunk }
    if open != nil { control?.reportRows(row) }
    let bytes = open.map { $0.count == 0 ? 64 : $0.arenaUsed / $0.count + 1 } ?? 64
    let capacity = min(512, capacity)
    let chunk = RowChunk(
      layout: layout.model.entities[entity].rowLayout,
      capacity: capacity,
      arenaCapacity: min(capacity * bytes, RowChunk.arenaLimit)
    )
    open = chunk
    return chunk
  }

  private func offset(ofNumber number: Int64, _ source: RowSource) throws -> Int {
    guard let entity = layout.entityByNumber[number],
      source.fields.indices.contains(entity - source.entity)
    else {
      throw damaged(
        "a row of \(layout.entities[source.entity].table) has the entity number \(number) (z_ent), which is "
          + "not that of \(layout.model.entities[source.entity].name) or one of its subentities"
      )
    }
    return entity - source.entity
  }

  private func base(_ entity: Int) -> UInt64 { ObjectKey.base(store: storeIndex, entity: entity) }

  private func number(_ number: Int64, _ entity: Int) throws -> Int64 {
    if number >= 0, number <= ObjectKey.maximumNumber { return number }
    throw damaged(
      "a row of \(layout.entities[entity].table), or a reference to such a row, has the primary key \(number), "
        + "which is out of range"
    )
  }

  func damaged(_ what: String) -> StoreError {
    StoreError(
      .corrupt,
      "\(what); another program has written it, so correct it in the database",
      path: path
    )
  }

  // MARK: Values

  @inline(__always)
  private func fill(
    _ chunk: RowChunk,
    _ fields: [RowSource.Field],
    from row: some PostgresRow
  ) throws -> Int {
    var new = chunk.newRow(version: row.integer(1))
    for field in fields {
      if row.isNull(Int(field.position)) { continue }
      if let word = try word(field, from: row, into: chunk) {
        new.setWord(field.slot, word)
      }
    }
    new.finish()
    return new.index
  }

  @inline(__always)
  private func word(
    _ field: RowSource.Field,
    from row: some PostgresRow,
    into chunk: RowChunk
  ) throws -> UInt64? {
    let column = Int(field.position)
    let bytes = row.bytes(column)
    switch field.kind {
    case .integer, .boolean: return UInt64(bitPattern: PostgresResult.integer(bytes))
    case .double, .date: return PostgresResult.double(bytes).bitPattern
    case .text, .url, .data: return chunk.store(bytes)
    case .uuid: return bytes.count == 16 ? chunk.store(bytes) : nil
    case .decimal:
      guard let number = PostgresNumeric.decimal(bytes) else {
        throw damaged(
          "a number in column \(column + 1) of a result is out of the range of a decimal"
        )
      }
      return withUnsafeBytes(of: number) { chunk.store($0) }
    case .opaque:
      if !row.isRecord(column) { return chunk.store(bytes) }
      let values = try PostgresRecord.values(bytes, self)
      return values.withUnsafeBytes { chunk.store($0) }
    case .reference:
      var entity = field.destination
      if field.entityPosition >= 0,
        let actual = layout.entityByNumber[row.integer(Int(field.entityPosition))]
      {
        entity = actual
      }
      return base(entity) | UInt64(try number(PostgresResult.integer(bytes), entity))
    case .none: return nil
    }
  }
}
#endif
