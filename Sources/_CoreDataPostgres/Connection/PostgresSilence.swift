// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres
import Foundation
import Synchronization
import _CoreDataStore

/// The time for which a connection waits and its server sends nothing.
///
/// A statement may take any time, so a limit of the time alone would end statements that the server works on. After
/// the limit, another connection asks the server; the wait goes on if the server works on the statement.
struct PostgresSilence {
  /// The time after which the server is asked.
  let limit: Duration
  /// The time after which the server should have cancelled the statement; nil if it has no time limit.
  private let statementLimit: Duration?
  /// Whether the server is asked, and not treated as one that hangs.
  private let asks: Bool
  private var start: ContinuousClock.Instant?
  private var answered: ContinuousClock.Instant?
  private var question: (PostgresQuestion, since: ContinuousClock.Instant)?
  /// Why the connection was given up; nil as long as it is used.
  var end: String?

  /// The greatest time for which an answer is awaited.
  private static let questionLimit = Duration.seconds(10)

  init(_ settings: PostgresSettings) {
    limit = .milliseconds(max(1_000, settings.patience))
    statementLimit =
      settings.statementTimeout > 0 ? .milliseconds(settings.statementTimeout) + limit : nil
    asks = settings.place == nil
  }

  /// The milliseconds of one wait for the socket.
  var tick: Int32 { question == nil ? 250 : 10 }

  /// The seconds of the wait until now.
  var seconds: Int64 { start.map { ContinuousClock.now - $0 }?.components.seconds ?? 0 }

  /// Begins to measure, because something was sent or received.
  mutating func begin() {
    if start == nil { return }
    start = nil
    answered = nil
    question = nil
  }

  /// Returns why the wait is to end; nil if it goes on.
  ///
  /// `ask` asks the server.
  mutating func reasonToEnd(_ ask: () -> PostgresQuestion) -> String? {
    let now = ContinuousClock.now
    guard let start else {
      start = now
      return nil
    }
    let time = now - start
    if let statementLimit, time > statementLimit {
      return "has not ended a statement whose time (PostgreSQLStatementTimeoutOption) is over"
    }
    guard let (question, since) = question else {
      if now - (answered ?? start) < limit { return nil }
      if !asks { return "does not answer" }
      question = (ask(), now)
      return nil
    }
    switch question.answer {
    case nil where now - since < min(limit, Self.questionLimit): return nil
    case nil: return "does not answer another connection (NSPersistentStoreTimeoutOption)"
    case .works:
      answered = now
      self.question = nil
      return nil
    case .hangs(let reason): return "\(reason) (NSPersistentStoreTimeoutOption)"
    }
  }
}

/// The question whether a process of a server works on a statement, on a connection and a thread of its own.
final class PostgresQuestion: Sendable {
  enum Answer: Sendable, Hashable {
    /// The process works, or this cannot be told: a server of another kind, or another server behind one name.
    case works
    case hangs(String)
  }
  private let state = Mutex<Answer?>(nil)

  /// The answer; nil until it is there.
  var answer: Answer? { state.withLock { $0 } }

  /// Asks the server at `place`, which are keywords and values of libpq.
  init(
    about process: Int32,
    at address: PostgresAddress,
    _ place: [(keyword: String, value: String)]
  ) {
    // The thread keeps this object until the answer is there.
    Thread.detachNewThread {
      let answer = Self.ask(process, address, place)
      self.state.withLock { $0 = answer }
    }
  }

  private static let statement =
    "SELECT coalesce(state, ''), coalesce(wait_event, '') FROM pg_stat_activity "
    + "WHERE pid = $1 AND datname = current_database() AND usename = current_user"

  private static func ask(
    _ process: Int32,
    _ address: PostgresAddress,
    _ place: [(keyword: String, value: String)]
  ) -> Answer {
    var settings = PostgresSettings()
    settings.place = place
    settings.patience = 10_000
    settings.statementTimeout = 10_000
    settings.isReadOnly = true
    do {
      let connection = try PostgresConnection(address, settings: settings)
      let rows = try connection.run(statement, PostgresFields([.integer(Int64(process))]))
      if rows.rowCount == 0 { return .works }
      let (state, event) = (rows.text(0, 0) ?? "", rows.text(0, 1) ?? "")
      if event == "SyncRep" {
        return .hangs("no standby server of its synchronous_standby_names confirms the commit")
      }
      return state.hasPrefix("idle")
        ? .hangs("its process \(process) does not work on the statement (\(state))") : .works
    } catch let error as StoreError {
      // A server that refuses the connection is one that answers.
      return error.isLossOfServer ? .hangs("another connection fails: \(error.message)") : .works
    } catch {
      return .works
    }
  }
}
#endif
