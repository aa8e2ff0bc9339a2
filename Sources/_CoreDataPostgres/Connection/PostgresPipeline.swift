// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres
import Foundation
import _CoreDataModel
import _CoreDataStore

/// Statements that are sent together, without waiting for the result of one before the next.
///
/// Source: PostgreSQL, “libpq: Pipeline Mode”.
package final class PostgresPipeline {
  typealias Handler = (PostgresResult) throws -> Void

  private struct Entry {
    let text: String
    /// The statement that this entry prepares; nil for an entry that runs a statement.
    let prepares: PreparedStatements.Key?
    /// The objects that the error of this statement names.
    let keys: [ObjectKey]
    let handler: Handler?
  }
  private let connection: PostgresConnection
  private var entries: [Entry] = []

  /// The number of statements after which the results are read, so that the memory stays bounded.
  private static let block = 1_000

  init(_ connection: PostgresConnection) { self.connection = connection }

  /// Sends a statement; `handler` is called with its result, at the latest at the end of the pipeline.
  ///
  /// The error of the statement names the objects `keys`.
  /// - Throws: `StoreError` of an earlier statement of this pipeline; `.busy` if the connection is lost.
  package func send(
    _ text: String,
    _ values: PostgresFields = PostgresFields(),
    failingFor keys: [ObjectKey] = [],
    _ handler: ((PostgresResult) throws -> Void)? = nil
  ) throws {
    if entries.count >= Self.block { try synchronize() }
    let key = PreparedStatements.Key(text: text, types: values.types)
    let name: String
    if let known = connection.prepared.name(key) {
      name = known
    } else {
      name = connection.prepared.add(key)
      entries.append(Entry(text: text, prepares: key, keys: keys, handler: nil))
      let types = values.types
      if PQsendPrepare(connection.handle, name, text, Int32(types.count), types) == 0 {
        throw connection.lostConnection(text)
      }
    }
    entries.append(Entry(text: text, prepares: nil, keys: keys, handler: handler))
    connection.traffic.statements += 1
    let isSent = values.withParameters { contents, lengths, formats in
      PQsendQueryPrepared(
        connection.handle,
        name,
        Int32(values.count),
        contents,
        lengths,
        formats,
        1
      )
    }
    if isSent == 0 { throw connection.lostConnection(text) }
  }

  /// Waits for the results of all statements that were sent.
  ///
  /// - Throws: the error of the first statement that failed; the statements after it were not run. Errors of
  ///   handlers.
  package func synchronize() throws {
    if entries.isEmpty { return }
    let sent = entries
    entries = []
    connection.traffic.roundTrips += 1
    var failure: (any Error)?
    if PQpipelineSync(connection.handle) == 0 { throw connection.lostConnection() }
    for entry in sent {
      do {
        try readResults(of: entry, afterFailure: failure != nil)
      } catch {
        failure = failure ?? error
        if let key = entry.prepares { connection.prepared.forget(key) }
        if !connection.isOpen { throw failure ?? error }
      }
    }
    try readSynchronization()
    if let failure { throw failure }
  }

  private func readResults(of entry: Entry, afterFailure: Bool) throws {
    var failure: (any Error)?
    var isSkipped = false
    while let result = try next() {
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
        let result = PostgresResult(result)
        if afterFailure || failure != nil { continue }
        do { try entry.handler?(result) } catch { failure = error }
      case PGRES_PIPELINE_ABORTED:
        isSkipped = true
        PQclear(result)
      default:
        var error = connection.error(result, entry.text)
        error.keys = entry.keys
        failure = failure ?? error
        PQclear(result)
      }
    }
    if let failure { throw failure }
    if isSkipped, let key = entry.prepares { connection.prepared.forget(key) }
  }

  private func readSynchronization() throws {
    while let result = try next() {
      let status = PQresultStatus(result)
      PQclear(result)
      if status == PGRES_PIPELINE_SYNC { return }
    }
    if !connection.isOpen { throw connection.lostConnection() }
  }

  /// Returns the next result; nil at the end of the results of one statement.
  ///
  /// Sends what is waiting to be sent meanwhile: the server would stop reading if its results were not read.
  private func next() throws -> OpaquePointer? {
    while PQisBusy(connection.handle) != 0 {
      let isWaiting = PQflush(connection.handle)
      if isWaiting < 0 { throw connection.lostConnection() }
      let events = isWaiting > 0 ? POLLIN | POLLOUT : POLLIN
      guard connection.poll(events, milliseconds: -1), PQconsumeInput(connection.handle) != 0 else {
        throw connection.lostConnection()
      }
    }
    return PQgetResult(connection.handle)
  }
}

extension PostgresConnection {
  /// Runs `body`, which sends statements, and waits for all results.
  ///
  /// - Throws: `StoreError` of the first statement that failed; errors of `body` and of its handlers.
  package func pipelined(_ body: (PostgresPipeline) throws -> Void) throws {
    if PQenterPipelineMode(handle) == 0 { throw lostConnection() }
    silence.begin()
    let pipeline = PostgresPipeline(self)
    var failure: (any Error)?
    do { try body(pipeline) } catch { failure = error }
    if isOpen {
      // Statements that were sent before an error of `body` must be read, too.
      do { try pipeline.synchronize() } catch { failure = failure ?? error }
    }
    if isOpen, PQexitPipelineMode(handle) == 0 {
      throw failure ?? lostConnection()
    }
    if let failure { throw failure }
  }
}
#endif
