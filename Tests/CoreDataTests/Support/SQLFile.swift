// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation

/// Runs SQL on a store's file beside the store, to make its next writes fail.
struct SQLFile {
  let url: URL

  struct Failure: Error { let message: String }

  /// Leaves the log that a change of the file would have, at `log` and without the change.
  static func leaveLog(_ url: URL, _ sql: String, at log: URL) throws {
    let copy = url.deletingLastPathComponent().appendingPathComponent("\(UUID().uuidString).sqlite")
    try FileManager.default.copyItem(at: url, to: copy)
    var handle: OpaquePointer?
    defer {
      sqlite3_close_v2(handle)
      try? FileManager.default.removeItem(at: copy)
    }
    guard sqlite3_open(copy.path, &handle) == SQLITE_OK,
      sqlite3_exec(handle, "PRAGMA journal_mode = WAL; \(sql)", nil, nil, nil) == SQLITE_OK
    else { throw Failure(message: sqlite3_errmsg(handle).map { String(cString: $0) } ?? sql) }
    try FileManager.default.copyItem(at: URL(fileURLWithPath: copy.path + "-wal"), to: log)
  }

  func run(_ sql: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open(url.path, &handle) == SQLITE_OK else { throw Failure(message: "open") }
    sqlite3_busy_timeout(handle, 5000)
    if sqlite3_exec(handle, sql, nil, nil, nil) != SQLITE_OK {
      throw Failure(message: sqlite3_errmsg(handle).map { String(cString: $0) } ?? sql)
    }
  }
}

extension SQLFile {
  /// The number that a statement gives.
  func count(_ sql: String) throws -> Int {
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close_v2(handle)
    }
    guard sqlite3_open(url.path, &handle) == SQLITE_OK,
      sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { throw Failure(message: sqlite3_errmsg(handle).map { String(cString: $0) } ?? sql) }
    return Int(sqlite3_column_int64(statement, 0))
  }

  /// Every row of every table, its values as SQL literals, tables by name and rows by their IDs.
  ///
  /// - Parameter ignored: tables to leave out.
  /// - Returns: a line for each row.
  /// - Throws: `Failure` where the file cannot be read.
  func content(without ignored: Set<String> = []) throws -> [String] {
    let tables = try texts("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return try tables.filter { !ignored.contains($0) }.flatMap { table in
      let columns = try texts("SELECT name FROM pragma_table_info('\(table)') ORDER BY cid")
      let values = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ', ' || ")
      return try texts("SELECT \(values) FROM \"\(table)\" ORDER BY rowid").map {
        "\(table): \($0)"
      }
    }
  }

  /// The first column of a statement's rows as texts.
  func texts(_ sql: String) throws -> [String] {
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close_v2(handle)
    }
    guard sqlite3_open(url.path, &handle) == SQLITE_OK,
      sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK
    else { throw Failure(message: sqlite3_errmsg(handle).map { String(cString: $0) } ?? sql) }
    var found: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      found.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
    }
    return found
  }
}
