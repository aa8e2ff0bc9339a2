// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// Replaces a store by renaming a finished file to the store's name, without copying pages.
extension StoreFiles {
  /// A new, unique path in this store's folder, for a file that will be renamed to the store's name.
  package var unfinishedPath: String {
    let place = URL(fileURLWithPath: path)
    return place.deletingLastPathComponent()
      .appendingPathComponent(Self.unfinishedPrefix(place) + UUID().uuidString).path
  }

  static func unfinishedPrefix(_ place: URL) -> String { ".\(place.lastPathComponent).copy-" }

  /// Removes unfinished copies for this store that have not been written to for a day.
  ///
  /// Such copies were left behind by programs that died, or whose disk failed.
  func removeAbandoned() {
    let place = URL(fileURLWithPath: path)
    let folder = place.deletingLastPathComponent()
    let prefix = Self.unfinishedPrefix(place)
    // If the folder cannot be listed, the next copy removes the files.
    guard let names = try? FolderContent.names(atPath: folder.path) else { return }
    for name in names where name.hasPrefix(prefix) {
      let unique = name.dropFirst(prefix.count).prefix(36)
      let file = folder.appendingPathComponent(name).path
      // A file that cannot be inspected is kept; the next copy tries again.
      let values = try? FileManager.default.attributesOfItem(atPath: file)
      guard UUID(uuidString: String(unique)) != nil,
        let written = values?[.modificationDate] as? Date, written.timeIntervalSinceNow < -86_400
      else { continue }
      unlink(file)
    }
  }

  /// Throws an error if there is anything but a store at the path; an empty or missing file is accepted.
  ///
  /// - Throws: `StoreError.cannotOpen` for a folder or special file, and for a file that cannot be inspected;
  ///   `.corrupt` for a file that is not a Core Data store.
  package func requireStoreOrNothing() throws {
    try DatabaseFile.requireRegular(path)
    if let size = try DatabaseFile.size(path), size > 0 { _ = try metadata() }
  }

  /// Renames the finished file at `finished` to this store's name; the file must be in the store's folder.
  ///
  /// An existing store is replaced, and its log and its large values are removed. Other connections cannot
  /// use the existing store until the rename is complete. Before the rename, the content of the existing log
  /// is moved into the existing file, so that the existing store is complete if the rename fails.
  /// - Throws: `StoreError.busy` if other connections have the store open; `.corrupt` and `.cannotOpen` as
  ///   `requireStoreOrNothing()`; `.cannotWrite`. If an error is thrown, the existing store is unchanged,
  ///   unless the folder could not be synchronized to disk after the rename. In that case the message of the
  ///   error states that the new file is in place. The large values of the former store are then kept,
  ///   because a power failure may undo the rename.
  package func replace(byRenaming finished: String) throws {
    try requireStoreOrNothing()
    // Checks, before anything is changed, that the folder can be synchronized.
    try synchronizeFolder {
      "the store is not replaced, because its folder cannot be synchronized to disk: \($0)"
    }
    if exists {
      let old = try connection()
      try old.leaveWriteAheadMode()
      try old.excludingOthers {
        // SQLite reports no error if it cannot remove the log. It would apply a log that remains to the new file.
        try removeSideFiles()
        // Without this, a power failure could bring back the old log or journal beside the new file.
        try synchronizeFolder {
          "the store is not replaced, because its folder cannot be synchronized to disk: \($0)"
        }
        try rename(finished)
      }
      values.remove()
    } else {
      // A former database may have left a log behind, which the engine would apply to the new database.
      try removeSideFiles()
      try rename(finished)
    }
  }

  private func rename(_ finished: String) throws {
    // If the path is a symbolic link, the link stays and the file that it leads to is replaced.
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    guard Foundation.rename(finished, place.path) == 0 else {
      throw StoreError(
        .cannotWrite,
        "the new file cannot be renamed to this path: \(POSIXError.latest.localizedDescription)",
        path: path
      )
    }
    try synchronizeFolder {
      "the new file is in place, but a power failure may undo its renaming, because its folder cannot be "
        + "synchronized to disk: \($0)"
    }
  }
}

extension Connection {
  /// Moves the content of the log into the file and removes the log.
  ///
  /// - Throws: `StoreError.busy` if other connections have the file open.
  fileprivate func leaveWriteAheadMode() throws {
    try set("journal_mode = DELETE")
    if try texts("PRAGMA journal_mode") == ["delete"] { return }
    throw StoreError(
      .busy,
      "the store is not replaced, because other connections have the store open; close these connections "
        + "and try again",
      path: path
    )
  }

  fileprivate func excludingOthers(_ body: () throws -> Void) throws {
    try execute("BEGIN EXCLUSIVE")
    defer { rollBack() }
    try body()
  }
}
