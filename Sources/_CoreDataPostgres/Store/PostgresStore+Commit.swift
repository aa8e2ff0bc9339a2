// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataSQL
import _CoreDataStore

extension PostgresStore {
  /// Commits; if the connection is lost meanwhile, or the server does not answer for as long as the options
  /// allow, finds out whether the transaction is committed.
  ///
  /// - Throws: `StoreError`; after that of a lost connection nothing is committed if `attempt` can be repeated.
  func commit(
    _ connection: PostgresConnection,
    _ mark: PostgresMark,
    _ attempt: inout PostgresSaveAttempt
  ) throws {
    let progress = attempt.progress
    _ = connection.takeWarning()
    do {
      attempt.progress = .committing
      let result = try connection.execute(
        standbys == nil ? "COMMIT" : "COMMIT; \(PostgresHorizon.position)",
        until: Date(timeIntervalSinceNow: Double(options.patience) / 1_000)
      )
      standbys?.horizon.raise(to: PostgresHorizon.text(result))
    } catch let error as StoreError where error.isLossOfServer {
      try requireCommitted(mark, error) { attempt.progress = progress }
      return
    } catch {
      attempt.progress = progress
      throw error
    }
    // A server that stops waiting for its standby servers reports success, with a warning.
    if connection.takeWarning() {
      let error = connection.lostConnection(nil, "a standby server has not confirmed the commit")
      try requireCommitted(mark, error) { attempt.progress = progress }
    }
  }

  /// Returns if the transaction is committed, and will be on the standby servers that have to confirm it.
  ///
  /// - Throws: `lost` if the transaction is not committed and never will be, after a call of `absent`; an error
  ///   that names the transaction if no server tells in time what became of it.
  private func requireCommitted(
    _ mark: PostgresMark,
    _ lost: StoreError,
    _ absent: () -> Void
  ) throws {
    let end = Date(timeIntervalSinceNow: Double(options.patience) / 1_000)
    while true {
      do {
        if try isCommitted(mark, until: end) { return }
        absent()
        throw lost
      } catch let error as PostgresUnanswered {
        if Date() >= end { throw unknown(mark, lost, error.reason) }
      }
      try pool.pause(0.05)
    }
  }

  private struct PostgresUnanswered: Error {
    let reason: String
  }

  /// Asks the server whether it has committed a transaction.
  private func isCommitted(_ mark: PostgresMark, until end: Date) throws -> Bool {
    var settings = options.settings
    settings.statementTimeout = 0
    do {
      // Not by the pool: the connection of this save is still in use.
      let connection = try PostgresConnection(options.address, settings: settings)
      let answer = try connection.run(
        PostgresMarks.ask,
        PostgresFields([.converted(mark.session, .uuid)]),
        whileWaiting: {
          if Date() >= end {
            throw PostgresUnanswered(reason: "the transaction is still in progress")
          }
          self.endIdle(connection)
        }
      )
      if connection.takeWarning() {
        throw PostgresUnanswered(reason: "a standby server has not confirmed the commit")
      }
      try standbys?.see(connection)
      return answer.integer(0, 0) == mark.number
    } catch let error as StoreError {
      throw PostgresUnanswered(reason: error.message)
    }
  }

  /// Ends the transaction for which a connection waits, if the transaction waits for a client, which is gone.
  private func endIdle(_ waiting: PostgresConnection) {
    // Without this, the answer comes when the server notices the loss of the other connection.
    _ = try? PostgresConnection(options.address, settings: options.settings)
      .run(PostgresMarks.endIdle, PostgresFields([.integer(Int64(waiting.process))]))
  }

  /// Returns the error of a commit of which it is not known whether it took place.
  private func unknown(
    _ mark: PostgresMark,
    _ lost: StoreError,
    _ obstacle: String
  ) -> StoreError {
    var error = lost
    error.message =
      "the connection to the PostgreSQL server was lost during the commit of a transaction, and it is not known "
      + "whether the transaction is committed: \(obstacle). It is if \(PostgresMarks.table) has a row with "
      + "z_session = '\(mark.session)' and z_number = \(mark.number); ask before saving again"
    return error
  }
}
#endif
