// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import Synchronization
import _CoreDataStore

/// Reads of a store through standby servers.
///
/// A standby server is behind the primary one. It answers a read only if it has all that the store has written,
/// and all that the store has seen before; otherwise the primary server answers.
final class PostgresStandbys: Sendable {
  let horizon = PostgresHorizon()
  private let primary: PostgresPool
  private let pool: PostgresPool
  private struct Source {
    var server: String?
    var losses = 0
  }
  /// The server that answers reads, because another one may be behind it.
  private let source = Mutex(Source())
  private let answered = Atomic(0)

  /// The seconds for which a read waits until a standby server has caught up.
  static let patience = 0.2

  init(_ options: PostgresStoreOptions, primary: PostgresPool) {
    self.primary = primary
    var settings = options.settings
    settings.isReadOnly = true
    settings.servers = "prefer-standby"
    pool = PostgresPool(options, settings)
  }

  var traffic: PostgresTraffic { pool.traffic }
  /// The number of reads that a standby server has answered.
  var reads: Int { answered.load(ordering: .relaxed) }

  func close() { pool.close() }

  /// Runs `body`, which only reads, on a standby server that has enough, or on the primary server.
  ///
  /// - Throws: as `PostgresPool.read(_:_:)`.
  func read<T>(_ control: FetchControl?, _ body: (PostgresConnection) throws -> T) throws -> T {
    do {
      let result: T? = try pool.use { connection in
        if try !isCurrent(connection) || !hasCaughtUp(connection, control) { return nil }
        return try body(connection)
      }
      if let result {
        answered.add(1, ordering: .relaxed)
        return result
      }
    } catch let error as StoreError where Self.isOfStandby(error) {}
    return try primary.read(control) { connection in
      let result = try body(connection)
      try see(connection)
      return result
    }
  }

  /// Makes later reads see what a connection to the primary server can see now.
  func see(_ connection: PostgresConnection) throws {
    let result = try connection.execute(PostgresHorizon.position, until: .distantFuture)
    horizon.raise(to: PostgresHorizon.text(result))
  }

  /// Makes later reads see what is committed now.
  func seePresent() throws { try primary.read { try see($0) } }

  /// Whether an error may not come from the primary server: a lost connection, or a conflict of a read with the
  /// rows that a standby server receives.
  private static func isOfStandby(_ error: StoreError) -> Bool {
    error.isLossOfServer || error.code == .busy || error.serverCode == "40001"
      || error.serverCode == "40P01"
  }

  /// Returns whether the connection is one to the server that answers reads.
  ///
  /// The first connection to another server, or to one that was started again, makes it the one that answers,
  /// after it has caught up with all that the earlier one can have shown.
  private func isCurrent(_ connection: PostgresConnection) throws -> Bool {
    let isNew = connection.seen == 0
    let new = Source(server: connection.server, losses: pool.losses)
    let known = source.withLock { source in
      if source.server == nil { source = new }
      return source
    }
    if known.server == new.server, !isNew || known.losses == new.losses { return true }
    if !isNew {
      connection.giveUp()
      return false
    }
    try seePresent()
    source.withLock { $0 = new }
    return true
  }

  private func hasCaughtUp(
    _ connection: PostgresConnection,
    _ control: FetchControl?
  ) throws -> Bool {
    let needed = horizon.value
    let end = Date(timeIntervalSinceNow: Self.patience)
    var pause = 0.001
    while connection.seen < needed || connection.seen == 0 {
      connection.seen = try connection.run(PostgresHorizon.shown).integer(0, 0)
      if connection.seen >= needed { break }
      if Date() >= end { return false }
      try control?.check()
      try pool.pause(pause)
      pause = min(0.02, pause * 2)
    }
    return true
  }
}
#endif
