// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// A reader that copies result rows into row chunks, and their keys into lists.
struct RowReader: Sendable {
  let layout: Layout
  let storeIndex: Int
  let path: String

  func successor(of chunk: RowChunk) -> RowChunk {
    let capacity = min(512, chunk.capacity * 2)
    let bytesPerRow = chunk.count == 0 ? 64 : chunk.arenaUsed / chunk.count + 1
    return RowChunk(
      layout: chunk.layout,
      capacity: capacity,
      arenaCapacity: min(capacity * bytesPerRow, RowChunk.arenaLimit)
    )
  }

  func firstChunk(_ entity: Int, _ capacity: Int) -> RowChunk {
    RowChunk(
      layout: layout.model.entities[entity].rowLayout,
      capacity: capacity,
      arenaCapacity: capacity * 64
    )
  }

  // MARK: A single row

  /// The initial and the maximum capacity of a chunk to which single rows are added, such as those of faults.
  private static let openCapacity = 4...64
  /// The most bytes with which the arena of such a chunk starts, because it may never receive more rows.
  private static let openArenaLimit = 64 * 1024

  /// Reads the current row of a statement into a chunk.
  ///
  /// The chunk is `open` if the row belongs to the entity `entity` and fits into `open`; otherwise it is a
  /// new chunk.
  /// - Throws: `StoreError.corrupt` for an invalid primary key or entity number; `.cannotRead` for a large
  ///   value whose file cannot be read.
  func row(
    at handle: OpaquePointer,
    _ source: RowSource,
    entity: Int,
    into open: RowChunk?
  ) throws -> LoadedRow {
    let member =
      source.hasEntityColumn
      ? try offset(ofNumber: sqlite3_column_int64(handle, 2), in: source) : 0
    let found = source.entity + member
    let columns = SteppedColumns(handle)
    let key = ObjectKey(base: base(found), number: try number(columns, of: source.entity))
    return try source.fields[member].withUnsafeBufferPointer { fields in
      let chunk: RowChunk
      // The content of a tagged value can be in a file and large, so such a row has a chunk of its own.
      let isOpened = found == entity && !fields.contains { $0.isTagged }
      if isOpened, let open {
        chunk = fits(fields, open, handle) ? open : Self.openSuccessor(of: open)
      } else {
        chunk = firstChunk(found, isOpened ? Self.openCapacity.lowerBound : 1)
      }
      return LoadedRow(key: key, chunk: chunk, row: try fill(chunk, fields, columns))
    }
  }

  private static func openSuccessor(of chunk: RowChunk) -> RowChunk {
    let capacity = min(openCapacity.upperBound, chunk.capacity * 2)
    return RowChunk(
      layout: chunk.layout,
      capacity: capacity,
      arenaCapacity: min(
        openArenaLimit,
        capacity * max(16, chunk.arenaUsed / max(1, chunk.count) + 8)
      )
    )
  }

  /// Returns whether the current row fits into the chunk without moving the texts of other rows.
  ///
  /// While a fault fires, a caller may still be using pointers to those texts.
  private func fits(
    _ fields: UnsafeBufferPointer<RowSource.Field>,
    _ chunk: RowChunk,
    _ handle: OpaquePointer
  ) -> Bool {
    if chunk.isFull { return false }
    var room = chunk.arenaRoom
    for field in fields where field.kind.isInArena {
      room -=
        field.kind == .decimal
        ? MemoryLayout<Decimal>.size : Int(sqlite3_column_bytes(handle, field.position))
    }
    return room >= 0
  }

  /// Returns the row's primary key.
  ///
  /// - Throws: `StoreError.corrupt`, which names the entity's table, if the primary key is negative or
  ///   greater than `ObjectKey.maximumNumber`.
  @inline(__always)
  func number(_ columns: some ResultColumns, of entity: Int) throws -> Int64 {
    let number = columns.integer(0)
    if number < 0 || number > ObjectKey.maximumNumber {
      throw damaged(
        "a row of \(layout.entities[entity].table) has the invalid primary key \(number)"
      )
    }
    return number
  }

  /// Returns the bits that are the same in the keys of all rows of an entity in this store.
  func base(_ entity: Int) -> UInt64 { ObjectKey.base(store: storeIndex, entity: entity) }

  /// Returns the index in `source.fields` of the entity with the entity number `number`.
  ///
  /// - Throws: `StoreError.corrupt` if no entity of the source has this entity number.
  func offset(ofNumber number: Int64, in source: RowSource) throws -> Int {
    guard let entity = layout.entityByNumber[number],
      source.fields.indices.contains(entity - source.entity)
    else {
      throw damaged(
        "a row of \(layout.entities[source.entity].table) has the entity number \(number) (Z_ENT), which is "
          + "not that of \(layout.model.entities[source.entity].name) or one of its subentities"
      )
    }
    return entity - source.entity
  }

