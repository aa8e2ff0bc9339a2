// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataStore

/// The connections of one store.
///
/// Each request has a connection of its own; at the limit, a request waits for the connection of another.
final class PostgresPool: @unchecked Sendable {
  // Unchecked: the condition guards the variables.
  private let options: PostgresStoreOptions
  private let condition = NSCondition()
  private var idle: [PostgresConnection] = []
  private var count: Int
  private var isClosed = false
  private var earlier = PostgresTraffic()
  private var lost = 0
  private let settings: PostgresSettings

  init(
    _ options: PostgresStoreOptions,
    _ settings: PostgresSettings,
    first: PostgresConnection? = nil
  ) {
    self.options = options
    self.settings = settings
    idle = first.map { [$0] } ?? []
    count = idle.count
  }

  /// The number of connections that were lost.
  var losses: Int { condition.withLock { lost } }

  /// Runs `body`, which only reads, with a connection; tries again if the connection is lost.
  ///
  /// - Throws: `StoreError.closed`; `.busy` if no connection becomes free, or if the server cannot be reached
  ///   for as long as the options allow; errors of `body`.
  func read<T>(_ control: FetchControl? = nil, _ body: (PostgresConnection) throws -> T) throws -> T
  {
    let end = Date(timeIntervalSinceNow: Double(options.patience) / 1_000)
    var pause = 0.01
    while true {
      do {
        return try use(body)
      } catch let error as StoreError where error.isLossOfServer && Date() < end {
        try control?.check()
        try self.pause(min(pause, end.timeIntervalSinceNow))
        pause = min(1, pause * 2)
      }
    }
  }

  /// Runs `body` with a connection that no other thread uses at the same time.
  ///
  /// - Throws: `StoreError.closed`; `.busy` if no connection becomes free; errors of `body`.
  func use<T>(_ body: (PostgresConnection) throws -> T) throws -> T {
    let connection = try checkOut()
    defer { checkIn(connection) }
    return try body(connection)
  }

  /// The statements and round trips of all connections, including those that are closed.
  var traffic: PostgresTraffic {
    condition.withLock {
      idle.reduce(earlier) { $0.adding($1.traffic) }
    }
  }

  /// Waits for a time, or until the store is closed.
  ///
  /// - Throws: `StoreError.closed`.
  func pause(_ seconds: TimeInterval) throws {
    condition.lock()
    defer { condition.unlock() }
    let end = Date(timeIntervalSinceNow: max(0, seconds))
    while !isClosed, condition.wait(until: end) {}
    if isClosed { throw closed }
  }

  private func checkOut() throws -> PostgresConnection {
    condition.lock()
    let end = Date(timeIntervalSinceNow: Double(options.patience) / 1_000)
    while !isClosed {
      if let connection = idle.popLast() {
        condition.unlock()
        return connection
      }
      if count < max(1, options.connections) {
        count += 1
        condition.unlock()
        return try make()
      }
      if !condition.wait(until: end) {
        condition.unlock()
        throw StoreError(
          .busy,
          "all \(options.connections) connections of the store are in use, and none became free within "
            + "\(options.patience) ms; raise the store's limit of connections, or run fewer requests at a time",
          path: options.address.description
        )
      }
    }
    condition.unlock()
    throw closed
  }

  private func make() throws -> PostgresConnection {
    do {
      return try PostgresConnection(options.address, settings: settings)
    } catch {
      condition.withLock {
        count -= 1
        condition.broadcast()
      }
      throw error
    }
  }

  private func checkIn(_ connection: PostgresConnection) {
    connection.rollBack()
    condition.lock()
    if isClosed || !connection.isOpen {
      count -= 1
      earlier = earlier.adding(connection.traffic)
      // The other connections have probably been lost with this one.
      if !connection.isOpen {
        lost += 1
        count -= idle.count
        earlier = idle.reduce(earlier) { $0.adding($1.traffic) }
        idle = []
      }
    } else {
      idle.append(connection)
    }
    // Not `signal()`, because a request that pauses may be woken, and ignores it.
    condition.broadcast()
    condition.unlock()
  }

  /// Closes idle connections now, and the others at the end of their requests.
  func close() {
    condition.withLock {
      isClosed = true
      count -= idle.count
      idle = []
      condition.broadcast()
    }
  }

  var closed: StoreError {
    StoreError(
      .closed,
      "the store is closed or being removed; add it to a coordinator again",
      path: options.address.description
    )
  }
}

extension PostgresTraffic {
  func adding(_ other: PostgresTraffic) -> PostgresTraffic {
    PostgresTraffic(
      statements: statements + other.statements,
      roundTrips: roundTrips + other.roundTrips
    )
  }
}

extension StoreError {
  /// Whether the server cannot be reached, or has ended the connection.
  var isLossOfServer: Bool {
    guard let serverCode else { return isLostConnection }
    return serverCode.hasPrefix("08") || ["57P01", "57P02", "57P03"].contains(serverCode)
  }

  private var isLostConnection: Bool {
    message.hasPrefix(PostgresFailure.lossPrefix)
      || message.hasPrefix(PostgresFailure.unreachablePrefix)
  }
}
#endif
