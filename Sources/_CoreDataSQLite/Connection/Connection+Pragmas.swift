// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// The page cache of a connection that writes, in KiB, negative by SQLite's convention.
enum WriterCache: Int {
  /// For rows and indexes all over the file: upkeep of indexes wants its pages at hand.
  case much = -32_768
  /// For a large save that comes to each page once.
  case little = -2_000
}

extension Connection {
  /// What every connection sets for itself.
  private func configure(_ options: SQLiteStoreOptions) throws {
    try set("synchronous = \(options.synchronous.rawValue)")
  }

  func configureReader(_ options: SQLiteStoreOptions) throws {
    try configure(options)
    // In KiB, negative by SQLite's convention. A scan comes by each page once; look-ups come back.
    try set("cache_size = -\(purpose == .lookUp ? 8192 : 2000)")
    try applyUserPragmas(options, except: ["journal_mode", "page_size", "auto_vacuum"])
  }

  /// What must be set before the first table; does nothing to a file that has tables.
  func configureNewFile() throws {
    try set("page_size = 4096")
    try set("auto_vacuum = 2")
  }

  func configureWriter(_ options: SQLiteStoreOptions) throws {
    try setJournalMode(options)
    try configure(options)
    try set("cache_size = \(WriterCache.much.rawValue)")
    try applyUserPragmas(options, except: ["journal_mode"])
  }

  /// Write-ahead mode, or the user's own and only that: a file that another process has open too cannot
  /// be taken through write-ahead mode and back.
  ///
  /// Another connection that converts the file at the same time makes this fail at once, without
  /// the engine's own waiting.
  private func setJournalMode(_ options: SQLiteStoreOptions) throws {
    let own = options.pragmas.first { $0.key.lowercased() == "journal_mode" }?.value
    if own == nil, options.isReadOnly || options.isInMemory { return }
    let mode = own ?? "WAL"
    try Self.check("journal_mode", mode)
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
      try Self.check(name, value)
      if !except.contains(name.lowercased()) { try set("\(name) = \(value)") }
    }
  }

  /// - Throws: `StoreError.invalidRequest` for what is no plain word or number.
  private static func check(_ name: String, _ value: String) throws {
    let allowed: (Character) -> Bool = { $0.isLetter || $0.isNumber || "_-.".contains($0) }
    guard !name.isEmpty, !value.isEmpty, name.allSatisfy(allowed), value.allSatisfy(allowed)
    else { throw StoreError(.invalidRequest, "pragma \(name) = \(value) is not allowed") }
  }
}
