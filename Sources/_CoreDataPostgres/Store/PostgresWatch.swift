// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres
import Foundation
import Synchronization
import _CoreDataStore

extension PostgresStore {
  /// Calls `changed` after commits of other stores, processes and programs, as the server notifies them.
  ///
  /// One call may report several commits. After the connection was lost and made again, `changed` is called,
  /// because notifications may have been missed.
  /// - Complexity: one connection and one thread, which wait.
  package func watch(_ changed: @escaping @Sendable () -> Void) -> (any StoreWatch)? {
    PostgresWatch(self, changed)
  }

  /// The statement that notifies the other stores at the commit; the parameter is the name of this store.
  static let notify =
    "SELECT pg_notify('z_' || (SELECT oid FROM pg_namespace WHERE nspname = current_schema()), $1)"

  /// The channel on which the writers of a schema notify each other.
  ///
  /// The name is the schema's identifier in the database, so that it is short and the same for all.
  static let channel =
    "SELECT 'z_' || (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
}

/// Waits for notifications on a connection of its own.
private final class PostgresWatch: StoreWatch {
  private let options: PostgresStoreOptions
  private let writer: String
  private let standbys: PostgresStandbys?
  private let changed: @Sendable () -> Void
  private let isCancelled = Atomic(false)
  /// The ends of a pipe, which ends the waiting.
  private let pipe: (read: Int32, write: Int32)

  /// Returns nil if the process has no file descriptors left.
  init?(_ store: PostgresStore, _ changed: @escaping @Sendable () -> Void) {
    var ends: [Int32] = [0, 0]
    if Foundation.pipe(&ends) != 0 { return nil }
    pipe = (ends[0], ends[1])
    options = store.options
    writer = store.writer
    standbys = store.standbys
    self.changed = changed
    // The thread keeps this object until the watch is cancelled.
    Thread.detachNewThread { self.run() }
  }

  func cancel() {
    if isCancelled.exchange(true, ordering: .relaxed) { return }
    _ = write(pipe.write, [1], 1)
  }

  private func run() {
    var connection: PostgresConnection?
    var pause: Int32 = 10
    var isFirst = true
    while !isCancelled.load(ordering: .relaxed) {
      do {
        if connection == nil {
          connection = try listen()
          // Commits before the first connection were never promised.
          if !isFirst, let connection { try report(connection) }
          isFirst = false
          pause = 10
        }
        if let connection { try wait(connection) }
      } catch {
        // The server cannot be reached: it is tried again, with growing pauses.
        connection = nil
        isFirst = false
        waitForCancellation(pause)
        pause = min(1_000, pause * 2)
      }
    }
    close(pipe.read)
    close(pipe.write)
  }

  private func listen() throws -> PostgresConnection {
    let connection = try PostgresConnection(options.address, settings: options.settings)
    guard let channel = try connection.run(PostgresStore.channel).text(0, 0) else {
      throw StoreError(
        .closed,
        "the schema of the store is gone",
        path: options.address.description
      )
    }
    try connection.execute("LISTEN \(PostgresName.quoted(channel))")
    return connection
  }

  private func waitForCancellation(_ milliseconds: Int32) {
    var event = pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0)
    _ = poll(&event, 1, milliseconds)
  }

  /// Reports the notifications that were received, and waits for more, or for the end of the watch.
  private func wait(_ connection: PostgresConnection) throws {
    // A report reads from the connection, so it may receive further notifications.
    while takeNotifications(connection) { try report(connection) }
    var events = [
      pollfd(fd: PQsocket(connection.handle), events: Int16(POLLIN), revents: 0),
      pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0),
    ]
    if poll(&events, 2, -1) < 0, errno != EINTR { throw connection.lostConnection() }
    if isCancelled.load(ordering: .relaxed) { return }
    if PQconsumeInput(connection.handle) == 0 || !connection.isOpen {
      throw connection.lostConnection()
    }
  }

  /// Returns whether notifications of other writers were received since the last call.
  private func takeNotifications(_ connection: PostgresConnection) -> Bool {
    var isNew = false
    while let notification = PQnotifies(connection.handle) {
      if String(cString: notification.pointee.extra) != writer { isNew = true }
      PQfreemem(notification)
    }
    return isNew
  }

  /// Reports commits that the server has, and that later reads see.
  private func report(_ connection: PostgresConnection) throws {
    try standbys?.see(connection)
    changed()
  }
}
#endif
