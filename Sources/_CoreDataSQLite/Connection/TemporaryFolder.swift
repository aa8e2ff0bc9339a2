// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataStore

/// A new folder for the unfinished files of one task.
///
///     let folder = try TemporaryFolder("coredata-rehearsal", for: "the copy for the rehearsal")
///     defer { folder.remove() }
///
/// The process holds a lock on the folder until the process removes the folder or ends. When a folder is
/// created, the folders of the same kind without a lock are removed, because killed processes have left them
/// behind.
package final class TemporaryFolder: Sendable {
  package let url: URL
  /// What the folder is for, such as `the unfinished backup`.
  private let purpose: String
  private let descriptor: CInt

  /// Creates a folder in `parent`, or in the folder of temporary files if `parent` is nil.
  ///
  /// The name of the folder is `kind`, a hyphen and a UUID.
  /// - Throws: `StoreError.cannotWrite` if the folder cannot be created; the message names `purpose`.
  package init(_ kind: String, for purpose: String, in parent: URL? = nil) throws {
    let place = parent ?? FileManager.default.temporaryDirectory
    Self.removeAbandoned(kind, in: place)
    self.purpose = purpose
    // The folder is created under the lock, so that `removeAll()` finds every folder that exists.
    (url, descriptor) = try Self.existing.withLock { existing in
      let made = try Self.make(kind, for: purpose, in: place, isTemporary: parent == nil)
      existing[made.url.path] = purpose
      return made
    }
  }

  private static func make(
    _ kind: String,
    for purpose: String,
    in place: URL,
    isTemporary: Bool
  ) throws -> (url: URL, descriptor: CInt) {
    while true {
      let url = place.appendingPathComponent("\(kind)-\(UUID().uuidString)")
      if mkdir(url.path, 0o700) != 0 {
        throw failure(purpose, place, isTemporary: isTemporary)
      }
      let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      // The result is ignored: if the file system does not support locks, `removeAbandoned` cannot lock the
      // folder either, and so does not remove it.
      if descriptor >= 0 { flock(descriptor, LOCK_EX) }
      // If another process has removed the folder before this process locked it, a new folder is created.
      if descriptor < 0 || isFolder(descriptor, url.path) { return (url, descriptor) }
      close(descriptor)
    }
  }

  deinit { remove() }

  /// Removes the folder and its files; does nothing if the folder is already removed.
  ///
  /// Files that cannot be removed now are removed when the next folder of the same kind is created.
  package func remove() {
    guard Self.existing.withLock({ $0.removeValue(forKey: url.path) }) != nil else { return }
    // The error is dropped: what is left is removed when the next folder of the same kind is created.
    try? FileManager.default.removeItem(at: url)
    if descriptor >= 0 { close(descriptor) }
  }

  // MARK: All folders

  /// The purposes of the existing folders of this process, by path.
  private static let existing = Mutex<[String: String]>([:])
  private static let attempts = 20

  /// Removes all folders of this process, and returns their purposes.
  ///
  /// Call this only if the process is about to end: other threads that still use the folders fail.
  package static func removeAll() -> [String] {
    let folders = existing.withLock { folders in
      defer { folders = [:] }
      return folders
    }
    for path in folders.keys {
      // Another thread may create a file while the folder is being removed, so the removal is repeated.
      for _ in 0..<attempts where access(path, F_OK) == 0 {
        // The error is dropped: what is left is removed when the next folder of the same kind is created.
        try? FileManager.default.removeItem(atPath: path)
      }
    }
    return folders.values.sorted(by: utf8Less)
  }

  /// Removes the folders of a kind that are not locked, which killed processes have left behind.
  private static func removeAbandoned(_ kind: String, in place: URL) {
    // The error is dropped: if `place` cannot be used, creating the new folder reports the reason.
    let names = (try? FolderContent.names(atPath: place.path)) ?? []
    for name in names where name.hasPrefix(kind + "-") {
      guard UUID(uuidString: String(name.dropFirst(kind.count + 1))) != nil else { continue }
      let path = place.appendingPathComponent(name).path
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      if descriptor < 0 { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        // The error is dropped: the folder remains for the next attempt, or belongs to another user.
        try? FileManager.default.removeItem(atPath: path)
      }
      close(descriptor)
    }
  }

  private static func isFolder(_ descriptor: CInt, _ path: String) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && stat(path, &named) == 0 && own.st_ino == named.st_ino
      && own.st_dev == named.st_dev
  }

  private static func failure(_ purpose: String, _ place: URL, isTemporary: Bool) -> StoreError {
    let reason = POSIXError.latest.localizedDescription
    return StoreError(
      .cannotWrite,
      isTemporary
        ? "a folder for \(purpose) cannot be created: \(reason). Set the environment variable TMPDIR, the "
          + "folder of temporary files, to a writable folder with enough space instead of this one"
        : "a folder for \(purpose) cannot be created in this folder: \(reason)",
      path: place.path
    )
  }

  // MARK: Finished files

  /// Moves the file named `name` in this folder to a path where no file exists, in one step.
  ///
  /// The folder of `path` must be on the same file system, and is synchronized to disk. The file must already
  /// be on the disk.
  /// - Returns: false if another process has created a file at the path.
  /// - Throws: `StoreError.cannotWrite`; the file is then not at the path.
  package func move(_ name: String, to path: String) throws -> Bool {
    let finished = url.appendingPathComponent(name).path
    if link(finished, path) != 0 {
      if errno == EEXIST { return false }
      // Some file systems do not support hard links; the file is then renamed.
      guard access(path, F_OK) != 0, rename(finished, path) == 0 else {
        throw StoreError(
          .cannotWrite,
          "the finished copy cannot be renamed to this path: \(POSIXError.latest.localizedDescription)",
          path: path
        )
      }
    }
    unlink(finished)
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    if let error = POSIXError.syncing(folder) {
      unlink(path)
      throw StoreError(
        .cannotWrite,
        "the folder of the copy cannot be synchronized to disk: \(error.localizedDescription)",
        path: path
      )
    }
    return true
  }
}