  func damaged(_ what: String) -> StoreError {
    StoreError(
      .corrupt,
      "\(what); run `coredata doctor` to find such rows and how to correct them",
      path: path
    )
  }

  // MARK: One row

  /// Appends a row to the chunk, and returns the index of the row.
  ///
  /// - Throws: `StoreError.corrupt` or `.cannotRead`. The chunk then ends with an incomplete row, which the
  ///   caller must not use.
  @inline(__always)
  func fill(
    _ chunk: RowChunk,
    _ fields: UnsafeBufferPointer<RowSource.Field>,
    _ columns: some ResultColumns
  ) throws -> Int {
    var row = chunk.newRow(version: columns.integer(1))
    for field in fields {
      if let word = try word(field, columns, chunk) { row.setWord(field.slot, word) }
    }
    row.finish()
    return row.index
  }

  /// Returns the word for a slot; nil if the slot is to be null.
  @inline(__always)
  private func word(
    _ field: RowSource.Field,
    _ columns: some ResultColumns,
    _ chunk: RowChunk
  ) throws -> UInt64? {
    let position = field.position
    switch field.kind {
    case .integer, .boolean:
      let number = columns.integer(position)
      if number == 0, columns.isNull(position) { return nil }
      return UInt64(bitPattern: number)
    case .double, .date:
      let number = columns.double(position)
      if number == 0, columns.isNull(position) { return nil }
      return number.bitPattern
    case .text, .url:
      let value = columns.value(position)
      guard let bytes = sqlite3_value_blob(value) else {
        return sqlite3_value_type(value) == SQLITE_NULL
          ? nil : chunk.store(UnsafeRawBufferPointer(start: nil, count: 0))
      }
      let count = Int(sqlite3_value_bytes(value))
      return chunk.store(UnsafeRawBufferPointer(start: bytes, count: count))
    case .data, .uuid, .opaque: return try blob(field, columns.value(position), chunk)
    case .decimal: return decimal(columns.value(position), chunk)
    case .reference: return try reference(field, columns)
    case .none: return nil
    }
  }

  /// Returns the key of a to-one's destination; nil if the column contains NULL or 0.
  ///
  /// Old frameworks write 0 instead of NULL. If the model does not have the stored entity number, the key has
  /// the relationship's destination entity. Such a key still leads to the right row, because all entities of
  /// a hierarchy share one table.
  @inline(__always)
  private func reference(
    _ field: RowSource.Field,
    _ columns: some ResultColumns
  ) throws -> UInt64? {
    let number = columns.integer(field.position)
    if number == 0 { return nil }
    if number < 0 || number > ObjectKey.maximumNumber {
      throw damaged(
        "a row refers to an object of entity \(layout.model.entities[field.destination].name) by the invalid "
          + "primary key \(number)"
      )
    }
    var entity = field.destination
    if field.entityPosition >= 0,
      let actual = layout.entityByNumber[columns.integer(field.entityPosition)]
    {
      entity = actual
    }
    return base(entity) | UInt64(number)
  }

  private func blob(
    _ field: RowSource.Field,
    _ value: OpaquePointer?,
    _ chunk: RowChunk
  ) throws -> UInt64? {
    if sqlite3_value_type(value) == SQLITE_NULL { return nil }
    let start = sqlite3_value_blob(value)
    let count = Int(sqlite3_value_bytes(value))
    let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    if field.kind == .uuid, bytes.count != 16 { return nil }
    guard field.isTagged, let tag = bytes.first else { return chunk.store(bytes) }
    guard tag == ExternalData.fileTag else {
      return chunk.store(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
    }
    return try ExternalData.read(bytes, store: path)?.withUnsafeBytes { chunk.store($0) }
  }

  private func decimal(_ value: OpaquePointer?, _ chunk: RowChunk) -> UInt64? {
    guard let number = Self.decimal(value) else { return nil }
    return withUnsafeBytes(of: number) { chunk.store($0) }
  }

  /// Returns the decimal in a column; nil for NULL and for a text that is not a number.
  ///
  /// A double is read as the decimal with the fewest digits that rounds to the same double. Decimals with up
  /// to 15 digits are therefore read back exactly.
  static func decimal(_ value: OpaquePointer?) -> Decimal? {
    switch sqlite3_value_type(value) {
    case SQLITE_NULL: return nil
    case SQLITE_INTEGER: return Decimal(sqlite3_value_int64(value))
    case SQLITE_FLOAT: return Decimal(string: sqlite3_value_double(value).description)
    default:
      // NaN is stored as text; observed in a store of framework 419.
      guard let text = sqlite3_value_text(value).map({ String(cString: $0) }) else { return nil }
      return text == "NaN" ? .nan : Decimal(string: text)
    }
  }
}
