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

  /// Makes each commit of this connection wait until it is on the disk, whatever the journal mode.
  ///
  /// With a rollback journal and `synchronous = FULL`, SQLite does not wait until the removal of the journal,
  /// which completes the commit, is on the disk. It also shortens the file afterwards. So a power failure could
  /// restore the journal of a file that was already shortened, or undo a commit after whose end large values
  /// were removed.
  /// Source: documented, sqlite.org “PRAGMA synchronous”.
  func waitForDisk() throws { try set("synchronous = EXTRA") }

  /// Runs `VACUUM` so that a power failure leaves the old or the new file.
  func vacuum() throws {
    let before = try texts("PRAGMA synchronous").first
    try waitForDisk()
    // A number that the engine returned can be set; otherwise the connection keeps the safer value.
    defer { if let before { try? set("synchronous = \(before)") } }
    try execute("VACUUM")
  }

  func configureWriter(_ options: SQLiteStoreOptions) throws {
    try setJournalMode(options)
    try configure(options)
    // With a rollback journal and NORMAL, SQLite writes the journal's header and pages without an order on the
    // disk, so a power failure can damage the file.
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
