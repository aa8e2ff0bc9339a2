// SPDX-License-Identifier: Apache-2.0

/// The settings of a store, and what they promise about saves that have returned.
package struct Promise: Hashable, Sendable {
  package enum Journal: String, CaseIterable, Sendable { case wal = "WAL", delete = "DELETE" }
  package enum Synchronous: String, CaseIterable, Sendable {
    case normal = "NORMAL", full = "FULL", extra = "EXTRA"
    /// The library chooses: `NORMAL` with a log, `FULL` with a journal.
    case standard = "STANDARD"
  }

  package var journal: Journal
  package var synchronous: Synchronous

  package init(_ journal: Journal, _ synchronous: Synchronous) {
    self.journal = journal
    self.synchronous = synchronous
  }

  package var name: String { "\(journal.rawValue)-\(synchronous.rawValue)".lowercased() }

  /// The settings of a round.
  ///
  /// A journal with `NORMAL` is not among them: SQLite does not promise that the file stays intact, and the
  /// simulation shows damage.
  package static let all: [Promise] = [
    Promise(.wal, .standard), Promise(.wal, .full), Promise(.delete, .standard),
    Promise(.delete, .extra),
  ]

  /// Returns the settings with this name.
  package static func named(_ name: String) -> Promise? {
    for journal in Journal.allCases {
      for synchronous in Synchronous.allCases where Promise(journal, synchronous).name == name {
        return Promise(journal, synchronous)
      }
    }
    return nil
  }

  /// The number of the event up to which everything that was acknowledged is certainly there.
  ///
  /// With a log and FULL, or with a journal and EXTRA, that is the moment of the power failure. With a log and
  /// NORMAL it is the last synchronization of the log or of the database. With a journal and FULL it is the last
  /// synchronization of the folder: a commit ends with the removal of the journal, and SQLite does not wait
  /// until this removal is on the disk.
  /// Source: documented, sqlite.org “PRAGMA synchronous”.
  package func floor(_ recording: Recording, _ point: Int, _ store: StorePaths) -> Int {
    let isLog = journal == .wal
    let waits: [Synchronous] = isLog ? [.full, .extra] : [.extra]
    if waits.contains(synchronous) { return point }
    let slash = store.database.lastIndex(of: "/")
    let folder = slash.map { String(store.database[..<$0]) } ?? ""
    let places = isLog ? [store.log, store.database] : [folder]
    for number in (0..<point).reversed() {
      guard case .sync(let node) = recording.events[number] else { continue }
      if places.contains(recording.paths[node] ?? "?") { return number }
    }
    return 0
  }
}
