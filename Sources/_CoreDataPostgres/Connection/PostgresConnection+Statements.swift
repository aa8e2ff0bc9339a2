// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres
import Foundation
import _CoreDataSQL
import _CoreDataStore

extension PostgresConnection {
  /// Runs a statement of a plan, whose text has `$1`, `$2` … for its values, and returns its rows.
  ///
  /// - Throws: `StoreError`; `.cancelled` if `control` cancels the statement.
  @discardableResult
  package func run(_ statement: Statement, control: FetchControl? = nil) throws -> PostgresResult {
    try run(statement.text, PostgresFields(statement.bindings), control: control)
  }

  /// Runs a prepared statement and returns its rows; prepares it at its first use on this connection.
  ///
  /// - Throws: `StoreError`; `.cancelled` if `control` cancels the statement.
  @discardableResult
  package func run(
    _ text: String,
    _ values: PostgresFields = PostgresFields(),
    control: FetchControl? = nil
  ) throws -> PostgresResult {
    try send(text, values)
    return try result(of: text, control)
  }

  /// Runs a prepared statement, and calls `waiting` from time to time while the server works on it.
  ///
  /// - Throws: `StoreError`; errors of `waiting`, after which the server has cancelled the statement.
  func run(
    _ text: String,
    _ values: PostgresFields,
    whileWaiting waiting: () throws -> Void
  ) throws -> PostgresResult {
    try send(text, values)
    do {
      while try !isReady(text, milliseconds: 250) { try waiting() }
    } catch {
      if isOpen {
        cancel()
        // The error that counts is that of `waiting`.
        _ = try? result(of: text, nil)
      }
      throw error
    }
    return try result(of: text, nil)
  }

  /// Sends a prepared statement, whose results must then be read.
  func send(_ text: String, _ values: PostgresFields) throws {
    let name = try prepare(text, values.types)
    traffic.statements += 1
    traffic.roundTrips += 1
    silence.begin()
    let isSent = values.withParameters { contents, lengths, formats in
      PQsendQueryPrepared(handle, name, Int32(values.count), contents, lengths, formats, 1)
    }
    if isSent == 0 { throw lostConnection(text) }
  }

  /// Waits for results, at most for a time; returns whether they can be read without waiting.
  private func isReady(_ text: String, milliseconds: Int32) throws -> Bool {
    try flush(text)
    if PQisBusy(handle) == 0 { return true }
    guard poll(POLLIN, milliseconds: milliseconds), PQconsumeInput(handle) != 0 else {
      throw lostConnection(text)
    }
    return PQisBusy(handle) == 0
  }

  /// Runs one or more statements without parameters, which are separated by semicolons.
  ///
  /// Outside of a transaction, the statements are one transaction.
  /// - Throws: `StoreError`.
  package func execute(_ text: String) throws {
    try send(text)
    _ = try result(of: text, nil)
  }

  /// Runs statements without parameters, and returns the result of the last of them, whose values are texts.
  ///
  /// - Throws: `StoreError`; that of a lost connection if the results do not come until `end`: the connection
  ///   is not used again, and what became of the statements is not known.
  func execute(_ text: String, until end: Date) throws -> PostgresResult {
    try send(text)
    while try !isReady(text, milliseconds: 100) {
      if Date() < end { continue }
      giveUp("the server has not answered in time")
      throw lostConnection(text)
    }
    return try result(of: text, nil)
  }

  private func send(_ text: String) throws {
    traffic.statements += 1
    traffic.roundTrips += 1
    silence.begin()
    if PQsendQuery(handle, text) == 0 { throw lostConnection(text) }
  }

  /// Runs `body` in a transaction, which is rolled back if `body` throws.
  ///
  /// - Throws: `StoreError`; errors of `body`.
  package func transaction<T>(_ begin: String = "BEGIN", _ body: () throws -> T) throws -> T {
    try execute(begin)
    let result: T
    do {
      result = try body()
    } catch {
      rollBack()
      throw error
    }
    try execute("COMMIT")
    return result
  }

  /// Rolls back the open transaction, if there is one.
  package func rollBack() {
    if !isOpen || !isInTransaction { return }
    // If the rollback fails, the connection is lost, and the server rolls back by itself.
    try? execute("ROLLBACK")
  }

  private func prepare(_ text: String, _ types: [UInt32]) throws -> String {
    let key = PreparedStatements.Key(text: text, types: types)
    if let name = prepared.name(key) { return name }
    if prepared.isFull {
      prepared.forgetAll()
      try execute("DEALLOCATE ALL")
    }
    traffic.roundTrips += 1
    let name = prepared.add(key)
    do {
      if PQsendPrepare(handle, name, text, Int32(types.count), types) == 0 {
        throw lostConnection(text)
      }
      _ = try result(of: text, nil)
    } catch {
      prepared.forget(key)
      throw error
    }
    return name
  }

  /// Waits for the results of what was sent, and returns the last of them.
  ///
  /// All results are read even after an error, because libpq refuses further statements before.
  private func result(of text: String, _ control: FetchControl?) throws -> PostgresResult {
    var last: OpaquePointer?
    var failure: StoreError?
    results: while let result = try nextResult(of: text, control, dropping: last) {
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
        PQclear(last)
        last = result
      default:
        failure = failure ?? error(result, text)
        PQclear(result)
        if !isOpen { break results }
      }
    }
    if let failure {
      PQclear(last)
      if let control { try control.check() }
      throw failure
    }
    guard let last else { throw lostConnection(text) }
    return PostgresResult(last)
  }

  /// Returns the error that a result contains.
  func error(_ result: OpaquePointer, _ text: String) -> StoreError {
    PostgresFailure(result).error(path: address.description, statement: text)
  }
}
#endif
