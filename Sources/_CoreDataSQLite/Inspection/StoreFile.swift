// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// A store's file below its model: bookkeeping and tables, by plain statements.
///
///     let file = try StoreFile(path: "Shop.sqlite", access: .untouched)
///     let names = try file.rows("SELECT Z_NAME FROM Z_PRIMARYKEY")
///
/// For one thread at a time. For tools that look at files whose model is not known, or damaged ones.
package final class StoreFile {
  package enum Access: Sendable {
    /// Nothing in the file changes and nothing appears beside it.
    case untouched
    case readWrite
  }

  package let path: String
  package let access: Access
  private let connection: Connection

  /// Opens a file that is there.
  ///
  /// - Throws: `StoreError.cannotOpen` for a missing or unreadable file, `.corrupt` where it is no
  ///   database or no Core Data store, `.busy` after five seconds.
  package init(path: String, access: Access) throws {
    self.path = path
    self.access = access
    guard FileManager.default.fileExists(atPath: path) else {
      throw StoreError(.cannotOpen, "the file does not exist", path: path)
    }
    var options = SQLiteStoreOptions(path: path)
    options.isReadOnly = access == .untouched
    options.leavesNoTrace = access == .untouched
    options.timeout = 5
    connection = try Connection(options, isReader: access == .untouched)
    try StoreCatalogue(connection).requireStore()
  }

  // MARK: Statements

  /// Calls `row` with the columns of each row.
  ///
  /// - Throws: `StoreError`; what `row` throws.
  package func forEach(
    _ text: String,
    _ bindings: [Binding] = [],
    row: ([Binding]) throws -> Void
  ) throws {
    let statement = try connection.cached(Statement(text: text, bindings: bindings))
    try statement.forEach { handle in
      try row((0..<sqlite3_column_count(handle)).map { Self.column(handle, $0) })
    }
  }

  /// All rows of a statement.
  package func rows(_ text: String, _ bindings: [Binding] = []) throws -> [[Binding]] {
    var rows: [[Binding]] = []
    try forEach(text, bindings) { rows.append($0) }
    return rows
  }

  /// The first column of the first row as a whole number; nil where there is none.
  package func integer(_ text: String, _ bindings: [Binding] = []) throws -> Int64? {
    if case .integer(let number)? = try rows(text, bindings).first?.first { return number }
    return nil
  }

  /// The first column of the first row as a whole number; nil where there is none.
  package func integer(_ statement: Statement) throws -> Int64? {
    try integer(statement.text, statement.bindings)
  }

  /// Runs a statement and gives the number of rows it changed.
  package func execute(_ text: String, _ bindings: [Binding] = []) throws -> Int {
    try connection.execute(Statement(text: text, bindings: bindings))
    return connection.changes
  }

  /// Runs `body` in one transaction: all of it lasts or nothing.
  package func transaction<T>(_ body: () throws -> T) throws -> T {
    try connection.transaction(body)
  }

  /// Writes a copy of the whole database, its log included, to a new file, and waits for the disk.
  ///
  /// - Throws: `StoreError` where there is a file already, or the copy does not reach the disk.
  package func copy(to path: String) throws {
    try connection.execute("VACUUM INTO \(bind: .text(path))")
    if let error = POSIXError.syncing(path) {
      throw StoreError(.cannotWrite, "fsync: \(error)", path: path)
    }
  }

  /// Hands over the writer of a new transaction of the history, and ends that.
  func withHistory(
    _ history: HistoryLayout,
    _ tables: Layout,
    _ author: HistoryAuthor,
    _ body: (inout HistoryWriter) throws -> Void
  ) throws {
    var writer = try HistoryWriter(history, tables, connection)
    try body(&writer)
    _ = try writer.finish(author)
  }

  private static func column(_ handle: OpaquePointer, _ index: Int32) -> Binding {
    switch sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER: .integer(sqlite3_column_int64(handle, index))
    case SQLITE_FLOAT: .double(sqlite3_column_double(handle, index))
    case SQLITE_TEXT: .text(textColumn(handle, index) ?? "")
    case SQLITE_BLOB: .blob(dataColumn(handle, index) ?? Data())
    default: .null
    }
  }

  // MARK: What stores say about themselves

  /// The store's UUID and its property list.
  ///
  /// - Throws: `StoreError.corrupt` where they are missing or broken.
  package func metadata() throws -> StoreMetadata {
    try MetadataTable(connection).read(path: path).metadata
  }

  /// Entity numbers, tables and columns.
  package func schema() throws -> StoredSchema { try StoreCatalogue(connection).schema() }

  /// The entities that the file names, the framework's own included, by number.
  package func entities() throws -> [PrimaryKeyTable.Entity] {
    try PrimaryKeyTable(connection).entities()
  }

  /// The table of the model that the writing framework keeps in the file; old stores have none.
  package static let modelCache = StoreCatalogue.modelCache
}
