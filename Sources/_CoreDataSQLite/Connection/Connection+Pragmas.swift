// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// The size of the page cache of the write connection, in KiB; negative by SQLite's convention.
enum WriterCache: Int {
  /// The size for a write that visits pages throughout the file more than once, such as the pages of indexes.
  case much = -32_768
  /// The size for a large write that visits each page once.
  case little = -2_000
}

extension Connection {
  private func configure(_ options: SQLiteStoreOptions) throws {
    try set("synchronous = \(options.synchronous.rawValue)")
  }

  func configureReader(_ options: SQLiteStoreOptions) throws {
    try configure(options)
    // The size is in KiB, negative by SQLite's convention. Look-ups get a larger cache, because they visit
    // the same pages again, while a scan visits each page once.
    try set("cache_size = -\(purpose == .lookUp ? 8192 : 2000)")
    try applyUserPragmas(options, except: ["journal_mode", "page_size", "auto_vacuum"])
  }

  /// Applies the settings that must precede the first table; has no effect on a file with tables.
  func configureNewFile() throws {
    try set("page_size = 4096")
    try set("auto_vacuum = 2")
  }

  /// Makes each commit of this connection wait until the commit is on the disk, in every journal mode.
  ///
  /// With a rollback journal, a commit is complete when the journal is removed. With `synchronous = FULL`,
  /// SQLite does not synchronize this removal to disk, and may shorten the file after the removal. A power
  /// failure could then bring back the journal beside the shortened file, or undo a commit whose obsolete
  /// large values were already removed.
  /// Source: documented, sqlite.org “PRAGMA synchronous”.
  func waitForDisk() throws { try set("synchronous = EXTRA") }

  /// Runs `VACUUM` so that a power failure leaves either the old file or the new file, never a mixture.
  func vacuum() throws {
    let before = try texts("PRAGMA synchronous").first
    try waitForDisk()
    // The error is dropped: the engine accepts a value that it has returned, and EXTRA does no harm.
    defer { if let before { try? set("synchronous = \(before)") } }
    try execute("VACUUM")
  }

  func configureWriter(_ options: SQLiteStoreOptions) throws {
    try setJournalMode(options)
    try configure(options)
    // With a rollback journal and `synchronous = NORMAL`, the journal's header can reach the disk before the
    // journal's pages, so a power failure can damage the file.
    // Source: documented, sqlite.org “PRAGMA synchronous”.
    if options.synchronous == .normal, !options.isInMemory, !options.isReadOnly,
      try texts("PRAGMA journal_mode") != ["wal"]
    {
      try set("synchronous = FULL")
    }
    try set("cache_size = \(WriterCache.much.rawValue)")
    try applyUserPragmas(options, except: ["journal_mode"])
  }

  /// Sets the journal mode from the user's pragmas; without such a pragma, sets write-ahead mode unless the
  /// store is read-only or in memory.
  ///
  /// Write-ahead mode is not set before the user's mode, because a file that another process has open cannot
  /// be switched to write-ahead mode and back. If another connection changes the mode at the same time, the
  /// engine fails at once without waiting, so the attempt is repeated until the timeout.
  private func setJournalMode(_ options: SQLiteStoreOptions) throws {
    let own = options.pragmas.first { $0.key.lowercased() == "journal_mode" }?.value
    if own == nil, options.isReadOnly || options.isInMemory { return }
    let mode = own ?? "WAL"
    try check("journal_mode", mode)
    let deadline = Date(timeIntervalSinceNow: options.timeout)
    while true {
      do {
        return try set("journal_mode = \(mode)")
      } catch let error as StoreError where error.code == .busy && Date() < deadline {
        usleep(2_000)
      }
    }
  }

  private func applyUserPragmas(_ options: SQLiteStoreOptions, except: Set<String>) throws {
    for (name, value) in options.pragmas.sorted(by: { $0.key < $1.key }) {
      try check(name, value)
      if !except.contains(name.lowercased()) { try set("\(name) = \(value)") }
    }
  }

  /// Checks that the name and value of a pragma can be written into a statement.
  ///
  /// - Throws: `StoreError.invalidRequest` for a name or value that is empty or contains characters other
  ///   than letters, digits, `_`, `-` and `.`.
  private func check(_ name: String, _ value: String) throws {
    let allowed: (Character) -> Bool = { $0.isLetter || $0.isNumber || "_-.".contains($0) }
    guard !name.isEmpty, !value.isEmpty, name.allSatisfy(allowed), value.allSatisfy(allowed)
    else {
      throw StoreError(
        .invalidRequest,
        "the pragma “\(name)” cannot be set to “\(value)”: name and value may contain only letters, digits, "
          + "“_”, “-” and “.”, and must not be empty",
        path: path
      )
    }
  }
}
