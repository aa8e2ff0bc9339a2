// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The URI for reading a database file without changing the file or creating files beside it.
///
/// Opening a file in write-ahead mode, even for reading, creates a log (`-wal`) and its index (`-shm`). If
/// such a file has no log, index or journal, it is therefore opened as immutable. If a log exists without an
/// index, the engine keeps the index in memory. If an index exists, other connections may be using it, and
/// the file is opened as usual. Source: SQLite, “Write-Ahead Logging”, sections 7 and 8; “URI Filenames”.
struct UntouchedFile {
  let uri: String
  /// Whether the index of the log must stay in memory.
  let needsPrivateIndex: Bool

  init(path: String) {
    // The log is beside the file itself, not beside a link to it.
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

  /// Returns the size of a file in bytes; 0 if the file does not exist.
  ///
  /// A file whose size cannot be read counts as not empty, so that a log is never overlooked.
  private static func size(of path: String) -> Int {
    var status = stat()
    if stat(path, &status) == 0 { return Int(status.st_size) }
    return errno == ENOENT ? 0 : 1
  }

  /// Returns whether the file's read version is 2, which means write-ahead mode.
  ///
  /// Version 1 means a rollback journal, which reading does not create.
  private static func isWriteAhead(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    // The file was only read, so an error on closing loses nothing.
    defer { try? file.close() }
    // The error is dropped, because the engine fails for the same reason and reports it.
    let header = (try? file.read(upToCount: 20)) ?? Data()
    return header.count == 20 && header[header.startIndex + 19] == 2
  }
}
