// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres
import Foundation
import _CoreDataSQL
import _CoreDataStore

/// One connection to a PostgreSQL server.
///
/// Used by one thread at a time. Parameters and results have PostgreSQL's binary forms. The path of searches
/// is the address's schema, so statements name tables without it.
package final class PostgresConnection {
  package let address: PostgresAddress
  let handle: OpaquePointer
  let prepared = PreparedStatements()
  /// The number of round trips to the server and of statements, which tests read.
  package internal(set) var traffic = PostgresTraffic()
  /// The transactions of this connection, by which the server is asked for one whose answer is lost.
  var marks = PostgresMarks()
  /// The position in the write-ahead log up to which this connection is known to see commits.
  var seen: Int64 = 0
  /// How long the server has sent nothing.
  var silence: PostgresSilence
  private let notices: PostgresNotices

  /// The oldest server that this library supports, as libpq states versions.
  static let oldestServer: Int32 = 130_000

  /// Connects to the server.
  ///
  /// - Throws: `StoreError.cannotOpen` if the server cannot be reached, refuses the user or the password, lacks
  ///   the database, is too old or has another encoding than UTF-8; `.busy` if it accepts no further
  ///   connections.
  package init(_ address: PostgresAddress, settings: PostgresSettings = PostgresSettings()) throws {
    self.address = address
    let notices = PostgresNotices()
    self.notices = notices
    silence = PostgresSilence(settings)
    handle = try Self.connect(address, settings, notices)
    // If one of these throws, `deinit` closes the connection.
    try check()
    try execute(settings.statement(schema: address.schema))
  }

  deinit { PQfinish(handle) }

  private static func connect(
    _ address: PostgresAddress,
    _ settings: PostgresSettings,
    _ notices: PostgresNotices
  ) throws -> OpaquePointer {
    let parameters = address.parameters(for: settings)
    let texts = parameters.flatMap { [strdup($0.keyword), strdup($0.value)] }
    defer { for text in texts { free(text) } }
    var keywords = stride(from: 0, to: texts.count, by: 2).map { UnsafePointer<CChar>(texts[$0]) }
    var values = stride(from: 1, to: texts.count, by: 2).map { UnsafePointer<CChar>(texts[$0]) }
    keywords.append(nil)
    values.append(nil)
    guard let handle = PQconnectdbParams(keywords, values, 0) else {
      throw StoreError(.cannotOpen, "no memory is left for a connection", path: address.description)
    }
    notices.receive(from: handle)
    // No call of libpq may wait for a server that does not read.
    if PQstatus(handle) == CONNECTION_OK, PQsetnonblocking(handle, 1) == 0 { return handle }
    let message = PostgresFailure.oneLine(String(cString: PQerrorMessage(handle)))
    PQfinish(handle)
    throw refusal(PostgresAddress.withoutPassword(message), address)
  }

  /// Returns the error for a connection that could not be made.
  ///
  /// libpq has no SQLSTATE for it, so the text of the message decides about the advice.
  private static func refusal(_ message: String, _ address: PostgresAddress) -> StoreError {
    let refuses = "the PostgreSQL server refuses the connection"
    let (code, what, advice): (StoreError.Code, String, String) =
      if message.contains("password authentication failed")
        || message.contains("no password supplied")
      {
        (
          .cannotOpen, refuses,
          "Correct the user in the URL, and give the password in the URL, in PGPASSWORD or in the file "
            + ".pgpass"
        )
      } else if message.contains("too many clients") || message.contains("too many connections")
        || message.contains("remaining connection slots")
      {
        (
          .busy, refuses,
          "Close connections, raise max_connections, or lower the store's limit of connections"
        )
      } else if message.contains("does not exist") {
        (.cannotOpen, refuses, "Create the database or the user, or correct the URL")
      } else if message.contains("the database system is") {
        (.busy, PostgresFailure.lossPrefix, "Try again when the server accepts connections")
      } else {
        (
          .cannotOpen, PostgresFailure.unreachablePrefix,
          "Check that the server at \(address.server) runs and accepts connections from here"
        )
      }
    return StoreError(code, "\(what): \(message). \(advice)", path: address.description)
  }

  private func check() throws {
    let version = PQserverVersion(handle)
    if version < Self.oldestServer {
      throw StoreError(
        .cannotOpen,
        "the PostgreSQL server has the version \(version / 10_000), but a store needs version "
          + "\(Self.oldestServer / 10_000) or later; upgrade the server",
        path: address.description
      )
    }
    let encoding = parameter("server_encoding") ?? "unknown"
    if encoding != "UTF8" {
      throw StoreError(
        .cannotOpen,
        "the database has the encoding \(encoding), which cannot hold every text; create a database with "
          + "ENCODING 'UTF8' TEMPLATE template0",
        path: address.description
      )
    }
  }

  /// Returns a setting that the server has reported, such as `server_version`; nil for other settings.
  package func parameter(_ name: String) -> String? {
    PQparameterStatus(handle, name).map { String(cString: $0) }
  }

  /// Whether the connection can still be used.
  package var isOpen: Bool { silence.end == nil && PQstatus(handle) == CONNECTION_OK }

  /// Ends the connection, and every wait for its server; `reason` is part of the errors that follow.
  func giveUp(_ reason: String = "the connection is not used any more") {
    if silence.end == nil { silence.end = reason }
    shutdown(PQsocket(handle), Int32(SHUT_RDWR))
  }

  /// The host and port of the server.
  var server: String {
    [PQhost(handle), PQport(handle)].map { $0.map { String(cString: $0) } ?? "" }
      .joined(separator: ":")
  }

  /// The number of the server's process.
  var process: Int32 { PQbackendPID(handle) }

  /// Whether the server has sent a warning since the last call.
  func takeWarning() -> Bool { notices.takeWarning() }
  /// Whether a transaction is open, including one that an error has aborted.
  package var isInTransaction: Bool {
    let status = PQtransactionStatus(handle)
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR || status == PQTRANS_ACTIVE
  }

  func lostConnection(_ statement: String? = nil, _ reason: String? = nil) -> StoreError {
    let message =
      reason ?? silence.end ?? PostgresFailure.oneLine(String(cString: PQerrorMessage(handle)))
    return PostgresFailure(PostgresAddress.withoutPassword(message))
      .error(path: address.description, statement: statement)
  }
}

