// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres
import _CoreDataSQL
import _CoreDataStore

extension PostgresConnection {
  /// Runs a prepared statement and calls `body` with each row, as the rows arrive.
  ///
  /// The server goes on while `body` runs, and libpq keeps one row, so this is faster than the result of a
  /// statement and needs less memory. One round trip. A row is valid only during the call.
  /// - Throws: `StoreError`; `.cancelled` if `control` cancels the statement; errors of `body`, after which the
  ///   server has cancelled the statement.
  func forEachRow(
    of text: String,
    _ values: PostgresFields = PostgresFields(),
    control: FetchControl? = nil,
    _ body: (PostgresRow) throws -> Void
  ) throws {
    try send(text, values)
    // Fails only if no statement is running.
    PQsetSingleRowMode(handle)
    var failure: (any Error)?
    while true {
      // The statement is cancelled once; the rows that the server has sent before are skipped.
      let isCancelled = try wait(failure == nil ? control : nil, text)
      guard let result = PQgetResult(handle) else { break }
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_SINGLE_TUPLE:
        if failure != nil { continue }
        do {
          if isCancelled { try control?.check() }
          try body(PostgresRow(result: result, row: 0))
        } catch {
          failure = error
          if !isCancelled { cancel() }
        }
      // The end of the rows.
      case PGRES_TUPLES_OK: continue
      default: failure = failure ?? error(result, text)
      }
      if !isOpen { break }
    }
    if let failure {
      try control?.check()
      throw failure
    }
  }
}
#endif
