// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataStore

/// One connection that writes, and several connections that read concurrently with it.
///
/// A database in memory has a single connection for reads and writes. A query generation has a single
/// connection, which only reads. A read of a file in write-ahead mode waits for a save only if no further
/// connection can be opened. Look-ups have their own connections if the maximum number of readers allows it,
/// because scans would replace the pages in the caches of look-ups.
final class ConnectionPool: @unchecked Sendable {
  // Unchecked: `condition` guards the readers and their state, and `writing` guards the writer.
  private let options: SQLiteStoreOptions
  private let condition = NSCondition()
  private let writing = NSLock()
  @exclusivity(unchecked) private var writer: Connection?
  /// The identifier of the thread that is writing; 0 if no thread is writing.
  private let writingThread = Atomic<UInt>(0)
  @exclusivity(unchecked) private var idleScanners: [Connection] = []
  @exclusivity(unchecked) private var idleLookers: [Connection] = []
  @exclusivity(unchecked) private var open = 0
  @exclusivity(unchecked) private var isClosed = false
  /// A counter that `endMoments()` increments; a moment that began in an earlier epoch must end.
  @exclusivity(unchecked) private var epoch = 0
  /// Whether a moment was kept after the last call of `endMoments()`.
  @exclusivity(unchecked) private var hasMoments = false
  private let isShared: Bool
  /// Creates the migration check for each further connection to the file; nil if the file's model is not
  /// checked.
  private let makeCheck: (@Sendable (Connection) throws -> any MigrationCheck)?

  init(
    _ options: SQLiteStoreOptions,
    writer: Connection,
    makeCheck: (@Sendable (Connection) throws -> any MigrationCheck)?
  ) {
    self.options = options
    self.writer = writer
    self.makeCheck = makeCheck
    isShared = options.isInMemory
  }

  /// Creates the pool of a query generation, which consists of `connection` and only reads.
  init(_ options: SQLiteStoreOptions, pinned connection: Connection) {
    self.options = options
    writer = connection
    makeCheck = nil
    isShared = true
  }

  /// Runs `body` on the write connection.
  ///
  /// - Throws: `StoreError.closed`; `.invalidRequest` inside another write on this thread; errors of `body`.
  func write<T>(_ body: (Connection) throws -> T) throws -> T {
    if isWriting {
      throw StoreError(
        .invalidRequest,
        "a write began inside another write to the same store on this thread, for example in the handler of "
          + "a batch insert; write after the outer request has ended",
        path: options.path
      )
    }
    endMoments()
    writing.lock()
    writingThread.store(Self.thisThread, ordering: .relaxed)
    defer {
      writingThread.store(0, ordering: .relaxed)
      writing.unlock()
    }
    guard let writer else { throw closed }
    return try body(writer)
  }

  /// Returns the migration check for a connection to the file; nil if the file's model is not checked.
  func migrationCheck(_ connection: Connection) throws -> (any MigrationCheck)? {
    try makeCheck?(connection)
  }

  private static var thisThread: UInt { UInt(bitPattern: ObjectIdentifier(Thread.current)) }

  private var isWriting: Bool { writingThread.load(ordering: .relaxed) == Self.thisThread }

  /// Runs `body` on the write connection, and then prevents further writes.
  ///
  /// If `body` throws an error, further writes remain possible.
  /// - Throws: as `write(_:)`.
  func writeLast<T>(_ body: (Connection) throws -> T) throws -> T {
    try write { connection in
      let result = try body(connection)
      writer = nil
      return result
    }
  }

  /// Runs `body` on the write connection while no write is in progress; `body` must only read.
  ///
  /// Calling this method inside a write on the same thread deadlocks.
  ///
  /// - Throws: `StoreError.closed`; errors of `body`.
  func inspect<T>(_ body: (Connection) throws -> T) throws -> T {
    writing.lock()
    defer { writing.unlock() }
    guard let writer else { throw closed }
    return try body(writer)
  }

