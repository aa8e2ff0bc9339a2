// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQL
import _CoreDataStore

/// A copy of a store that is completed beside its destination and then replaces the destination in one step.
///
/// If no file exists at the destination, the step links or renames the copy; otherwise it overwrites the
/// database at the destination in one transaction. The creator of a copy must call `discard()` at the end. If
/// the program dies, the destination is either unchanged or contains the copy. The program may leave behind a
/// file named `.Shop.sqlite.copy-` followed by a UUID; a copy to the same destination at least a day later
/// removes this file. Large values that no row refers to may also be left behind.
package final class StoreCopy {
  private let target: StoreFiles
  private let unfinished: StoreFiles
  /// The names of the large values that must stay in the destination's folder; the move removes all others.
  private var values: Set<String> = []
  /// The names of the large values that were copied to the destination's folder.
  private var copiedValues: Set<String> = []
  private var isMoved = false
  /// Whether the copy was moved to a destination where no file existed.
  private var isAlone = false

  init(for target: StoreFiles) {
    self.target = target
    unfinished = StoreFiles(path: target.unfinishedPath, timeout: 0)
  }

  /// Creates a copy whose file is already complete; the file must be in the folder of `target`.
  init(for target: StoreFiles, finished: StoreFiles) {
    self.target = target
    unfinished = finished
  }

  /// The path of the copy before it is moved to its destination.
  package var path: String { unfinished.path }

  // MARK: Creating

  /// Copies one consistent state of the database `source`, and the large values of the store at the path
  /// `store`.
  ///
  /// - Throws: `StoreError.invalidRequest` if both stores would share the folder of large values;
  ///   `.cannotRead` if that folder cannot be listed; `.cannotWrite`.
  func fill(from source: Connection, valuesOf store: String) throws {
    target.removeAbandoned()
    let folder = ValueFolder(store: store)
    if try !folder.names().isEmpty, folder.isSame(as: target.values) {
      throw StoreError(
        .invalidRequest,
        "the copy would share the folder of large values with \(store); choose a file name that differs "
          + "before the extension",
        path: target.path
      )
    }
    // Other connections may save during the copy. The first pass copies values that such a save removes, and
    // the second pass copies values that it adds. A file that was still being written in the first pass has
    // another size in the second pass, and is copied again.
    try copyValues(from: folder)
    let copy = try unfinished.connection()
    try copy.replaceAll(by: source)
    try copyValues(from: folder)
  }

  private func copyValues(from folder: ValueFolder) throws {
    let names = try folder.names()
    copiedValues.formUnion(try target.values.copyFiles(names, from: folder))
    values.formUnion(names)
  }

  /// Gives the copy a new UUID and removes its history.
  func becomeNewStore() throws {
    let copy = try unfinished.connection()
    try copy.transaction {
      let table = MetadataTable(copy)
      try table.write(try table.read(path: path).metadata, identifier: UUID().uuidString)
      for name in [HistorySchema.changes, HistorySchema.transactions, HistorySchema.strings] {
        try copy.execute("DROP TABLE IF EXISTS \(name: name)")
      }
      try PrimaryKeyTable(copy).delete(from: HistorySchema.changeNumber)
    }
  }

  // MARK: Moving to the destination

  /// Moves the copy to its destination and replaces the store there, if any.
  ///
  /// - Throws: `StoreError.busy` after the timeout; `.cannotWrite`. If an error is thrown, the destination is
  ///   unchanged, except that a damaged file may have been emptied.
  package func moveToDestination() throws {
    try flushToDisk()
    isAlone = try !target.exists && renameToDestination()
    if !isAlone { try overwrite() }
    isMoved = true
    target.values.removeAll(except: values)
  }

  /// Moves the copy and its large values to a destination where no file exists.
  ///
  /// - Throws: `StoreError.cannotWrite`, for example if a file exists at the destination. If an error is
  ///   thrown, the destination is unchanged.
  func moveToNewDestination() throws {
    try flushToDisk()
    values = try unfinished.values.names()
    let added = values.subtracting(try target.values.names())
    do {
      try target.values.addFiles(of: unfinished.values)
      try target.values.synchronize()
      guard try !target.exists && renameToDestination() else {
        throw StoreError(
          .cannotWrite,
          "another program created a file at this path during the migration. Migrate to another path, or "
            + "migrate to this path again to add the objects to that store",
          path: target.path
        )
      }
    } catch {
      target.values.remove(added)
      throw error
    }
    target.values.removeAll(except: values)
  }

  /// Removes the copy from its destination if no file existed there before the move; otherwise does nothing.
  package func undoMove() {
    guard isMoved, isAlone else { return }
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(target.path + suffix) }
    isMoved = false
  }

  /// Removes the unfinished file and, unless the copy was moved to its destination, the copied large values.
  package func discard() {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    if !isMoved { target.values.remove(copiedValues) }
  }

  private func flushToDisk() throws {
    do {
      let copy = try unfinished.connection()
      try copy.set("wal_checkpoint(TRUNCATE)")
    }
    try sync(path, "the copy")
  }

  /// Moves the copy to its destination; returns false if another program has created a file there.
  private func renameToDestination() throws -> Bool {
    // A former database may have left a log behind, which the engine would apply to the copy.
    try target.removeSideFiles()
    if link(path, target.path) == 0 {
      unlink(path)
    } else {
      if errno == EEXIST { return false }
      // Some file systems do not support hard links.
      guard rename(path, target.path) == 0 else {
        throw StoreError(
          .cannotWrite,
          "the finished copy cannot be renamed to this path: "
            + POSIXError.latest.localizedDescription,
          path: target.path
        )
      }
    }
    do {
      try sync(URL(fileURLWithPath: target.path).deletingLastPathComponent().path, "its folder")
    } catch {
      if unlink(target.path) == 0 { throw error }
      throw StoreError(
        .cannotWrite,
        "the copy has its final name, but a power failure may undo the renaming, because the folder cannot "
          + "be synchronized to disk; nor can the copy be removed: \(POSIXError.latest.localizedDescription)",
        path: target.path
      )
    }
    return true
  }

  /// Overwrites the database at the destination in one transaction, which locks that database.
  ///
  /// A damaged database is emptied first.
  private func overwrite() throws {
    let to = try target.connection()
    // The error is ignored: a damaged database does not accept the setting, and the statements below report
    // any other failure.
    try? to.waitForDisk()
    let from = try unfinished.connection()
    do {
      try from.adoptPageSize(of: to)
      try to.replaceAll(by: from)
    } catch let error as StoreError where error.code == .corrupt {
      try to.reset()
      try to.replaceAll(by: from)
    }
  }

  /// Synchronizes a file or folder to disk; `name` describes it in the message of an error.
  private func sync(_ path: String, _ name: String) throws {
    if let error = POSIXError.syncing(path) {
      throw StoreError(
        .cannotWrite,
        "the store is not copied, because \(name) cannot be synchronized to disk: "
          + error.localizedDescription,
        path: path
      )
    }
  }
}

extension Connection {
  /// Sets the page size to that of `other` if `other` is in write-ahead mode.
  ///
  /// The page size of a database in write-ahead mode cannot change, so a copy to it must have the same page
  /// size.
  fileprivate func adoptPageSize(of other: Connection) throws {
    guard try other.texts("PRAGMA journal_mode") == ["wal"] else { return }
    let size = try other.texts("PRAGMA page_size")
    guard let wanted = size.first, try texts("PRAGMA page_size") != size else { return }
    try set("journal_mode = DELETE")
    try set("page_size = \(wanted)")
    try execute("VACUUM")
  }
}
