// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// The working files of migrations with a mapping model.
///
/// The names of the files are fixed, so that another process can find and remove the files of a process that
/// was killed. A process holds the store's write lock while its working file replaces the content of the
/// store.
extension StoreFiles {
  /// The path of a working file whose content replaces the content of this store.
  package var workingPath: String { hiddenPath("migration") }
  /// The path of a working file that becomes this store if no file exists at the store's path.
  package var newWorkingPath: String { hiddenPath("migration-new") }

  private func hiddenPath(_ suffix: String) -> String {
    let place = URL(fileURLWithPath: path)
    return place.deletingLastPathComponent()
      .appendingPathComponent(".\(place.lastPathComponent).\(suffix).sqlite").path
  }

  /// Removes the database, its side files and its large values; no connection may have the store open.
  ///
  /// Files that do not exist or cannot be removed are skipped. The database is removed last, so that an
  /// incomplete removal can be detected and repeated.
  package func remove() {
    for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
    values.remove()
    unlink(path)
  }

  /// Removes the working files that a killed process left beside this store.
  ///
  /// Does nothing while another connection has the write lock, because that connection may be migrating the
  /// store. Errors are ignored: the files are removed when the store is next added.
  /// - Complexity: two system calls if there are no such files.
  package func removeAbandonedWork() {
    let left: [String] = [workingPath, newWorkingPath].filter { access($0, F_OK) == 0 }
    if left.isEmpty { return }
    let files = StoreFiles(path: path, timeout: 0)
    // If an error is thrown, the files are removed when the store is next added.
    try? files.connection().transaction {
      for path in left { StoreFiles(path: path, timeout: 0).remove() }
    }
  }

  /// Runs `body` while a new connection holds the write lock, so that no other connection writes to the
  /// store.
  ///
  /// - Throws: `StoreError.busy` if another connection holds the lock until the timeout; errors of `body`.
  package func blockingWrites<T>(_ body: () throws -> T) throws -> T {
    try connection().transaction(body)
  }

  /// Copies the content of a store to this working file; no other connection may write to the store
  /// meanwhile.
  ///
  /// The files of large values are added as hard links, or as copies if the file system does not support
  /// links.
  /// - Throws: `StoreError.corrupt` if `store` is not a store; `.cannotRead`, `.cannotWrite`.
  package func fill(from store: StoreFiles) throws {
    let source = try store.connection(reads: true)
    _ = try MetadataTable(source).read(path: store.path)
    try connection().replaceAll(by: source)
    try values.addFiles(of: store.values)
  }

  /// Gives the store at this path a new UUID, and removes its history; no other connection may have the store
  /// open.
  ///
  /// - Throws: `StoreError`.
  package func becomeNewStore() throws {
    try StoreCopy(for: self, finished: self).becomeNewStore()
  }

  /// Moves a finished working file and its large values to this store's path, where no file exists.
  ///
  /// The complete database appears at the path in one step.
  /// - Throws: `StoreError.cannotWrite`, for example if another process has created a file at the path. That
  ///   file is then unchanged.
  package func create(from work: StoreFiles) throws {
    try StoreCopy(for: self, finished: work).moveToNewDestination()
  }
}
