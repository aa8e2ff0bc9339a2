// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

extension PreparedStatement {
  /// Runs the statement, which must select the columns of `source`, and appends its rows to `rows`.
  ///
  /// `expected` is the maximum number of rows, if it is known.
  /// - Throws: `StoreError.corrupt` for an invalid primary key or entity number; `.cannotRead` for a large
  ///   value whose file cannot be read; errors of the engine.
  func read(
    _ source: RowSource,
    with reader: RowReader,
    expected: Int = .max,
    control: FetchControl? = nil,
    into rows: inout FetchedRows
  ) throws {
    let appender = RowAppender(reader, source, rows, capacity: min(16, expected), control: control)
    // Leaves the appender with the only reference to the arrays, so that they grow in place.
    rows = FetchedRows()
    try run(into: appender)
    rows = appender.finish()
  }

  /// Returns the keys of the statement's rows in order; the statement must select the key columns of
  /// `source`.
  ///
  /// - Throws: as `read`.
  func keys(
    _ source: RowSource,
    with reader: RowReader,
    control: FetchControl?
  ) throws -> [ObjectKey] {
    let appender = RowAppender(reader, keysOf: source, control: control)
    try run(into: appender)
    return appender.finish().keys
  }

  /// Reads the single row of the statement; returns nil if there is no row.
  ///
  /// The row is added to `open` if it belongs to `entity` and `open` has space for it, otherwise to another
  /// chunk.
  /// - Throws: as `read`.
  func readOne(
    _ source: RowSource,
    with reader: RowReader,
    entity: Int,
    into open: RowChunk?
  ) throws -> LoadedRow? {
    defer { sqlite3_reset(handle) }
    guard try step() else { return nil }
    return try reader.row(at: handle, source, entity: entity, into: open)
  }

  private func run(into appender: RowAppender) throws {
    defer { sqlite3_reset(handle) }
    guard collectsRows else {
      while try step() { try appender.append(SteppedColumns(handle)) }
      return
    }
    let code = try connection.collector.step(handle, into: appender)
    if code != SQLITE_ROW, code != SQLITE_DONE { throw failure(code) }
  }
}
