// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite

/// The backup of a store: a copy of its database, including the write-ahead log, and of its external storage.
///
/// The backup is itself a store. All backups of a store share one folder of external storage, because the
/// folder's name does not contain the path extension. This is safe, because file names in the folder are
/// unique.
package struct StoreBackup {
  private let store: String
  /// The path of the copy of the database.
  package let path: String
  /// Whether the folder for the copies of external files existed before this backup.
  ///
  /// Earlier backups may need its files, so `remove()` keeps such a folder.
  private let sharesFolder: Bool

  /// Chooses the first unused path among `Shop.sqlite.backup`, `Shop.sqlite.backup-2` and so on.
  package init(of store: String) {
    self.store = store
    var candidate = store + ".backup"
    var number = 2
    while FileManager.default.fileExists(atPath: candidate) {
      candidate = "\(store).backup-\(number)"
      number += 1
    }
    path = candidate
    sharesFolder = FileManager.default.fileExists(atPath: ExternalFolder(store: path).url.path)
  }

  package var exists: Bool { FileManager.default.fileExists(atPath: path) }

  /// Removes the backup, and the folder with the copies of external files unless the folder existed before.
  ///
  /// Call this only if the store is known to be unchanged. Files that cannot be removed remain. Returns true
  /// if there was a backup and its database has been removed.
  @discardableResult
  package func remove() -> Bool {
    let existed = exists
    for suffix in ["", "-wal", "-shm", "-journal"] {
      // The error is dropped: most of these files do not exist, and a backup that remains does no harm.
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
    let folder = ExternalFolder(store: path).url
    let isOwn = folder.standardizedFileURL != ExternalFolder(store: store).url.standardizedFileURL
    if isOwn, !sharesFolder {
      // The error is dropped: a folder that remains does no harm.
      try? FileManager.default.removeItem(at: folder.deletingLastPathComponent())
    }
    return existed && !exists
  }

  /// Writes the backup; returns after its database has been written to disk.
  ///
  /// - Throws: `ToolError` if the backup cannot be written.
  package func write() throws {
    do {
      // Another program may save during the copy. The first pass copies files that such a save may remove;
      // the second pass copies files that it may have added.
      try copyFiles()
      try StoreFile(path: store, access: .readWrite).copy(to: path)
      try copyFiles()
    } catch {
      let cause = ToolError(error)
      throw ToolError(
        "\(path): the backup cannot be written, so nothing was migrated: \(cause.message)",
        hint: cause.hint
          ?? "Check that the folder is writable and has enough space for a copy of the store."
      )
    }
  }

  private func copyFiles() throws {
    let source = ExternalFolder(store: store)
    let target = ExternalFolder(store: path)
    if source.url.standardizedFileURL == target.url.standardizedFileURL { return }
    let files = try source.files()
    if files.isEmpty { return }
    let manager = FileManager.default
    try manager.createDirectory(at: target.url, withIntermediateDirectories: true)
    for file in files {
      let copy = target.url.appendingPathComponent(file.name)
      if manager.fileExists(atPath: copy.path) { continue }
      let original = source.url.appendingPathComponent(file.name)
      do {
        try manager.copyItem(at: original, to: copy)
      } catch {
        // A file that another program has removed in the meantime is not needed.
        if manager.fileExists(atPath: original.path) { throw error }
      }
    }
  }
}
