// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// The folder of a store's large values.
///
/// A file in the folder is complete before a row refers to the file, and never changes afterwards.
package struct ValueFolder {
  private let store: String
  private let folder: URL

  /// Creates a value for the folder of the store at a path; the store and the folder need not exist.
  package init(store: String) {
    self.store = store
    folder = ExternalData.folder(ofStore: store)
  }

  /// Returns the names of the files with values; an empty set if the folder is missing or reached through a
  /// link.
  ///
  /// - Throws: `StoreError.cannotRead` if the folder exists but cannot be listed.
  func names() throws -> Set<String> {
    if ExternalData.leadsAway(folder) { return [] }
    do {
      let names = try FolderContent.names(atPath: folder.path) ?? []
      return Set(names.filter { UUID(uuidString: $0) != nil })
    } catch {
      throw StoreError(
        .cannotRead,
        "the folder of large values cannot be listed: \(error.localizedDescription)",
        path: folder.path
      )
    }
  }

  func isSame(as other: ValueFolder) -> Bool {
    folder.resolvingSymlinksInPath() == other.folder.resolvingSymlinksInPath()
  }

  // MARK: Copying

  /// Copies those of the `wanted` files that are not complete in this folder, and waits until they have
  /// reached the disk.
  ///
  /// A file that is missing in `source` is left out, because a save has replaced its value. A link is left
  /// out too.
  /// - Returns: the names of the copied files. If an error is thrown, these files are removed again.
  /// - Throws: `StoreError.cannotWrite`, also if this folder is reached through a link.
  func copyFiles(_ wanted: Set<String>, from source: ValueFolder) throws -> Set<String> {
    var taken: Set<String> = []
    if wanted.isEmpty { return taken }
    try ExternalData.requireNoLink(folder)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for name in wanted where !hasWhole(name, of: source) {
        if try copy(name, from: source) { taken.insert(name) }
      }
      if !taken.isEmpty, let error = POSIXError.syncing(folder.path) { throw error }
      return taken
    } catch {
      remove(taken)
      throw StoreError(
        .cannotWrite,
        "the files of large values cannot be copied: \(error.localizedDescription)",
        path: folder.path
      )
    }
  }

  /// Adds the files of `source` that are missing in this folder.
  ///
  /// The files are added as hard links if the file system supports links, otherwise as copies. The content of
  /// a file never changes, and removing one of two links keeps the other.
  /// - Throws: `StoreError.cannotRead` if `source` cannot be listed; `.cannotWrite`.
  package func addFiles(of source: ValueFolder) throws {
    let names = try source.names()
    if names.isEmpty { return }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for name in names where source.size(name) != nil && size(name) == nil {
        let original = source.folder.appendingPathComponent(name).path
        if link(original, folder.appendingPathComponent(name).path) == 0 { continue }
        _ = try copy(name, from: source)
      }
    } catch {
      throw StoreError(
        .cannotWrite,
        "the files of large values cannot be linked or copied: \(error.localizedDescription)",
        path: folder.path
      )
    }
  }

  /// Waits until the names of the files, and those of the folder and its parent folder, have reached the disk.
  ///
  /// Does nothing if the folder does not exist.
  /// - Throws: `StoreError.cannotWrite`.
  func synchronize() throws {
    if !FileManager.default.fileExists(atPath: folder.path) { return }
    let parent = folder.deletingLastPathComponent()
    for folder in [folder, parent, parent.deletingLastPathComponent()] {
      guard let error = POSIXError.syncing(folder.path) else { continue }
      throw StoreError(
        .cannotWrite,
        "the folder of large values cannot be synchronized to disk: \(error.localizedDescription)",
        path: folder.path
      )
    }
  }

  /// Returns whether this folder has a file of this name with the same size as in `source`.
  private func hasWhole(_ name: String, of source: ValueFolder) -> Bool {
    guard let mine = size(name) else { return false }
    return mine == source.size(name)
  }

  private func size(_ name: String) -> Int? { Self.size(of: folder.appendingPathComponent(name)) }

  /// Copies a file; returns false if the file does not exist or is not a regular file.
  private func copy(_ name: String, from source: ValueFolder) throws -> Bool {
    if source.size(name) == nil { return false }
    let original = source.folder.appendingPathComponent(name)
    let unfinished = folder.appendingPathComponent("\(name).copy-\(UUID().uuidString)")
    defer { unlink(unfinished.path) }
    do {
      try FileManager.default.copyItem(at: original, to: unfinished)
    } catch {
      if source.size(name) == nil { return false }
      throw error
    }
    if let error = POSIXError.syncing(unfinished.path) { throw error }
    let finished = folder.appendingPathComponent(name)
    guard rename(unfinished.path, finished.path) == 0 else { throw POSIXError.latest }
    return true
  }

  // MARK: Removing

  /// Removes the files, then the folder and its parent folder if they are empty; does nothing if the folder
  /// is reached through a link.
  func remove(_ names: Set<String>) {
    if ExternalData.leadsAway(folder) { return }
    for name in names { unlink(folder.appendingPathComponent(name).path) }
    // These calls fail for folders that are not empty.
    rmdir(folder.path)
    rmdir(folder.deletingLastPathComponent().path)
  }

  /// Removes the files that are not in `kept`; keeps all files if another store may use the folder.
  func removeAll(except kept: Set<String>) {
    // The files of a folder that cannot be listed are left behind, as after a crash.
    guard !isShared, let names = try? names() else { return }
    remove(names.subtracting(kept))
  }

  /// Removes the folder and its parent folder; keeps them if another store may use them.
  func remove() {
    if isShared { return }
    // The store was removed before; values without a store are harmless.
    try? FileManager.default.removeItem(at: folder.deletingLastPathComponent())
  }

  /// Whether another database may use the same folder, because its name differs from the store's only in the
  /// extension.
  ///
  /// True if the folder cannot be listed, because only files that are known to belong to the store may be
  /// removed. A database is recognised by its size, a multiple of 512 bytes. It is not opened, because
  /// opening and closing a database that this process has open would drop the locks of that database.
  /// Source: documented, sqlite.org “How To Corrupt An SQLite Database File”.
  package var isShared: Bool {
    let own = URL(fileURLWithPath: store)
    let place = own.deletingLastPathComponent()
    let names: [String]
    do { names = try FolderContent.names(atPath: place.path) ?? [] } catch { return true }
    return names.contains { name in
      let other = place.appendingPathComponent(name)
      return name != own.lastPathComponent
        && other.deletingPathExtension().lastPathComponent
          == own.deletingPathExtension().lastPathComponent
        && !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix)
        && Self.size(of: other).map { $0 > 0 && $0 % 512 == 0 } ?? false
    }
  }

  /// Returns the size of a file in bytes; nil for anything that is not a regular file, such as a link.
  private static func size(of file: URL) -> Int? {
    var status = stat()
    guard lstat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }
}
