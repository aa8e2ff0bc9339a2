// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataSQL
import _CoreDataStore

/// A compiled statement of one connection.
///
/// Only the thread that has checked out the connection may use the statement.
final class PreparedStatement {
  let handle: OpaquePointer
  let text: String
  unowned let connection: Connection
  /// Whether the statement passes its rows to the connection's collector.
  let collectsRows: Bool

  // The value of the macro `SQLITE_TRANSIENT`, which Swift does not import: the engine copies the bytes.
  static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  init(_ handle: OpaquePointer, _ statement: Statement, connection: Connection) {
    self.handle = handle
    text = statement.text
    self.connection = connection
    collectsRows = statement.traits.contains(.collectsRows)
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ values: [Binding]) throws {
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
  }

  func bind(_ value: Binding, at index: Int32) throws {
    let code: Int32
    switch value {
    case .null: code = sqlite3_bind_null(handle, index)
    case .integer(let number): code = sqlite3_bind_int64(handle, index, number)
    case .double(let number): code = sqlite3_bind_double(handle, index, number)
    case .text(var text), .converted(var text, _):
      code = text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          sqlite3_bind_text64(
            handle,
            index,
            $0.baseAddress ?? Self.empty,
            UInt64($0.count),
            Self.transient,
            UInt8(SQLITE_UTF8)
          )
        }
      }
    case .blob(let data):
      code =
        data.isEmpty
        ? sqlite3_bind_zeroblob(handle, index, 0)
        : data.withUnsafeBytes {
          sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), Self.transient)
        }
    }
    if code != SQLITE_OK { throw connection.error(code, text) }
  }

  func bind(_ number: Int64, at index: Int32) throws {
    let code = sqlite3_bind_int64(handle, index, number)
    if code != SQLITE_OK { throw connection.error(code, text) }
  }

  // A pointer to a zero byte that is never freed. A null pointer would bind NULL instead of an empty text.
  nonisolated(unsafe) static let empty: UnsafePointer<CChar> = {
    let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return UnsafePointer(byte)
  }()

  func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw failure(code)
  }

  /// Returns the error of a step that failed, and resets the statement.
  func failure(_ code: Int32) -> StoreError {
    let error = connection.error(code, text)
    sqlite3_reset(handle)
    return error
  }

  func run() throws {
    while try step() {}
    sqlite3_reset(handle)
  }

  func forEach(_ row: (OpaquePointer) throws -> Void) throws {
    defer { sqlite3_reset(handle) }
    while try step() { try row(handle) }
  }

  /// Returns the integer in the first column of the first row; nil if there is no row, 0 for NULL.
  func integer() throws -> Int64? {
    defer { sqlite3_reset(handle) }
    return try step() ? sqlite3_column_int64(handle, 0) : nil
  }
}

/// Returns a text column of the current row, up to the first zero byte of the text; nil for NULL.
func textColumn(_ handle: OpaquePointer, _ index: Int32) -> String? {
  sqlite3_column_text(handle, index).map { String(cString: $0) }
}

func dataColumn(_ handle: OpaquePointer, _ index: Int32) -> Data? {
  if sqlite3_column_type(handle, index) == SQLITE_NULL { return nil }
  guard let bytes = sqlite3_column_blob(handle, index) else { return Data() }
  return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, index)))
}
