// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
/// A row that the server has sent, by the positions of its columns.
protocol PostgresRow {
  func isNull(_ column: Int) -> Bool
  /// The bytes of a value, in PostgreSQL's binary form; no bytes for null.
  func bytes(_ column: Int) -> UnsafeRawBufferPointer
  /// Returns whether a value is a record of several columns.
  func isRecord(_ column: Int) -> Bool
}

extension PostgresRow {
  @inline(__always) func integer(_ column: Int) -> Int64 { PostgresResult.integer(bytes(column)) }
}

/// A row of a result.
struct PostgresResultRow: PostgresRow {
  let result: PostgresResult
  let row: Int

  @inline(__always) func isNull(_ column: Int) -> Bool { result.isNull(row, column) }
  @inline(__always) func bytes(_ column: Int) -> UnsafeRawBufferPointer {
    result.bytes(row, column)
  }
  func isRecord(_ column: Int) -> Bool { result.type(column) == PostgresType.record }
}

extension PostgresCopiedRow: PostgresRow {
  /// Always false: records are not read by COPY.
  func isRecord(_ column: Int) -> Bool { false }
}
#endif