/// The number of statements that a connection has sent, and of round trips for them.
package struct PostgresTraffic: Sendable, Hashable {
  package var statements = 0
  package var roundTrips = 0
}

/// The settings of a session.
package struct PostgresSettings: Sendable {
  /// The milliseconds after which the server cancels a statement; 0 for no limit.
  package var statementTimeout = 0
  /// The milliseconds after which the server ends a transaction that waits for its client.
  package var idleTimeout = 60_000
  package var isReadOnly = false
  /// The milliseconds for which the server may send nothing before it is asked whether it still works.
  package var patience = 30_000
  /// The server to which the connection is made, as keywords of libpq, instead of the servers of the URL; the
  /// connection of a question.
  var place: [(keyword: String, value: String)]?
  /// libpq's `target_session_attrs`, which replaces that of the URL; nil for that of the URL.
  package var servers: String?
  /// The name by which a store marks its sessions and its notifications; nil for other sessions.
  package var writer: String?
  package init() {}

  func statement(schema: String) -> String {
    """
    SET search_path = \(PostgresName.quoted(schema)); SET statement_timeout = \(statementTimeout); \
    SET idle_in_transaction_session_timeout = \(idleTimeout); SET standard_conforming_strings = on; \
    SET default_transaction_read_only = \(isReadOnly ? "on" : "off")\
    \(writer.map { "; SET coredata.writer = \(PostgresName.literal($0))" } ?? "")
    """
  }
}
#endif
