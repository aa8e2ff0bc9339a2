// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres

/// A row that the server has sent, by the positions of its columns; valid as long as libpq's result.
struct PostgresRow {
  let result: OpaquePointer
  let row: Int32

  /// Returns the bytes of a value, in PostgreSQL's binary form; nil for null.
  @inline(__always) func bytes(_ column: Int) -> UnsafeRawBufferPointer? {
    let count = PQgetlength(result, row, Int32(column))
    // A null has no bytes, but a text without characters has none either.
    if count == 0, PQgetisnull(result, row, Int32(column)) != 0 { return nil }
    return UnsafeRawBufferPointer(start: PQgetvalue(result, row, Int32(column)), count: Int(count))
  }

  /// Returns an integer; 0 for null.
  @inline(__always) func integer(_ column: Int) -> Int64 {
    bytes(column).map(PostgresResult.integer) ?? 0
  }

  /// Returns whether a value is a record of several columns.
  func isRecord(_ column: Int) -> Bool { PQftype(result, Int32(column)) == PostgresType.record }
}
#endif
