// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// A finished file that gets a store's name in one step, without a copy of its pages.
extension StoreFiles {
  /// A new path in this store's folder for a file that is to get its name.
  package var unfinishedPath: String {
    let place = URL(fileURLWithPath: path)
    return place.deletingLastPathComponent()
      .appendingPathComponent(Self.unfinishedPrefix(place) + UUID().uuidString).path
  }

  static func unfinishedPrefix(_ place: URL) -> String { ".\(place.lastPathComponent).copy-" }

  /// Removes unfinished copies for this place that no program has written to for a day: one that died, or
  /// whose disk failed, left them.
  func removeAbandoned() {
    let place = URL(fileURLWithPath: path)
    let folder = place.deletingLastPathComponent()
    let prefix = Self.unfinishedPrefix(place)
    // What cannot be listed or looked at now is left to the next copy.
    guard let names = try? FolderContent.names(atPath: folder.path) else { return }
    for name in names where name.hasPrefix(prefix) {
      let unique = name.dropFirst(prefix.count).prefix(36)
      let file = folder.appendingPathComponent(name).path
      // As above.
      let values = try? FileManager.default.attributesOfItem(atPath: file)
      guard UUID(uuidString: String(unique)) != nil,
        let written = values?[.modificationDate] as? Date, written.timeIntervalSinceNow < -86_400
      else { continue }
      unlink(file)
    }
  }

  /// Refuses a place with something that is not a store; nothing there, or an empty file, is accepted.
  ///
  /// - Throws: `StoreError.cannotOpen` for a folder or special file, `.corrupt` for what is not a Core Data
  ///   store.
  package func requireStoreOrNothing() throws {
    try DatabaseFile.requireRegular(path)
    var status = stat()
    if stat(path, &status) != 0, errno == ENOENT { return }
    if status.st_size > 0 { _ = try metadata() }
  }

  /// Gives the file at `finished`, which is complete and lies in this folder, this store's name; what has
  /// the name goes with its log and large values.
  ///
  /// The store that is there is kept from all others until the new one has its name, in one rename. Its log
  /// is brought into its file before, so that it is whole should that fail.
  /// - Throws: `StoreError.busy` where others have the store open, `.corrupt` and `.cannotOpen` as
  ///   `requireStoreOrNothing()`, `.cannotWrite`; what is there stays then.
  package func takeName(of finished: String) throws {
    try requireStoreOrNothing()
    if exists {
      let old = try connection()
      try old.leaveWriteAheadMode()
      try old.excludingOthers { try rename(finished) }
      values.remove()
    } else {
      // A log that outlived its database would be taken for the new one's.
      for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
      try rename(finished)
    }
  }

  private func rename(_ finished: String) throws {
    // A link stays, and leads to the new file.
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    guard Foundation.rename(finished, place.path) == 0 else {
      throw StoreError(.cannotWrite, "rename: \(POSIXError.latest)", path: path)
    }
    if let error = POSIXError.syncing(place.deletingLastPathComponent().path) {
      throw StoreError(.cannotWrite, "fsync: \(error)", path: path)
    }
  }
}

extension Connection {
  /// Brings the log's content into the file and removes the log.
  ///
  /// - Throws: `StoreError.busy` where others have the file open.
  fileprivate func leaveWriteAheadMode() throws {
    try set("journal_mode = DELETE")
    if try texts("PRAGMA journal_mode") == ["delete"] { return }
    throw StoreError(.busy, "others have the store open: the database is locked")
  }

  /// Runs `body` while no other connection reads or writes the database.
  fileprivate func excludingOthers(_ body: () throws -> Void) throws {
    try execute("BEGIN EXCLUSIVE")
    defer { rollBack() }
    try body()
  }
}
