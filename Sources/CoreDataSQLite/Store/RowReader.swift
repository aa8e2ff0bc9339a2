// SPDX-License-Identifier: Apache-2.0

import CSQLite
import CoreDataModel
import CoreDataSQL
import CoreDataStore
import Foundation

/// Result rows → row chunks and keys.
struct RowReader: Sendable {
  let layout: Layout
  let storeIndex: Int
  let path: String

  /// The chunk of one entity that is being filled, and the columns to fill it from.
  private struct Filling {
    var chunk: RowChunk?
    var capacity = 16
    let fields: [RowSource.Field]
    let rowLayout: RowLayout
    /// Key of number 0: store and entity.
    let baseKey: UInt64
  }

  /// Reads all rows of a statement that selects `source`, into `rows`.
  func read(
    _ statement: PreparedStatement, _ source: RowSource, into rows: inout FetchedRows
  ) throws {
    defer { sqlite3_reset(statement.handle) }
    var fillings = source.fields.enumerated().map { offset, fields in
      let entity = source.entity + offset
      return Filling(
        fields: fields, rowLayout: layout.model.entities[entity].rowLayout,
        baseKey: base(entity))
    }
    let handle = statement.handle
    var member = 0
    var run = OpenRun()
    while true {
      let code = sqlite3_step(handle)
      if code != SQLITE_ROW {
        if code == SQLITE_DONE { break }
        throw statement.failure(code)
      }
      let number = sqlite3_column_int64(handle, 0)
      if number < 0 || number > ObjectKey.maximumNumber { throw damaged("primary key \(number)") }
      if source.hasEntityColumn {
        member = try offset(ofNumber: sqlite3_column_int64(handle, 2), in: source)
      }
      let row = try fill(&fillings[member], handle)
      run.add(fillings[member].chunk, row, to: &rows)
      rows.keys.append(ObjectKey(raw: fillings[member].baseKey | UInt64(number)))
    }
    run.end(in: &rows)
  }

  private func base(_ entity: Int) -> UInt64 {
    UInt64(storeIndex) << 56 | UInt64(entity) << 42
  }

  private func offset(ofNumber number: Int64, in source: RowSource) throws -> Int {
    guard let entity = layout.entityByNumber[number] else {
      throw damaged("entity number \(number)")
    }
    let offset = entity - source.entity
    guard source.fields.indices.contains(offset) else { throw damaged("entity number \(number)") }
    return offset
  }

  private func damaged(_ what: String) -> StoreError {
    StoreError(.corrupt, "a row has the unknown \(what)", path: path)
  }

  /// Rows of one chunk that follow each other.
  private struct OpenRun {
    private var chunk: RowChunk?
    private var first = 0
    private var count = 0

    @inline(__always)
    mutating func add(_ next: RowChunk?, _ row: Int, to rows: inout FetchedRows) {
      if next === chunk {
        count += 1
        return
      }
      end(in: &rows)
      chunk = next
      first = row
      count = 1
    }

    mutating func end(in rows: inout FetchedRows) {
      if let chunk, count > 0 {
        rows.runs.append(FetchedRows.Run(chunk: chunk, first: first, count: count))
      }
      count = 0
      chunk = nil
    }
  }

  // MARK: One row

  /// Adds the statement's current row to the filling's chunk, and returns its place.
  @inline(__always)
  private func fill(_ filling: inout Filling, _ handle: OpaquePointer) throws -> Int {
    let chunk: RowChunk
    if let open = filling.chunk, !open.isFull {
      chunk = open
    } else {
      chunk = RowChunk(
        layout: filling.rowLayout, capacity: filling.capacity,
        arenaCapacity: filling.capacity * 64)
      filling.capacity = min(512, filling.capacity * 2)
      filling.chunk = chunk
    }
    let row = chunk.appendRow()
    let headerWords = chunk.headerWords
    let words = chunk.words + row * chunk.stride
    let slots = words + headerWords
    // All slots are null to begin with; bits go as values come.
    var head = 0xFFFF_FFFF_0000_0000 | UInt64(UInt32(truncatingIfNeeded: sqlite3_column_int64(handle, 1)))
    filling.fields.withUnsafeBufferPointer { fields in
      for field in fields {
        guard let word = word(field, handle, chunk) else { continue }
        slots[field.slot] = word
        if field.slot < 32 {
          head &= ~(1 << UInt64(32 + field.slot))
        } else {
          words[1 + (field.slot - 32) >> 6] &= ~(1 << UInt64((field.slot - 32) & 63))
        }
      }
    }
    words[0] = head
    return row
  }

