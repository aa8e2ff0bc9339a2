// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// The files of a store: the database with its log, and the folder of large values.
///
/// The store may be open or not.
package struct StoreFiles {
  let path: String
  private let timeout: Double

  /// Creates a value for the files of the store at a path; the files need not exist.
  ///
  /// - Parameters:
  ///   - path: the path of the database.
  ///   - timeout: the seconds to wait for locks of other connections.
  package init(path: String, timeout: Double) {
    self.path = path
    self.timeout = timeout
  }

  var exists: Bool { FileManager.default.fileExists(atPath: path) }
  var values: ValueFolder { ValueFolder(store: path) }

  func connection(reads: Bool = false) throws -> Connection {
    var options = SQLiteStoreOptions(path: path)
    options.timeout = timeout
    options.isReadOnly = reads
    options.leavesNoTrace = reads
    return try Connection(options, isReader: reads)
  }

  /// Returns a connection that reads without changing the file or creating files beside it.
  ///
  /// A transaction that a killed writer left in a rollback journal makes the file unreadable. The transaction
  /// is rolled back first, as adding the store would do. Source: SQLite, “Atomic Commit In SQLite”.
  private func readingConnection() throws -> Connection {
    do {
      let connection = try connection(reads: true)
      // The engine reads the journal with its first statement.
      try connection.readSchema()
      return connection
    } catch let error as StoreError where error.engineCode == Self.needsRollback {
      try connection().readSchema()
      return try connection(reads: true)
    }
  }

  /// `SQLITE_READONLY_ROLLBACK`, whose definition is not imported.
  private static let needsRollback: Int32 = 776

  // MARK: Destroying

  /// Empties the store under its locks and removes its large values; the file remains, without tables.
  ///
  /// A file that is damaged or not a store is emptied too. Large values in a folder that another store may
  /// use are kept. Does nothing if the file does not exist.
  /// - Throws: `StoreError.busy` after the timeout; `.cannotOpen`; `.cannotWrite`. The store is then
  ///   unchanged.
  package func destroy() throws {
    guard exists else { return }
    let connection = try connection()
    // This has an effect only on a database without tables, and fails for a damaged database. Any other
    // failure is reported by the statements below.
    try? connection.configureNewFile()
    try connection.reset()
    // Connections that have the log open keep using it, and see an empty database. The next statement must
    // not wait for a reader that keeps using the log.
    try? connection.set("busy_timeout = 0")
    // The store is destroyed at this point, with or without a shorter log.
    try? connection.set("wal_checkpoint(TRUNCATE)")
    values.remove()
  }

  // MARK: Replacing

  /// Replaces this store by a copy of the store at `source`, including the content of that store's log and
  /// its large values.
  ///
  /// An existing file is overwritten under its locks, even if it is damaged. Does nothing if `source` is this
  /// store.
  /// - Throws: `StoreError.cannotOpen` if there is no file at `source`; `.corrupt` if that file is not a
  ///   store; `.invalidRequest` if both stores would share the folder of large values; `.cannotRead` if that
  ///   folder cannot be listed; `.busy` after the timeout; `.cannotWrite`. The existing store is then
  ///   unchanged, except that a damaged file may have been emptied.
  package func replace(by source: StoreFiles) throws {
    if isSame(as: source.path) { return }
    try DatabaseFile.requireExisting(source.path)
    let from = try source.readingConnection()
    _ = try MetadataTable(from).read(path: source.path)
    let copy = StoreCopy(for: self)
    defer { copy.discard() }
    try copy.fill(from: from, valuesOf: source.path)
    try copy.moveToDestination()
  }

  /// Makes a copy of an open store beside this location, with its own UUID and without history.
  ///
  /// The database at this location does not change before the copy is moved there. `connection` is a
  /// connection of the open store.
  /// - Throws: `StoreError.invalidRequest` if this is the open store's own file, or if both stores would
  ///   share the folder of large values; `.cannotRead` if that folder cannot be listed; `.cannotWrite`.
  func copy(of store: SQLiteStore, through connection: Connection) throws -> StoreCopy {
    if isSame(as: store.options.path) {
      throw StoreError(
        .invalidRequest,
        "a store cannot be copied to its own file; choose another path",
        path: path
      )
    }
    let copy = StoreCopy(for: self)
    do {
      try copy.fill(from: connection, valuesOf: store.options.path)
      try copy.becomeNewStore()
      return copy
    } catch {
      copy.discard()
      throw error
    }
  }

  /// Whether both paths lead to one file.
  package func isSame(as other: String) -> Bool {
    let paths = [path, other].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
    if paths[0] == paths[1] { return true }
    var (mine, others) = (stat(), stat())
    return stat(path, &mine) == 0 && stat(other, &others) == 0
      && mine.st_dev == others.st_dev && mine.st_ino == others.st_ino
  }

  // MARK: Metadata

  /// Returns the store's metadata, with its UUID and type.
  ///
  /// The file does not change, except that a transaction that a killed writer left unfinished is rolled back.
  /// - Throws: `StoreError.cannotOpen` for a missing file; `.corrupt` if the file is not a store.
  package func metadata() throws -> StoreMetadata {
    do {
      return try StoreFile(path: path, access: .untouched).metadata()
    } catch let error as StoreError where error.engineCode == Self.needsRollback {
      _ = try readingConnection()
      return try StoreFile(path: path, access: .untouched).metadata()
    }
  }

  /// Replaces the application's keys of the metadata; the framework's keys do not change.
  ///
  /// - Throws: as `metadata()`; `.busy` after the timeout; other errors of the engine.
  package func setMetadata(_ metadata: StoreMetadata) throws {
    _ = try self.metadata()
    let connection = try connection()
    try connection.transaction {
      try MetadataTable(connection).replaceOwn(by: metadata, path: path)
    }
  }
}
