// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// The files of a store as a whole, whether it is open or not: the database with its log, and the folder
/// of large values.
package struct StoreFiles {
  let path: String
  private let timeout: Double

  /// - Parameters:
  ///   - path: of the database.
  ///   - timeout: seconds to wait for the locks of others.
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

  /// A connection that reads and leaves no trace.
  ///
  /// A transaction that a killed writer left half-done in a rollback journal cannot be read past: it is
  /// rolled back first, as adding the store would do. Source: SQLite, “Atomic Commit In SQLite”.
  private func readingConnection() throws -> Connection {
    do {
      let connection = try connection(reads: true)
      // The engine looks at the journal with the first statement.
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

  /// Empties the store under its locks; the file stays, without a table.
  ///
  /// A file that is no store or is damaged is emptied too; where there is none nothing happens.
  /// - Throws: `StoreError.busy` after the timeout; the store is as it was then.
  package func destroy() throws {
    guard exists else { return }
    let connection = try connection()
    // Has an effect where the file is a database of no table; a damaged one refuses it. What else fails
    // here fails again below.
    try? connection.configureNewFile()
    try connection.reset()
    // Others who hold the log open keep it; it has nothing but the empty database. A reader who stays
    // in it is not waited for.
    try? connection.set("busy_timeout = 0")
    // The store is destroyed by now, whether its log is short or long.
    try? connection.set("wal_checkpoint(TRUNCATE)")
    values.remove()
  }

  // MARK: Replacing

  /// Puts a copy of the store at `source` in this one's place, its log and large values included.
  ///
  /// What is here is overwritten under its locks, whether it is a store, damaged, or missing.
  /// - Throws: `StoreError.cannotOpen` where there is no file at `source`, `.corrupt` where it is no
  ///   store, `.busy` after the timeout, `.cannotWrite`; what is here is as it was then, but for a
  ///   damaged file, which may be empty.
  package func replace(by source: StoreFiles) throws {
    if isSame(as: source.path) { return }
    guard source.exists else {
      throw StoreError(.cannotOpen, "the file does not exist", path: source.path)
    }
    let from = try source.readingConnection()
    _ = try MetadataTable(from).read(path: source.path)
    let copy = StoreCopy(for: self)
    defer { copy.discard() }
    try copy.fill(from: from, valuesOf: source.path)
    try copy.takePlace()
  }

  /// A copy of an open store beside this one's place, with a UUID of its own and without its history.
  ///
  /// Nothing in this place changes before the copy takes it. `connection` is one of the store's.
  /// - Throws: `StoreError.invalidRequest` where this is the store's own file, `.cannotWrite`.
  func copy(of store: SQLiteStore, through connection: Connection) throws -> StoreCopy {
    if isSame(as: store.options.path) {
      throw StoreError(.invalidRequest, "a store cannot be saved as itself", path: path)
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
  private func isSame(as other: String) -> Bool {
    let paths = [path, other].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
    if paths[0] == paths[1] { return true }
    var (mine, others) = (stat(), stat())
    return stat(path, &mine) == 0 && stat(other, &others) == 0
      && mine.st_dev == others.st_dev && mine.st_ino == others.st_ino
  }

  // MARK: Metadata

  /// The store's metadata, with its UUID and type.
  ///
  /// Nothing in the file changes, but that what a killed writer left half-done is rolled back.
  /// - Throws: `StoreError.cannotOpen` for a missing file, `.corrupt` where it is no store.
  package func metadata() throws -> StoreMetadata {
    do {
      return try StoreFile(path: path, access: .untouched).metadata()
    } catch let error as StoreError where error.engineCode == Self.needsRollback {
      _ = try readingConnection()
      return try StoreFile(path: path, access: .untouched).metadata()
    }
  }

  /// Replaces the metadata that belong to the application.
  ///
  /// - Throws: as `metadata()`; `.busy` after the timeout.
  package func setMetadata(_ metadata: StoreMetadata) throws {
    _ = try self.metadata()
    let connection = try connection()
    try connection.transaction {
      try MetadataTable(connection).replaceOwn(by: metadata, path: path)
    }
  }
}