  /// The slot's word; nil for NULL.
  @inline(__always)
  private func word(
    _ field: RowSource.Field, _ handle: OpaquePointer, _ chunk: RowChunk
  ) -> UInt64? {
    let position = field.position
    switch field.kind {
    case .integer, .boolean:
      let number = sqlite3_column_int64(handle, position)
      if number == 0, sqlite3_column_type(handle, position) == SQLITE_NULL { return nil }
      return UInt64(bitPattern: number)
    case .double, .date:
      let number = sqlite3_column_double(handle, position)
      if number == 0, sqlite3_column_type(handle, position) == SQLITE_NULL { return nil }
      return number.bitPattern
    case .text, .url:
      guard let bytes = sqlite3_column_blob(handle, position) else {
        return sqlite3_column_type(handle, position) == SQLITE_NULL
          ? nil : chunk.store(UnsafeRawBufferPointer(start: nil, count: 0))
      }
      let count = Int(sqlite3_column_bytes(handle, position))
      return chunk.store(UnsafeRawBufferPointer(start: bytes, count: count))
    case .data, .uuid, .opaque: return blob(field, handle, chunk)
    case .decimal: return decimal(position, handle, chunk)
    case .reference: return reference(field, handle)
    case .none: return nil
    }
  }

  private func reference(_ field: RowSource.Field, _ handle: OpaquePointer) -> UInt64? {
    let number = sqlite3_column_int64(handle, field.position)
    guard number > 0, number <= ObjectKey.maximumNumber else { return nil }
    var entity = field.destination
    if field.entityPosition >= 0,
      let actual = layout.entityByNumber[sqlite3_column_int64(handle, field.entityPosition)]
    {
      entity = actual
    }
    return base(entity) | UInt64(number)
  }

  private func blob(
    _ field: RowSource.Field, _ handle: OpaquePointer, _ chunk: RowChunk
  ) -> UInt64? {
    if sqlite3_column_type(handle, field.position) == SQLITE_NULL { return nil }
    let start = sqlite3_column_blob(handle, field.position)
    let count = Int(sqlite3_column_bytes(handle, field.position))
    let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    if field.kind == .uuid, bytes.count != 16 { return nil }
    guard field.isTagged, let tag = bytes.first else { return chunk.store(bytes) }
    guard tag == ExternalData.fileTag else {
      return chunk.store(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
    }
    return ExternalData.read(bytes, store: path)?.withUnsafeBytes { chunk.store($0) }
  }

  private func decimal(
    _ position: Int32, _ handle: OpaquePointer, _ chunk: RowChunk
  ) -> UInt64? {
    guard let number = Self.decimal(position, handle) else { return nil }
    return withUnsafeBytes(of: number) { chunk.store($0) }
  }

  /// The number as its shortest decimal text says: what was written to 15 digits comes back exactly.
  static func decimal(_ position: Int32, _ handle: OpaquePointer) -> Decimal? {
    switch sqlite3_column_type(handle, position) {
    case SQLITE_NULL: nil
    case SQLITE_INTEGER: Decimal(sqlite3_column_int64(handle, position))
    case SQLITE_FLOAT: Decimal(string: sqlite3_column_double(handle, position).description)
    default: textColumn(handle, position).flatMap { Decimal(string: $0) }
    }
  }
}
