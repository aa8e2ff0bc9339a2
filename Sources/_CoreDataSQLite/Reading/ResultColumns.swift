// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite

/// The columns of one result row, valid until the next step.
protocol ResultColumns {
  /// Returns the value of a column as an integer; 0 for NULL.
  func integer(_ position: Int32) -> Int64
  /// Returns the value of a column as a floating-point number; 0 for NULL.
  func double(_ position: Int32) -> Double
  /// Returns the SQLite value in a column.
  ///
  /// Reading the bytes and the size from this value avoids the checks of `sqlite3_column_blob` and
  /// `sqlite3_column_bytes`. The value is not protected by a mutex; this is safe, because only one thread at
  /// a time uses a connection.
  /// Source: SQLite, “sqlite3_value”.
  func value(_ position: Int32) -> OpaquePointer?
}

extension ResultColumns {
  func isNull(_ position: Int32) -> Bool { sqlite3_value_type(value(position)) == SQLITE_NULL }
}

/// The row that a statement has stepped to.
struct SteppedColumns: ResultColumns {
  private let handle: OpaquePointer
  @inline(__always) init(_ handle: OpaquePointer) { self.handle = handle }
  @inline(__always) func integer(_ position: Int32) -> Int64 {
    sqlite3_column_int64(handle, position)
  }
  @inline(__always) func double(_ position: Int32) -> Double {
    sqlite3_column_double(handle, position)
  }
  @inline(__always) func value(_ position: Int32) -> OpaquePointer? {
    sqlite3_column_value(handle, position)
  }
}

/// The row whose values SQLite passes as arguments to the aggregate `RowCollection.function`.
struct CollectedColumns: ResultColumns {
  private let values: UnsafeMutablePointer<OpaquePointer?>
  @inline(__always) init(_ values: UnsafeMutablePointer<OpaquePointer?>) { self.values = values }
  @inline(__always) func integer(_ position: Int32) -> Int64 {
    sqlite3_value_int64(values[Int(position)])
  }
  @inline(__always) func double(_ position: Int32) -> Double {
    sqlite3_value_double(values[Int(position)])
  }
  @inline(__always) func value(_ position: Int32) -> OpaquePointer? { values[Int(position)] }
}
