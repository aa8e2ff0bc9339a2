// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite

/// The read transaction that a reader keeps from one look-up to the next while nobody commits.
///
/// A transaction of its own costs each look-up two locks and a question for the file's size, a third
/// of its time. Whether somebody has committed stands in the header of the log's index, shared memory
/// that every process maps. Source: docs/decisions/0008-kept-moments.md; SQLite, “WAL-mode File Format”.
struct KeptMoment {
  /// Look-ups without a commit between them before a moment is kept.
  static let burst = 16
  /// Seconds after which a moment ends, however much it is used, so that other processes can start
  /// their logs anew.
  static let limit = 0.1

  private enum Index {
    case unknown
    /// The file is not in write-ahead mode, or what happens is watched by a log of statements.
    case none
    case mapped(UnsafePointer<LogHeader>)
  }
  private let connection: OpaquePointer
  private var index: Index
  private var last: LogHeader?
  private var streak = 0
  private var isOpening = false
  /// The pool's count of endings when the moment began; nil while none is kept.
  private(set) var epoch: Int?

  init(_ connection: OpaquePointer, isAllowed: Bool) {
    self.connection = connection
    index = isAllowed ? .unknown : .none
  }

  /// Before a look-up: goes on with the moment where it is still the newest.
  mutating func enter(epoch current: Int) {
    if let epoch {
      if epoch == current, let header, header == last { return }
      end()
    }
    streak += 1
    guard streak >= Self.burst, let header else { return }
    if header != last {
      last = header
      streak = 1
      return
    }
    isOpening = sqlite3_exec(connection, "BEGIN", nil, nil, nil) == SQLITE_OK
  }

  /// After a look-up.
  ///
  /// - Returns: whether a moment is kept from now on.
  mutating func leave(epoch current: Int) -> Bool {
    if !isOpening { return false }
    isOpening = false
    epoch = current
    // A commit beside the beginning: nobody knows on which side of it the moment is.
    if let header, header == last { return true }
    end()
    return false
  }

  /// Ends the transaction; nothing where none is kept.
  mutating func end() {
    if epoch == nil && !isOpening { return }
    epoch = nil
    isOpening = false
    streak = 0
    if sqlite3_get_autocommit(connection) == 0 { sqlite3_exec(connection, "COMMIT", nil, nil, nil) }
  }

  /// The header as it is now; nil where the connection has none.
  private var header: LogHeader? {
    mutating get {
      if case .unknown = index { index = Self.find(connection).map(Index.mapped) ?? .none }
      if case .mapped(let header) = index { return header.pointee }
      return nil
    }
  }

  /// The connection's own mapping of the index, which lasts as long as the connection: leaving
  /// write-ahead mode takes a lock that no open connection grants.
  private static func find(_ connection: OpaquePointer) -> UnsafePointer<LogHeader>? {
    // A connection that locks the file for itself has an index that nobody else sees.
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
    // The first region has 32 KiB, which the engine itself has mapped with its first read.
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

/// The 48 bytes that name the last commit in a log's index; every commit changes them.
struct LogHeader: Equatable {
  private let version: UInt64
  private let commitAndFlags: UInt64
  private let frames: UInt64
  private let checksum: UInt64
  private let salt: UInt64
  private let headerChecksum: UInt64
}
