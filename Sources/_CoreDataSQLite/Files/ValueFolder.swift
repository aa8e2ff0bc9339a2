// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// The folder of a store's large values as a whole.
///
/// A file in it has its whole content from the moment that it has its name, and keeps it.
package struct ValueFolder {
  private let store: String
  private let folder: URL

  /// The folder of the store at that path, which need not exist.
  package init(store: String) {
    self.store = store
    folder = ExternalData.folder(ofStore: store)
  }

  /// The files of values; none where the folder is a link, or missing.
  ///
  /// - Throws: `StoreError.cannotRead` where the folder is there and cannot be listed.
  func names() throws -> Set<String> {
    if ExternalData.leadsAway(folder) { return [] }
    do {
      let names = try FolderContent.names(atPath: folder.path) ?? []
      return Set(names.filter { UUID(uuidString: $0) != nil })
    } catch {
      throw StoreError(
        .cannotRead,
        "the folder of large values cannot be listed: \(error)",
        path: folder.path
      )
    }
  }

  func isSame(as other: ValueFolder) -> Bool {
    folder.resolvingSymlinksInPath() == other.folder.resolvingSymlinksInPath()
  }

  // MARK: Copying

  /// Copies the files that are not here yet, and waits until they have reached the disk.
  ///
  /// One that is gone from `source` by now is left out, as a save has replaced its value; a link too.
  /// - Returns: the names of those that it copied; where it throws none is left.
  /// - Throws: `StoreError.cannotWrite`.
  func take(_ wanted: Set<String>, from source: ValueFolder) throws -> Set<String> {
    var taken: Set<String> = []
    if wanted.isEmpty { return taken }
    do {
      if ExternalData.leadsAway(folder) { throw POSIXError(.ELOOP) }
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
        "the files of large values cannot be copied: \(error)",
        path: folder.path
      )
    }
  }

  /// Gives this folder the files of `source` that it lacks: as further links to them where the file system
  /// has such links, else as copies.
  ///
  /// A file's content never changes, and removing one here leaves the other.
  /// - Throws: `StoreError.cannotRead` where `source` cannot be listed, `.cannotWrite`.
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
        "the files of large values cannot be copied: \(error)",
        path: folder.path
      )
    }
  }

  /// Whether the file is here already, and no rest of a copy that was broken off.
  private func hasWhole(_ name: String, of source: ValueFolder) -> Bool {
    guard let mine = size(name) else { return false }
    return mine == source.size(name)
  }

  private func size(_ name: String) -> Int? { Self.size(of: folder.appendingPathComponent(name)) }

  /// Whether the file was there to be copied.
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

  /// Removes the files, and the folder where it is empty now.
  func remove(_ names: Set<String>) {
    if ExternalData.leadsAway(folder) { return }
    for name in names { unlink(folder.appendingPathComponent(name).path) }
    // They refuse folders that hold something.
    rmdir(folder.path)
    rmdir(folder.deletingLastPathComponent().path)
  }

  /// Removes the files that the store's rows do not name; leaves all where that is not certain.
  func removeAll(except kept: Set<String>) {
    // Files of a folder that cannot be listed are left behind, as after a crash.
    guard !isShared, let names = try? names() else { return }
    remove(names.subtracting(kept))
  }

  /// Removes the folder, and the one that holds it; leaves them where another store may have them.
  func remove() {
    if isShared { return }
    // The store is gone by now; values without a store do no harm.
    try? FileManager.default.removeItem(at: folder.deletingLastPathComponent())
  }

  /// Whether another database may have the same folder: a file whose name differs in the extension alone.
  ///
  /// True where the store's own folder cannot be listed: what is not known to be the store's is not removed.
  /// Told by its size, as databases have whole pages; to open and close a database that this process has
  /// open would drop its locks. Source: documented, sqlite.org “How To Corrupt An SQLite Database File”.
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

  /// Bytes of a file; nil for what is none, such as a link.
  private static func size(of file: URL) -> Int? {
    var status = stat()
    guard lstat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }
}
