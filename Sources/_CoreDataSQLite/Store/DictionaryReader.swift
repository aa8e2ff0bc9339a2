// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// A reader that returns each row of a dictionary fetch as an array of values.
struct DictionaryReader {
  let store: SQLiteStore
  let columns: [DictionaryColumn]

  func read(_ statement: PreparedStatement) throws -> [[Value]] {
    var rows: [[Value]] = []
    try statement.forEach { handle in
      var position: Int32 = 0
      var row: [Value] = []
      row.reserveCapacity(columns.count)
      for column in columns { row.append(try value(column, handle, &position)) }
      rows.append(row)
    }
    return rows
  }

  private func value(
    _ column: DictionaryColumn,
    _ handle: OpaquePointer,
    _ position: inout Int32
  ) throws -> Value {
    defer { position += 1 }
    switch column.kind {
    case .any: return Self.any(handle, position)
    case .composite(let elements):
      return CompositeRecord.dictionary(dataColumn(handle, position) ?? Data(), elements)
    case .value(let kind): return Self.value(kind, handle, position)
    case .tagged: return try untagged(handle, position)
    case .reference(var entity, let hasEntityColumn):
      let number = sqlite3_column_int64(handle, position)
      if hasEntityColumn {
        position += 1
        if let actual = store.layout.entityByNumber[sqlite3_column_int64(handle, position)] {
          entity = actual
        }
      }
      // As in `RowReader`, the primary key 0 refers to no object.
      return number == 0 ? .null : .key(try store.key(entity, number))
    }
  }

  /// Returns the bytes after the tag, or the content of the file that the value names.
  ///
  /// The result is `.null` if the column contains NULL or if the file does not exist.
  private func untagged(_ handle: OpaquePointer, _ position: Int32) throws -> Value {
    guard let data = dataColumn(handle, position) else { return .null }
    guard data.first == ExternalData.fileTag else { return .data(Data(data.dropFirst())) }
    let content = try data.withUnsafeBytes { try ExternalData.read($0, store: store.options.path) }
    return content.map(Value.data) ?? .null
  }

  private static func any(_ handle: OpaquePointer, _ position: Int32) -> Value {
    switch sqlite3_column_type(handle, position) {
    case SQLITE_INTEGER: .int(sqlite3_column_int64(handle, position))
    case SQLITE_FLOAT: .double(sqlite3_column_double(handle, position))
    case SQLITE_TEXT: .text(textColumn(handle, position) ?? "")
    case SQLITE_BLOB: .data(dataColumn(handle, position) ?? Data())
    default: .null
    }
  }

  static func value(
    _ kind: SlotKind,
    _ handle: OpaquePointer,
    _ position: Int32
  ) -> Value {
    if sqlite3_column_type(handle, position) == SQLITE_NULL { return .null }
    switch kind {
    case .integer: return .int(sqlite3_column_int64(handle, position))
    case .boolean: return .bool(sqlite3_column_int64(handle, position) != 0)
    case .double: return .double(sqlite3_column_double(handle, position))
    case .date: return .date(sqlite3_column_double(handle, position))
    case .text: return .text(textColumn(handle, position) ?? "")
    case .url:
      return textColumn(handle, position).flatMap { URL(string: $0) }.map(Value.url) ?? .null
    case .decimal:
      return RowReader.decimal(sqlite3_column_value(handle, position)).map(Value.decimal) ?? .null
    case .uuid:
      guard let data = dataColumn(handle, position), data.count == 16 else { return .null }
      var uuid = UUID().uuid
      withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: data) }
      return .uuid(UUID(uuid: uuid))
    case .data, .opaque: return .data(dataColumn(handle, position) ?? Data())
    case .reference, .none: return any(handle, position)
    }
  }
}