  /// Runs `body` with a connection that no other caller uses at the same time.
  ///
  /// A database in memory has only one connection. If this thread is in the middle of a write, for example
  /// because the handler of a batch insert fetches, `body` uses the same connection and sees the changes that
  /// the write has made so far.
  ///
  /// If no further connection can be opened, for example because the process is out of file descriptors,
  /// `body` runs on the write connection while no write is in progress.
  /// - Throws: `StoreError.closed`; `.cannotOpen` if no further connection can be opened inside a write on
  ///   this thread; errors of `body`.
  func read<T>(
    _ purpose: Connection.Purpose = .scan,
    _ body: (Connection) throws -> T
  ) throws -> T {
    if isShared {
      if isWriting, let writer { return try body(writer) }
      return try write(body)
    }
    let connection: Connection
    let epoch: Int
    do {
      (connection, epoch) = try checkOut(purpose)
    } catch let error as StoreError where error.code == .cannotOpen {
      return try readWithWriter(body, insteadOf: error)
    }
    defer { checkIn(connection) }
    if purpose == .scan {
      // If this is a connection for look-ups, it may keep a moment that is older than the newest commit.
      connection.moment.end()
      return try connection.reading(purpose) { try body(connection) }
    }
    connection.moment.enter(epoch: epoch)
    do {
      let result = try connection.reading(purpose) { try body(connection) }
      if connection.moment.leave(epoch: epoch) { recordKeptMoment() }
      return result
    } catch {
      connection.moment.end()
      throw error
    }
  }

  /// Runs `body` on the write connection while no write is in progress; `body` must only read.
  ///
  /// - Throws: `failure` inside a write on this thread, because the read must not see the changes of the
  ///   write; `StoreError.closed`; errors of `body`.
  private func readWithWriter<T>(
    _ body: (Connection) throws -> T,
    insteadOf failure: StoreError
  ) throws -> T {
    if isWriting { throw failure }
    writing.lock()
    writingThread.store(Self.thisThread, ordering: .relaxed)
    defer {
      writingThread.store(0, ordering: .relaxed)
      writing.unlock()
    }
    guard let writer else { throw closed }
    return try writer.reading(.scan) { try body(writer) }
  }

  // MARK: Moments

  private func recordKeptMoment() {
    condition.lock()
    defer { condition.unlock() }
    if hasMoments { return }
    hasMoments = true
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + KeptMoment.limit) {
      [weak self] in self?.endMoments()
    }
  }

  /// Ends the moments of idle readers now, and the moments of busy readers when these readers are done.
  private func endMoments() {
    condition.lock()
    defer { condition.unlock() }
    if !hasMoments { return }
    hasMoments = false
    epoch += 1
    for connection in idleLookers { connection.moment.end() }
  }

  private func checkOut(_ purpose: Connection.Purpose) throws -> (Connection, epoch: Int) {
    condition.lock()
    while !isClosed {
      if let connection = checkOutIdle(purpose) {
        let epoch = epoch
        condition.unlock()
        return (connection, epoch)
      }
      if open < max(1, options.readers) {
        open += 1
        let epoch = epoch
        condition.unlock()
        return (try make(purpose), epoch)
      }
      condition.wait()
    }
    condition.unlock()
    throw closed
  }

  /// Returns an idle connection for `purpose`; nil if no idle connection is suitable.
  ///
  /// If the pool already has the maximum number of readers, a connection for the other purpose is suitable
  /// too.
  private func checkOutIdle(_ purpose: Connection.Purpose) -> Connection? {
    let fitting = purpose == .lookUp ? idleLookers.popLast() : idleScanners.popLast()
    if fitting != nil || open < max(1, options.readers) { return fitting }
    return purpose == .lookUp ? idleScanners.popLast() : idleLookers.popLast()
  }

  private func make(_ purpose: Connection.Purpose) throws -> Connection {
    do {
      let connection = try Connection(options, isReader: true, purpose: purpose)
      try connection.configureReader(options)
      // Opens the files before `body` runs, so that `read` can use the write connection if opening fails. A
      // `body` that has run in part cannot be run again with another connection.
      try connection.openFiles()
      connection.migrationCheck = try migrationCheck(connection)
      return connection
    } catch {
      condition.lock()
      open -= 1
      condition.signal()
      condition.unlock()
      throw error
    }
  }

  private func checkIn(_ connection: Connection) {
    condition.lock()
    if isClosed {
      open -= 1
    } else if connection.purpose == .lookUp {
      if let begun = connection.moment.epoch, begun != epoch { connection.moment.end() }
      idleLookers.append(connection)
    } else {
      idleScanners.append(connection)
    }
    condition.signal()
    condition.unlock()
  }

  /// Closes idle connections now, busy readers at the end of their reads, and the write connection after the
  /// current write.
  func close() {
    condition.lock()
    isClosed = true
    idleScanners = []
    idleLookers = []
    condition.broadcast()
    condition.unlock()
    writing.lock()
    writer = nil
    writing.unlock()
  }

  private var closed: StoreError { .closed(path: options.path) }
}

extension StoreError {
  /// Returns the error for a request to a store that is closed, or that is being destroyed or replaced.
  static func closed(path: String) -> StoreError {
    StoreError(
      .closed,
      "the store is closed or being removed; add it to a coordinator again",
      path: path
    )
  }
}
