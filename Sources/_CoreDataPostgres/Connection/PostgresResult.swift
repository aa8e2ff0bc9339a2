// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres
import Foundation
import _CoreDataSQL

/// The rows that one statement returned, in PostgreSQL's binary forms; freed with this object.
package final class PostgresResult {
  let handle: OpaquePointer
  package let rowCount: Int
  package let columnCount: Int

  init(_ handle: OpaquePointer) {
    self.handle = handle
    rowCount = Int(PQntuples(handle))
    columnCount = Int(PQnfields(handle))
  }

  deinit { PQclear(handle) }

  /// The number of rows that an INSERT, UPDATE, DELETE or COPY has written.
  package var changes: Int { strtol(PQcmdTuples(handle), nil, 10) }

  package func type(_ column: Int) -> UInt32 { PQftype(handle, Int32(column)) }

  @inline(__always) func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(handle, Int32(row), Int32(column)) != 0
  }

  /// Returns the bytes of a value, which are valid as long as this object; no bytes for null.
  @inline(__always) func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: PQgetvalue(handle, Int32(row), Int32(column)),
      count: Int(PQgetlength(handle, Int32(row), Int32(column)))
    )
  }

  /// Returns an integer of two, four or eight bytes, or a Boolean; 0 for null.
  @inline(__always) package func integer(_ row: Int, _ column: Int) -> Int64 {
    Self.integer(bytes(row, column))
  }

  @inline(__always) static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    switch bytes.count {
    case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    case 1: Int64(bytes[0])
    default: 0
    }
  }

  /// Returns a number of type double precision; 0 for null.
  @inline(__always) package func double(_ row: Int, _ column: Int) -> Double {
    Self.double(bytes(row, column))
  }

  @inline(__always) static func double(_ bytes: UnsafeRawBufferPointer) -> Double {
    if bytes.count == 8 {
      return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
    }
    if bytes.count == 4 {
      return Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
    }
    return 0
  }

  package func text(_ row: Int, _ column: Int) -> String? {
    isNull(row, column) ? nil : String(decoding: bytes(row, column), as: UTF8.self)
  }

  package func data(_ row: Int, _ column: Int) -> Data? {
    isNull(row, column) ? nil : Data(bytes(row, column))
  }

  /// Returns a value in the form of SQLite's storage classes: a Boolean as 0 or 1, a `numeric` as its text, a
  /// UUID and every other type as its bytes.
  package func binding(_ row: Int, _ column: Int) -> Binding {
    if isNull(row, column) { return .null }
    let bytes = bytes(row, column)
    switch type(column) {
    case PostgresType.boolean, PostgresType.bigint, PostgresType.integer, PostgresType.smallint:
      return .integer(Self.integer(bytes))
    case PostgresType.double, PostgresType.real: return .double(Self.double(bytes))
    case PostgresType.text, 18, 19, 1042, 1043: return .text(String(decoding: bytes, as: UTF8.self))
    case PostgresType.numeric: return .text(PostgresNumeric.text(bytes) ?? "")
    default: return .blob(Data(bytes))
    }
  }

  /// Returns all rows in the form of `binding(_:_:)`.
  package var bindings: [[Binding]] {
    (0..<rowCount).map { row in (0..<columnCount).map { binding(row, $0) } }
  }
}
#endif
