// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// The files of a store: the database with its log, and the folder of large values.
///
/// The store may be open.
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
  /// If a killed writer left a transaction in the rollback journal, the file can be read only after the
  /// transaction is rolled back. In that case the method rolls the transaction back, as adding the store
  /// does. Source: SQLite, “Atomic Commit In SQLite”.
  private func readingConnection() throws -> Connection {
    do {
      let connection = try connection(reads: true)
      // The engine reads the journal with its first statement.
      try connection.readSchema()
      return connection
    } catch let error as StoreError where error.engineCode == StoreError.needsRollback {
      try connection().readSchema()
      return try connection(reads: true)
    }
  }

  /// Rolls back the transaction that a killed process left in the rollback journal; does nothing without such
  /// a transaction.
  ///
  /// - Returns: whether a transaction was rolled back.
  /// - Throws: `StoreError`, for example if the file is not a store, or if the process may not write to the file
  ///   or its folder.
  package func rollBackUnfinishedTransaction() throws -> Bool {
    do {
      _ = try StoreFile(path: path, access: .untouched)
      return false
    } catch let error as StoreError where error.engineCode == StoreError.needsRollback {
      try connection().readSchema()
      return true
    }
  }

  /// Removes the log, the index and the journal that a former database left at this path.
  ///
  /// The removal is synchronized to disk, so that SQLite does not apply these files to a new database after a
  /// power failure.
  ///
  /// - Throws: `StoreError.cannotWrite` if a file cannot be removed, or if files were removed and the folder
  ///   cannot be synchronized to disk.
  func removeSideFiles() throws {
    // SQLite names these files after the file that a symbolic link leads to.
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let removed = try ["-wal", "-shm", "-journal"].filter { suffix in
      if unlink(place + suffix) == 0 { return true }
      if errno == ENOENT { return false }
      throw StoreError(
        .cannotWrite,
        "the file \(place + suffix) of a former database cannot be removed: "
          + POSIXError.latest.localizedDescription,
        path: path
      )
    }
    if removed.isEmpty { return }
    try synchronizeFolder {
      "the removal of a former database's side files cannot be synchronized to disk: \($0)"
    }
  }

  /// Synchronizes the file's folder to disk, so that a power failure does not undo the creation, renaming or
  /// removal of files.
  ///
  /// - Parameter text: creates the error's message from the system's description of the failure.
  /// - Throws: `StoreError.cannotWrite`.
  func synchronizeFolder(_ text: (String) -> String) throws {
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    guard let error = POSIXError.syncing(place.deletingLastPathComponent().path) else { return }
    throw StoreError(.cannotWrite, text(error.localizedDescription), path: path)
  }

  // MARK: Destroying

  /// Locks and empties the store, and removes its large values; the file remains, without tables.
  ///
  /// A file that is damaged or not a store is emptied too. Large values in a folder that another store may
  /// use are kept. Does nothing if the file does not exist.
  /// - Throws: `StoreError.busy` after the timeout; `.cannotOpen`; `.cannotWrite`. If an error is thrown, the
  ///   store is unchanged.
  package func destroy() throws {
    guard exists else { return }
    let connection = try connection()
    // The error is ignored: these settings cannot be applied to a damaged database, and the statements below
    // report any other failure.
    try? connection.configureNewFile()
    // The error is ignored, because a damaged database does not accept this setting either.
    try? connection.waitForDisk()
    try connection.reset()
    // Other connections that have the log open keep using the log, and see an empty database. Truncating the
    // log must not wait for such a reader.
    try? connection.set("busy_timeout = 0")
    // The store is already destroyed, so a log that cannot be truncated does no harm.
    try? connection.set("wal_checkpoint(TRUNCATE)")
    values.remove()
  }

  // MARK: Replacing

  /// Replaces this store with a copy of `source`, including the log's content and the large values.
  ///
  /// The existing file may be damaged; it is locked while it is overwritten. Does nothing if `source` is this
  /// store.
  /// - Throws: `StoreError.cannotOpen` if the file of `source` does not exist; `.corrupt` if that file is not
  ///   a store; `.invalidRequest` if both stores would share the folder of large values; `.cannotRead` if
  ///   that folder cannot be listed; `.busy` after the timeout; `.cannotWrite`. If an error is thrown, the
  ///   existing store is unchanged, except that a damaged file may have been emptied.
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

  /// Makes a copy of an open store beside this location; the copy has its own UUID and no history.
  ///
  /// The database at this location does not change until the copy is moved there. `connection` is a
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

  /// Whether both paths lead to the same file, for example through a symbolic or hard link.
  package func isSame(as other: String) -> Bool {
    let paths = [path, other].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
    if paths[0] == paths[1] { return true }
    var (mine, others) = (stat(), stat())
    return stat(path, &mine) == 0 && stat(other, &others) == 0
      && mine.st_dev == others.st_dev && mine.st_ino == others.st_ino
  }

  // MARK: Metadata

  /// Returns the store's metadata, including the UUID and the type of the store.
  ///
  /// The file does not change, except that a transaction that a killed writer left unfinished is rolled back.
  /// - Throws: `StoreError.cannotOpen` for a missing file; `.corrupt` if the file is not a store.
  package func metadata() throws -> StoreMetadata {
    do {
      return try StoreFile(path: path, access: .untouched).metadata()
    } catch let error as StoreError where error.engineCode == StoreError.needsRollback {
      _ = try readingConnection()
      return try StoreFile(path: path, access: .untouched).metadata()
    }
  }

  /// Replaces the application's entries in the metadata; the framework's entries do not change.
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
