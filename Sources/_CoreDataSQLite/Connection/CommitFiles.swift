// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The files and the folder on which it depends whether a store's last commit survives a power failure.
enum CommitFiles {
  /// Returns the paths to synchronize: the log, or the journal, if there is one, and the folder.
  ///
  /// A commit to a log is on the disk when the log is; SQLite has synchronized the log's name with its header. A
  /// commit with a rollback journal is on the disk when the removal of the journal is, for which SQLite does not
  /// wait. Opening and closing these files is safe: unlike closing the database file, it does not drop SQLite's
  /// locks.
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
