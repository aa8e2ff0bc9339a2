// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// The file of a store, read and written with plain SQL statements and without a model.
///
///     let file = try StoreFile(path: "Shop.sqlite", access: .untouched)
///     let names = try file.rows("SELECT Z_NAME FROM Z_PRIMARYKEY")
///
/// Tools use this class to inspect damaged files, or files whose model is unknown. Only one thread at a time
/// may use an instance.
package final class StoreFile {
  package enum Access: Sendable {
    /// The file is not changed, and no file is created beside it.
    case untouched
    case readWrite
  }

  package let path: String
  package let access: Access
  private let connection: Connection

  /// Opens an existing file.
  ///
  /// - Throws: `StoreError.cannotOpen` for a missing or unreadable file; `.corrupt` for a file that is not a
  ///   database or not a Core Data store; `.busy` after five seconds.
  package init(path: String, access: Access) throws {
    self.path = path
    self.access = access
    try DatabaseFile.requireExisting(path)
    var options = SQLiteStoreOptions(path: path)
    options.isReadOnly = access == .untouched
    options.leavesNoTrace = access == .untouched
    options.timeout = 5
    connection = try Connection(options, isReader: access == .untouched)
    try StoreCatalogue(connection).requireStore()
  }

  /// Returns whether a file is a database without tables, such as a destroyed store or one whose creation failed.
  ///
  /// - Throws: `StoreError.cannotOpen` for a missing or unreadable file; `.corrupt` for a file that is not a database.
  package static func hasNoTables(_ path: String) throws -> Bool {
    try DatabaseFile.requireExisting(path)
    var options = SQLiteStoreOptions(path: path)
    options.isReadOnly = true
    options.leavesNoTrace = true
    options.timeout = 5
    return try StoreCatalogue(Connection(options, isReader: true)).isEmpty()
  }

  // MARK: Statements

  /// Runs a statement and calls `row` with the columns of each row.
  ///
  /// - Throws: `StoreError`; errors of `row`.
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

  /// Runs a statement and returns all of its rows.
  package func rows(_ text: String, _ bindings: [Binding] = []) throws -> [[Binding]] {
    var rows: [[Binding]] = []
    try forEach(text, bindings) { rows.append($0) }
    return rows
  }

  /// Returns the integer in the first column of the first row; nil if there is no row, or if the value is not
  /// an integer.
  package func integer(_ text: String, _ bindings: [Binding] = []) throws -> Int64? {
    if case .integer(let number)? = try rows(text, bindings).first?.first { return number }
    return nil
  }

  /// Returns the integer in the first column of the first row; nil if there is no row, or if the value is not
  /// an integer.
  package func integer(_ statement: Statement) throws -> Int64? {
    try integer(statement.text, statement.bindings)
  }

  /// Executes a statement and returns the number of rows that the last INSERT, UPDATE or DELETE changed.
  package func execute(_ text: String, _ bindings: [Binding] = []) throws -> Int {
    try connection.execute(Statement(text: text, bindings: bindings))
    return connection.changes
  }

  /// Runs `body` in one transaction; if `body` throws an error, the transaction is rolled back.
  package func transaction<T>(_ body: () throws -> T) throws -> T {
    try connection.transaction(body)
  }

  /// Writes a copy of the whole database, including the content of its log, to a new file.
  ///
  /// The file appears at `path` in one step, when the copy is complete and written to disk.
  /// - Throws: `StoreError` if a file exists at `path`, or if the copy cannot be written to the disk.
  package func copy(to path: String) throws {
    let place = URL(fileURLWithPath: path)
    let folder = try TemporaryFolder(
      ".\(place.lastPathComponent).unfinished",
      for: "the unfinished copy \(path)",
      in: place.deletingLastPathComponent()
    )
    defer { folder.remove() }
    try copy(into: folder, as: place.lastPathComponent)
    if try folder.move(place.lastPathComponent, to: path) { return }
    throw StoreError(
      .cannotWrite,
      "a file exists at this path, so the copy cannot be written; remove the file or choose another path",
      path: path
    )
  }

  /// Writes a copy of the whole database, including the content of its log, to a file in `folder`, and
  /// synchronizes the file to disk.
  package func copy(into folder: TemporaryFolder, as name: String) throws {
    let path = folder.url.appendingPathComponent(name).path
    try connection.execute("VACUUM INTO \(bind: .text(path))")
    if let error = POSIXError.syncing(path) {
      throw StoreError(
        .cannotWrite,
        "the copy cannot be synchronized to disk: \(error.localizedDescription)",
        path: path
      )
    }
  }

  func withHistory(
    _ history: HistoryLayout,
    _ tables: Layout,
    by author: HistoryAuthor,
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

  // MARK: Contents of a store

  /// Returns the store's property list, including the UUID and the type of the store.
  ///
  /// - Throws: `StoreError.corrupt` if the row with the property list is missing or has no UUID, or if the
  ///   property list is damaged.
  package func metadata() throws -> StoreMetadata {
    try MetadataTable(connection).read(path: path).metadata
  }

  /// Returns the entity numbers, tables and columns of the file.
  package func schema() throws -> StoredSchema { try StoreCatalogue(connection).schema() }

  /// Returns the names of all indexes of the file.
  func indexNames() throws -> Set<String> {
    Set(try StoreCatalogue(connection).indexes().map(\.name))
  }

  /// Returns the entities in the file in the order of their entity numbers, including the framework's
  /// entities.
  package func entities() throws -> [PrimaryKeyTable.Entity] {
    try PrimaryKeyTable(connection).entities()
  }

  /// The name of the table with the copy of the model; old stores do not have this table.
  package static let modelCache = StoreCatalogue.modelCache
}
