// SPDX-License-Identifier: Apache-2.0

import CoreDataStore
import Foundation
import Synchronization

/// One connection that writes and several that read beside it.
///
/// A database in memory has one connection for both. Reads of a file never wait for a save.
final class ConnectionPool: @unchecked Sendable {
  // Unchecked: `condition` guards the idle readers and the flags, `writing` the writer.
  private let options: SQLiteStoreOptions
  private let condition = NSCondition()
  private let writing = NSLock()
  private var writer: Connection?
  /// The thread that writes; 0 for none.
  private let writingThread = Atomic<UInt>(0)
  private var idle: [Connection] = []
  private var open = 0
  private var isClosed = false
  private let isShared: Bool

  init(_ options: SQLiteStoreOptions, writer: Connection) {
    self.options = options
    self.writer = writer
    isShared = options.isInMemory
  }

  /// A pool of one connection, which only reads.
  init(_ options: SQLiteStoreOptions, pinned connection: Connection) {
    self.options = options
    writer = connection
    isShared = true
  }

  /// Runs `body` with the connection that writes.
  ///
  /// - Throws: `StoreError.closed`, `.invalidRequest` from inside another write, and what `body`
  ///   throws.
  func write<T>(_ body: (Connection) throws -> T) throws -> T {
    let thread = UInt(bitPattern: ObjectIdentifier(Thread.current))
    if writingThread.load(ordering: .relaxed) == thread {
      throw StoreError(
        .invalidRequest,
        "the store is being written to on this thread: a handler of a batch request cannot save"
      )
    }
    writing.lock()
    writingThread.store(thread, ordering: .relaxed)
    defer {
      writingThread.store(0, ordering: .relaxed)
      writing.unlock()
    }
    guard let writer else { throw Self.closed }
    return try body(writer)
  }

  /// Runs `body` with a connection that nobody else uses meanwhile.
  ///
  /// - Throws: `StoreError.closed`, and what `body` throws.
  func read<T>(_ body: (Connection) throws -> T) throws -> T {
    if isShared { return try write(body) }
    let connection = try checkOut()
    defer { checkIn(connection) }
    return try body(connection)
  }

  private func checkOut() throws -> Connection {
    condition.lock()
    while !isClosed, idle.isEmpty, open >= max(1, options.readers) { condition.wait() }
    if isClosed {
      condition.unlock()
      throw Self.closed
    }
    if let connection = idle.popLast() {
      condition.unlock()
      return connection
    }
    open += 1
    condition.unlock()
    do {
      let connection = try Connection(options, isReader: true)
      try connection.configureReader(options)
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
    if isClosed { open -= 1 } else { idle.append(connection) }
    condition.signal()
    condition.unlock()
  }

  /// Ends the use; readers that are busy close when they are done.
  func close() {
    condition.lock()
    isClosed = true
    idle = []
    condition.broadcast()
    condition.unlock()
    writing.lock()
    writer = nil
    writing.unlock()
  }

  private static let closed = StoreError(.closed, "the store is closed")
}
