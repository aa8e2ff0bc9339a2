// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQL
import _CoreDataStore

/// A copy of a store that is made as a whole beside the place it is meant for, and then takes that place
/// in one step: a link to a file that is complete, or one transaction.
///
/// Whoever makes one calls `discard()` in the end. A program that dies leaves the place as it was or has
/// the copy there; besides, a file named `.Shop.sqlite.copy-` and a UUID, which the first copy a day later
/// removes, and large values that no row names, may be left.
package final class StoreCopy {
  private let target: StoreFiles
  private let beside: StoreFiles
  /// Large values of the copied store; others in the folder go once the copy is in its place.
  private var values: Set<String> = []
  /// Those of them that came with this copy.
  private var broughtValues: Set<String> = []
  private var isInPlace = false
  /// Whether nothing was there before.
  private var isAlone = false

  init(for target: StoreFiles) {
    self.target = target
    beside = StoreFiles(path: target.unfinishedPath, timeout: 0)
  }

  /// Where the copy lies until it takes its place.
  package var path: String { beside.path }

  // MARK: Making

  /// Copies the database as it is at one moment, and the large values that it names.
  ///
  /// - Throws: `StoreError.invalidRequest` where both would share their large values, `.cannotRead` where
  ///   those cannot be listed, `.cannotWrite`.
  func fill(from source: Connection, valuesOf store: String) throws {
    target.removeAbandoned()
    let folder = ValueFolder(store: store)
    if try !folder.names().isEmpty, folder.isSame(as: target.values) {
      throw StoreError(
        .invalidRequest,
        "its files of large values would be those of \(store); choose a name that differs before the "
          + "extension",
        path: target.path
      )
    }
    // Others may save meanwhile. What they replace has been copied before, what they add is after.
    try takeValues(from: folder)
    let copy = try beside.connection()
    try copy.replaceAll(by: source)
    try takeValues(from: folder)
  }

  private func takeValues(from folder: ValueFolder) throws {
    let names = try folder.names()
    broughtValues.formUnion(try target.values.take(names.subtracting(values), from: folder))
    values.formUnion(names)
  }

  /// Gives the copy a UUID of its own, and takes its history away.
  func becomeNewStore() throws {
    let copy = try beside.connection()
    try copy.transaction {
      let table = MetadataTable(copy)
      try table.write(try table.read(path: path).metadata, identifier: UUID().uuidString)
      for name in [HistorySchema.changes, HistorySchema.transactions, HistorySchema.strings] {
        try copy.execute("DROP TABLE IF EXISTS \(name: name)")
      }
      try PrimaryKeyTable(copy).delete(from: HistorySchema.changeNumber)
    }
  }

  // MARK: Taking the place

  /// Puts the copy in its place, over what lies there.
  ///
  /// - Throws: `StoreError.busy` after the timeout, `.cannotWrite`; what is there is as it was then, but
  ///   for a damaged file, which may be empty.
  package func takePlace() throws {
    try settle()
    isAlone = try !target.exists && moveIn()
    if !isAlone { try overwrite() }
    isInPlace = true
    target.values.removeAll(except: values)
  }

  /// Leaves no place to the copy where it was the first there; otherwise it stays.
  package func takeBack() {
    guard isInPlace, isAlone else { return }
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(target.path + suffix) }
    isInPlace = false
  }

  /// Removes what is left beside the place; with a copy that is not in its place, its large values too.
  package func discard() {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    if !isInPlace { target.values.remove(broughtValues) }
  }

  /// Brings the log's content into the file, and the file to the disk.
  private func settle() throws {
    do {
      let copy = try beside.connection()
      try copy.set("wal_checkpoint(TRUNCATE)")
    }
    try sync(path)
  }

  /// Whether the copy is now the file there; false where another has come meanwhile.
  private func moveIn() throws -> Bool {
    // A log that outlived its database would be taken for the copy's.
    for suffix in ["-wal", "-shm", "-journal"] { unlink(target.path + suffix) }
    if link(path, target.path) == 0 {
      unlink(path)
    } else {
      if errno == EEXIST { return false }
      // Not every file system has links.
      guard rename(path, target.path) == 0 else {
        throw StoreError(.cannotWrite, "rename: \(POSIXError.latest)", path: target.path)
      }
    }
    do {
      try sync(URL(fileURLWithPath: target.path).deletingLastPathComponent().path)
    } catch {
      unlink(target.path)
      throw error
    }
    return true
  }

  /// Writes the copy over the database that is there, in one transaction under its locks.
  private func overwrite() throws {
    let to = try target.connection()
    let from = try beside.connection()
    do {
      try from.adoptPageSize(of: to)
      try to.replaceAll(by: from)
    } catch let error as StoreError where error.code == .corrupt {
      try to.reset()
      try to.replaceAll(by: from)
    }
  }

  private func sync(_ path: String) throws {
    if let error = POSIXError.syncing(path) {
      throw StoreError(.cannotWrite, "fsync: \(error)", path: path)
    }
  }
}

extension Connection {
  /// A database in write-ahead mode takes only pages of its own size.
  fileprivate func adoptPageSize(of other: Connection) throws {
    guard try other.texts("PRAGMA journal_mode") == ["wal"] else { return }
    let size = try other.texts("PRAGMA page_size")
    guard let wanted = size.first, try texts("PRAGMA page_size") != size else { return }
    try set("journal_mode = DELETE")
    try set("page_size = \(wanted)")
    try execute("VACUUM")
  }
}
