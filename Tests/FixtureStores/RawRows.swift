// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataStore

/// What a plain connection reads from a file, without any of the library.
package struct RawRows {
  package enum Cell: Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)

    package var number: Int64? { if case .integer(let number) = self { number } else { nil } }
    package var isNull: Bool { self == .null }
  }

  private let handle: OpaquePointer

  /// Reads through a connection that changes nothing.
  package static func read<T>(_ path: String, _ body: (RawRows) throws -> T) throws -> T {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
    defer { sqlite3_close_v2(handle) }
    guard code == SQLITE_OK, let handle else { throw StoreError(.cannotOpen, path) }
    return try body(RawRows(handle: handle))
  }

  /// The rows of a statement, each by column name.
  package func rows(_ sql: String) throws -> [[String: Cell]] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw StoreError(.engine, String(cString: sqlite3_errmsg(handle)) + ": " + sql)
    }
    let names = (0..<sqlite3_column_count(statement)).map {
      sqlite3_column_name(statement, $0).map { String(cString: $0) } ?? ""
    }
    var rows: [[String: Cell]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      var row: [String: Cell] = [:]
      for (index, name) in names.enumerated() { row[name] = cell(statement, Int32(index)) }
      rows.append(row)
    }
    return rows
  }

  /// The first column of a statement's rows, as texts.
  package func texts(_ sql: String) throws -> [String] {
    try rows(sql).compactMap { row in
      if case .text(let text)? = row.values.first { text } else { nil }
    }
  }

  private func cell(_ statement: OpaquePointer, _ index: Int32) -> Cell {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, index))
    case SQLITE_TEXT:
      return .text(sqlite3_column_text(statement, index).map { String(cString: $0) } ?? "")
    case SQLITE_BLOB:
      guard let bytes = sqlite3_column_blob(statement, index) else { return .blob(Data()) }
      return .blob(Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, index))))
    default: return .null
    }
  }
}
