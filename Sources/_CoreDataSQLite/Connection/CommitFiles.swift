// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The files and the folder that must be synchronized so that a store's last commit survives a power failure.
enum CommitFiles {
  /// Returns the paths to synchronize: the log if it exists, otherwise the folder and, if it exists, the
  /// journal.
  ///
  /// A commit to a log is durable once the log is on the disk; SQLite has already synchronized the folder,
  /// when it wrote the log's header. A commit with a rollback journal is durable once the removal of the
  /// journal is on the disk; SQLite does not wait for this. Opening and closing these files is safe: unlike
  /// closing the database file, it does not release SQLite's locks.
  /// Source: documented, sqlite.org “PRAGMA synchronous”.
  static func paths(ofStore path: String) -> [String] {
    // SQLite follows symbolic links before it appends the suffixes.
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let (log, journal) = (place.path + "-wal", place.path + "-journal")
    if access(log, F_OK) == 0 { return [log] }
    return (access(journal, F_OK) == 0 ? [journal] : [])
      + [place.deletingLastPathComponent().path]
  }
}
