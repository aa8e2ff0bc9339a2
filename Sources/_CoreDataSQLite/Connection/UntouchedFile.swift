// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How a database file is read so that nothing in it changes and nothing appears beside it.
///
/// An engine that opens a file in write-ahead mode makes `-wal` and `-shm` files, even to read. Where no
/// log lies beside the file it is opened as immutable; a log that was left behind is read through an
/// index in memory; a log with its index may be in use, and is shared as usual.
/// Source: SQLite, “Write-Ahead Logging”, sections 7 and 8; “URI Filenames”.
struct UntouchedFile {
  /// What the engine opens.
  let uri: String
  /// Whether the index of the log has to stay in memory.
  let needsPrivateIndex: Bool

  init(path: String) {
    // The log lies beside the file itself, not beside a link to it.
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let hasLog = Self.size(of: path + "-wal") > 0
    let hasIndex = FileManager.default.fileExists(atPath: path + "-shm")
    let hasJournal = Self.size(of: path + "-journal") > 0
    needsPrivateIndex = hasLog && !hasIndex && Self.isWriteAhead(path)
    var parameters = "mode=ro"
    if needsPrivateIndex {
      parameters += "&vfs=unix-none"
    } else if Self.isWriteAhead(path), !hasLog, !hasIndex, !hasJournal {
      parameters += "&immutable=1"
    }
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: ";"))
    uri = "file:\(path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path)?\(parameters)"
  }

  /// Bytes of a file, 0 where there is none; one that cannot be looked at counts as not empty, so that a
  /// log is never passed over.
  private static func size(of path: String) -> Int {
    var status = stat()
    if stat(path, &status) == 0 { return Int(status.st_size) }
    return errno == ENOENT ? 0 : 1
  }

  /// The header's read version: 2 is write-ahead, 1 a rollback journal, which reading never makes.
  private static func isWriteAhead(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    // Nothing was written that closing could lose.
    defer { try? file.close() }
    // The engine meets the same failure, and reports it.
    let header = (try? file.read(upToCount: 20)) ?? Data()
    return header.count == 20 && header[header.startIndex + 19] == 2
  }
}
