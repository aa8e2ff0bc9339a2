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
  ///
  /// `write()` changes the path if another process has created a file there meanwhile.
  package private(set) var path: String
  /// Whether the folder for the copies of external files existed before this backup.
  ///
  /// Earlier backups may need its files, so `remove()` keeps such a folder.
  private let sharesFolder: Bool
  private var isWritten = false

  /// Chooses the first unused path among `Shop.sqlite.backup`, `Shop.sqlite.backup-2` and so on.
  package init(of store: String) {
    self.store = store
    path = Self.unusedPath(store)
    sharesFolder = FileManager.default.fileExists(atPath: ExternalFolder(store: path).url.path)
  }

  private static func unusedPath(_ store: String) -> String {
    var candidate = store + ".backup"
    var number = 2
    while FileManager.default.fileExists(atPath: candidate) {
      candidate = "\(store).backup-\(number)"
      number += 1
    }
    return candidate
  }

  package var exists: Bool { isWritten && FileManager.default.fileExists(atPath: path) }

  /// Removes the backup, and the folder with the copies of external files unless the folder existed before.
  ///
  /// Call this only if the store is known to be unchanged. Files that cannot be removed remain. Returns true
  /// if there was a backup and its database has been removed.
  @discardableResult
  package func remove() -> Bool {
    let existed = exists
    if isWritten {
      for suffix in ["", "-wal", "-shm", "-journal"] {
        // The error is dropped: most of these files do not exist, and a backup that remains does no harm.
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
    }
    let folder = ExternalFolder(store: path).url
    let isOwn = folder.standardizedFileURL != ExternalFolder(store: store).url.standardizedFileURL
    if isOwn, !sharesFolder {
      // The error is dropped: a folder that remains does no harm.
      try? FileManager.default.removeItem(at: folder.deletingLastPathComponent())
    }
    return existed && !exists
  }

  /// Writes the backup.
  ///
  /// The backup is written in a hidden folder beside the store. It appears at `path` in one step, when it is
  /// complete and written to disk.
  /// - Throws: `ToolError` if the backup cannot be written.
  package mutating func write() throws {
    do {
      let place = URL(fileURLWithPath: path)
      let name = place.lastPathComponent
      let folder = try TemporaryFolder(
        ".\(name).unfinished",
        for: "the unfinished backup \(path)",
        in: place.deletingLastPathComponent()
      )
      defer { folder.remove() }
      let values = ValueFolder(store: folder.url.appendingPathComponent(name).path)
      // Another program may save during the copy. The first pass copies files that such a save may remove;
      // the second pass copies files that it may have added.
      try copyFiles(to: values)
      try StoreFile(path: store, access: .readWrite).copy(into: folder, as: name)
      try copyFiles(to: values)
      let finished = ValueFolder(store: path)
      try finished.addFiles(of: values)
      try finished.synchronize()
      while try !folder.move(name, to: path) { path = Self.unusedPath(store) }
      isWritten = true
    } catch {
      let cause = ToolError(error)
      throw ToolError(
        "\(path): the backup cannot be written, so nothing was migrated: \(cause.message)",
        hint: cause.hint
          ?? "Check that the folder is writable and has enough space for a copy of the store."
      )
    }
  }

  /// Copies the external files of the store, unless the store and its backup share a folder.
  private func copyFiles(to values: ValueFolder) throws {
    let source = ValueFolder(store: store)
    if source.isSame(as: ValueFolder(store: path)) { return }
    try values.copyFiles(source.names(), from: source)
  }
}
