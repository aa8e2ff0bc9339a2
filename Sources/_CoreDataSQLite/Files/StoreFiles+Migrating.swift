// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// The working files of migrations with a mapping model.
///
/// Their names are fixed, so that the files of a process that was killed are found. The write lock of the store
/// belongs to the process whose working file replaces the store's content.
extension StoreFiles {
  /// The path of the working file whose content replaces that of this store.
  package var workingPath: String { hiddenPath("migration") }
  /// The path of the working file that becomes this store, where no file is.
  package var newWorkingPath: String { hiddenPath("migration-new") }

  private func hiddenPath(_ suffix: String) -> String {
    let place = URL(fileURLWithPath: path)
    return place.deletingLastPathComponent()
      .appendingPathComponent(".\(place.lastPathComponent).\(suffix).sqlite").path
  }

  /// Removes the files of a store that no connection has open: the database, its side files and its large
  /// values; files that do not exist or cannot be removed are skipped.
  ///
  /// The database is removed last, so that the files of a removal that did not complete are found.
  package func remove() {
    for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
    values.remove()
    unlink(path)
  }

  /// Removes the working files that a killed process left beside this store.
  ///
  /// Does nothing while another connection has the write lock, because it may be migrating. Errors are ignored:
  /// the files are removed when the store is added next.
  /// - Complexity: two calls of the system if there are no such files.
  package func removeAbandonedWork() {
    let left: [String] = [workingPath, newWorkingPath].filter { access($0, F_OK) == 0 }
    if left.isEmpty { return }
    let files = StoreFiles(path: path, timeout: 0)
    // The files are left for the next time.
    try? files.connection().transaction {
      for path in left { StoreFiles(path: path, timeout: 0).remove() }
    }
  }

  /// Runs `body` while this connection holds the write lock, so that no other connection writes to the store.
  ///
  /// - Throws: `StoreError.busy` if another connection holds the lock until the timeout; the errors of `body`.
  package func blockingWrites<T>(_ body: () throws -> T) throws -> T {
    try connection().transaction(body)
  }

  /// Fills this working file with the content of a store that no other connection writes to.
  ///
  /// The large values are linked, so both stores share their files.
  /// - Throws: `StoreError.corrupt` if `store` is not a store; `.cannotRead`, `.cannotWrite`.
  package func fill(from store: StoreFiles) throws {
    let source = try store.connection(reads: true)
    _ = try MetadataTable(source).read(path: store.path)
    try connection().replaceAll(by: source)
    try values.addFiles(of: store.values)
  }

  /// Gives a finished working file the name of this store, together with its large values, in one step.
  ///
  /// - Throws: `StoreError.cannotWrite`, also if a file has appeared at this path. There is no store at this path
  ///   then, or the one of the other process.
  package func create(from work: StoreFiles) throws {
    try StoreCopy(for: self, finished: work).moveToNewDestination()
  }
}
