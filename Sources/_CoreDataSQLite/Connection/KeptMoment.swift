// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite

/// A read transaction that a reader keeps open across look-ups, until there is a commit or the pool ends the
/// transaction.
///
/// A separate transaction for each look-up would need two locks and a query of the file's size, which take a
/// third of the look-up's time. Every commit changes the header of the log's index, which is in memory that
/// all processes share. Source: docs/decisions/0008-kept-moments.md; SQLite, “WAL-mode File Format”.
package struct KeptMoment {
  /// The number of consecutive look-ups after which a moment begins, if there is no commit between them.
  package static let burst = 16
  /// The maximum duration of a moment in seconds; a longer read transaction would keep other processes from
  /// restarting the log.
  static let limit = 0.1

  private enum Index {
    case unknown
    /// No moment can be kept, for example because the file is not in write-ahead mode.
    case none
    case mapped(UnsafePointer<LogHeader>)
  }
  private let connection: OpaquePointer
  private var index: Index
  private var last: LogHeader?
  private var streak = 0
  private var isOpening = false
  /// The pool's epoch when the moment began; nil while no moment is kept.
  private(set) var epoch: Int?

  /// Creates the state of a reader's connection; if `isAllowed` is false, no moment is kept.
  package init(_ connection: OpaquePointer, isAllowed: Bool) {
    self.connection = connection
    index = isAllowed ? .unknown : .none
  }

  /// Continues, ends or begins a moment; must be called before each look-up.
  ///
  /// A kept moment continues if there was no commit since it began and the pool has not ended it; otherwise
  /// it ends. If no moment is kept, a moment begins with the last of `burst` look-ups without a commit.
  package mutating func enter(epoch current: Int) {
    if let epoch {
      if epoch == current, let header, header == last { return }
      end()
    }
    streak += 1
    if streak == 1 {
      last = header
      return
    }
    guard streak >= Self.burst, let header else { return }
    if header != last {
      last = header
      streak = 1
      return
    }
    isOpening = sqlite3_exec(connection, "BEGIN", nil, nil, nil) == SQLITE_OK
  }

  /// Keeps a moment that began with this look-up, unless there was a commit in the meantime; must be called
  /// after each look-up.
  ///
  /// Returns true if the moment is kept from now on; false if no moment began with this look-up, or if there
  /// was a commit.
  package mutating func leave(epoch current: Int) -> Bool {
    if !isOpening { return false }
    isOpening = false
    epoch = current
    // If there was a commit while the moment began, it is unknown whether the moment includes the commit.
    if let header, header == last { return true }
    end()
    return false
  }

  /// Ends the moment, if one is kept.
  package mutating func end() {
    if epoch == nil && !isOpening { return }
    epoch = nil
    isOpening = false
    streak = 0
    if sqlite3_get_autocommit(connection) == 0 { sqlite3_exec(connection, "COMMIT", nil, nil, nil) }
  }

  /// The current header of the log's index; nil if no moment can be kept.
  private var header: LogHeader? {
    mutating get {
      if case .unknown = index { index = Self.find(connection).map(Index.mapped) ?? .none }
      if case .mapped(let header) = index { return header.pointee }
      return nil
    }
  }

  /// Returns the connection's own mapping of the index; nil if there is no shared index.
  ///
  /// The mapping lasts as long as the connection, because leaving write-ahead mode needs a lock that is not
  /// available while the connection is open.
  private static func find(_ connection: OpaquePointer) -> UnsafePointer<LogHeader>? {
    // A connection in exclusive locking mode has a private index.
    guard setting("journal_mode", of: connection) == "wal",
      setting("locking_mode", of: connection) == "normal"
    else { return nil }
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = withUnsafeMutablePointer(to: &file) {
      sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, $0)
    }
    guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods,
      methods.pointee.iVersion >= 2, let map = methods.pointee.xShmMap
    else { return nil }
    var start: UnsafeMutableRawPointer?
    // The first region has 32 KiB. The engine mapped it at the connection's first read.
    guard map(file, 0, 32_768, 0, &start) == SQLITE_OK, let start else { return nil }
    return UnsafePointer(start.assumingMemoryBound(to: LogHeader.self))
  }

  private static func setting(_ pragma: String, of connection: OpaquePointer) -> String? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(connection, "PRAGMA \(pragma)", -1, &statement, nil) == SQLITE_OK,
      let statement, sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    return textColumn(statement, 0)
  }
}

/// The 48 bytes in a log's index that identify the last commit; every commit changes them.
struct LogHeader: Equatable {
  private let version: UInt64
  private let commitAndFlags: UInt64
  private let frames: UInt64
  private let checksum: UInt64
  private let salt: UInt64
  private let headerChecksum: UInt64
}
