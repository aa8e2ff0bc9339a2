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

  /// Returns the rows of a statement, after those of `initial`.
  ///
  /// `capacity` is the number of rows for which there is room at first.
  /// - Throws: `StoreError.corrupt` for an invalid primary key or entity number, and for a value that does not
  ///   have the form of its type; errors of the statement.
  func rows(
    of text: String,
    _ values: PostgresFields,
    from connection: PostgresConnection,
    _ source: RowSource,
    after initial: FetchedRows = FetchedRows(),
    capacity: Int = 16,
    control: FetchControl? = nil
  ) throws -> FetchedRows {
    let appender = PostgresRowAppender(
      self,
      source,
      after: initial,
      capacity: capacity,
      control: control
    )
    try connection.forEachRow(of: text, values, control: control) { try appender.append($0) }
    return appender.finish()
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

  /// Returns a chunk for rows of an entity that has the size of `full`'s rows for each row.
  func chunk(of entity: Int, after full: RowChunk?, capacity: Int) -> RowChunk {
    let bytes = full.map { $0.count == 0 ? 64 : $0.arenaUsed / $0.count + 1 } ?? 64
    let capacity = min(512, capacity)
    return RowChunk(
      layout: layout.model.entities[entity].rowLayout,
      capacity: capacity,
      arenaCapacity: min(capacity * bytes, RowChunk.arenaLimit)
    )
  }

  /// Returns the index in `source.fields` of the entity with an entity number.
  ///
  /// - Throws: `StoreError.corrupt` if no entity of the source has this number.
  func offset(ofNumber number: Int64, _ source: RowSource) throws -> Int {
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

  /// Returns the bits that are the same in the keys of all rows of an entity in this store.
  func base(_ entity: Int) -> UInt64 { ObjectKey.base(store: storeIndex, entity: entity) }

  /// Returns a primary key.
  ///
  /// - Throws: `StoreError.corrupt` if it is out of range.
  @inline(__always)
  func number(_ number: Int64, _ entity: Int) throws -> Int64 {
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

  /// Appends a row to the chunk.
  ///
  /// - Throws: `StoreError.corrupt`. The chunk then ends with an incomplete row, which the caller must not use.
  @inline(__always)
  func fill(
    _ chunk: RowChunk,
    _ fields: UnsafeBufferPointer<RowSource.Field>,
    from row: PostgresRow
  ) throws {
    var new = chunk.newRow(version: row.integer(1))
    for field in fields {
      guard let bytes = row.bytes(Int(field.position)) else { continue }
      if let word = try word(field, bytes, from: row, into: chunk) {
        new.setWord(field.slot, word)
      }
    }
    new.finish()
  }

  @inline(__always)
  private func word(
    _ field: RowSource.Field,
    _ bytes: UnsafeRawBufferPointer,
    from row: PostgresRow,
    into chunk: RowChunk
  ) throws -> UInt64? {
    let column = Int(field.position)
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
