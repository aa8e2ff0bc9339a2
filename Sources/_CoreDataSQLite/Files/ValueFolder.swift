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

  /// Returns the names of the files of large values; an empty set if the folder is missing or reached through
  /// a symbolic link.
  ///
  /// - Throws: `StoreError.cannotRead` if the folder exists but cannot be listed.
  package func names() throws -> Set<String> {
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

  /// Whether both folders are the same, for example because the stores' names differ only in the extension.
  package func isSame(as other: ValueFolder) -> Bool {
    folder.resolvingSymlinksInPath() == other.folder.resolvingSymlinksInPath()
  }

  // MARK: Copying

  /// Copies the files named in `wanted` that are missing or incomplete in this folder, and synchronizes the
  /// copies and this folder to disk.
  ///
  /// A file that no longer exists in `source` is skipped, because a save has replaced its value. A symbolic
  /// link is skipped too.
  /// - Returns: the names of the copied files. If an error is thrown, the copied files are removed.
  /// - Throws: `StoreError.cannotWrite`, for example if this folder is reached through a symbolic link.
  @discardableResult
  package func copyFiles(_ wanted: Set<String>, from source: ValueFolder) throws -> Set<String> {
    var taken: Set<String> = []
    if wanted.isEmpty { return taken }
    try ExternalData.requireNoLink(folder)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for name in wanted where !hasWhole(name, of: source) {
        if try copy(name, from: source) { taken.insert(name) }
      }
      // The folder and its parent may be new, so their parents are synchronized too.
      if !taken.isEmpty { try synchronize() }
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
  /// The files are added as hard links if the file system supports links, otherwise as copies. Both folders
  /// can share a file, because its content never changes and removing one link does not affect the other.
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

  /// Synchronizes the folder, its parent folder and the store's folder to disk, so that the names of the
  /// files survive a power failure.
  ///
  /// Does nothing if the folder does not exist.
  /// - Throws: `StoreError.cannotWrite`.
  package func synchronize() throws {
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

  /// Returns whether this folder and `source` have files of this name with the same size.
  private func hasWhole(_ name: String, of source: ValueFolder) -> Bool {
    guard let mine = size(name) else { return false }
    return mine == source.size(name)
  }

  /// The number of bytes of all files; 0 if the folder cannot be listed.
  var bytes: Int {
    // The error is dropped: the number serves only an estimate, and reading the values reports the error.
    ((try? names()) ?? []).reduce(0) { $0 + (size($1) ?? 0) }
  }

  /// Returns the size of a file in bytes; nil if the folder has no such file.
  func size(_ name: String) -> Int? { Self.size(of: folder.appendingPathComponent(name)) }

  /// Copies a file; returns false if the file does not exist in `source` or is not a regular file.
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

  /// Removes the files, and then the folder and its parent folder if they are empty.
  ///
  /// Does nothing if the folder is reached through a symbolic link.
  func remove(_ names: Set<String>) {
    if ExternalData.leadsAway(folder) { return }
    for name in names { unlink(folder.appendingPathComponent(name).path) }
    // These calls fail for folders that are not empty.
    rmdir(folder.path)
    rmdir(folder.deletingLastPathComponent().path)
  }

  /// Removes the files that are not in `kept`; keeps all files if another store may use the folder.
  func removeAll(except kept: Set<String>) {
    // If the folder cannot be listed, its files are left behind, as after a crash.
    guard !isShared, let names = try? names() else { return }
    remove(names.subtracting(kept))
  }

  /// Removes the folder and its parent folder; does nothing if another store may use the folder.
  func remove() {
    if isShared { return }
    // Values that cannot be removed are harmless, because no store refers to them.
    try? FileManager.default.removeItem(at: folder.deletingLastPathComponent())
  }

  /// Whether another database in the store's directory may use the same folder of large values.
  ///
  /// Databases whose names differ only in the extension use the same folder. The value is true if the
  /// directory cannot be listed, because only values that are known to belong to the store may be removed. A
  /// database is recognized by its size, a multiple of 512 bytes. The database is not opened, because closing
  /// a database that this process has also opened elsewhere would drop the locks of the other connection.
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
