// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite

/// Logs the statements that the engine runs on one connection.
///
/// A connection without a log has no tracer, so logging costs it nothing. Source: SQLite, “SQL Trace Hook”.
final class StatementTracer: @unchecked Sendable {
  // Unchecked: the tracer belongs to one connection, which one thread uses at a time.
  private struct Run {
    let start: ContinuousClock.Instant
    let changesRows: Bool
    var rows = 0
  }
  private let log: StatementLog
  private var runs: [OpaquePointer: Run] = [:]
  /// Whether events are ignored, because the tracer itself is running a statement.
  private var isSilent = false

  init(_ log: StatementLog) { self.log = log }

  /// Installs the tracer in the connection, which must retain the tracer.
  func install(on handle: OpaquePointer) {
    let mask = SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW
    sqlite3_trace_v2(
      handle,
      UInt32(mask),
      { event, tracer, statement, detail in
        guard let tracer, let statement else { return 0 }
        let owner = Unmanaged<StatementTracer>.fromOpaque(tracer).takeUnretainedValue()
        owner.follow(Int32(bitPattern: event), OpaquePointer(statement), detail)
        return 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  private func follow(
    _ event: Int32,
    _ statement: OpaquePointer,
    _ detail: UnsafeMutableRawPointer?
  ) {
    if isSilent { return }
    switch event {
    case SQLITE_TRACE_STMT:
      begin(statement, detail.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? "")
    case SQLITE_TRACE_ROW: runs[statement]?.rows += 1
    default: end(statement)
    }
  }

  private func begin(_ statement: OpaquePointer, _ text: String) {
    // SQLite reports the start of a trigger as an SQL comment.
    if text.hasPrefix("--") { return log.details("trigger: \(text)") }
    log.sql(text)
    if log.showsValues { writeValues(statement, text) }
    runs[statement] = Run(start: .now, changesRows: Self.changesRows(text))
  }

  private func end(_ statement: OpaquePointer) {
    guard let run = runs.removeValue(forKey: statement) else { return }
    let time = StatementLog.seconds(.now - run.start)
    if sqlite3_column_count(statement) > 0 {
      log.annotation("sql connection fetch time: \(time) for \(run.rows) rows.")
    } else {
      let changed =
        run.changesRows
        ? " for \(sqlite3_changes(sqlite3_db_handle(statement))) changed rows." : ""
      log.annotation("sql execution time: \(time)\(changed)")
    }
    if log.showsCounters { writeCounters(statement) }
  }

  private func writeValues(_ statement: OpaquePointer, _ text: String) {
    guard sqlite3_bind_parameter_count(statement) > 0,
      let expanded = sqlite3_expanded_sql(statement)
    else { return }
    defer { sqlite3_free(expanded) }
    for (index, value) in BoundValues.of(text, expanded: String(cString: expanded)).enumerated() {
      let shown = log.valueLimit.map { value.prefix($0) } ?? value[...]
      let rest = shown.count < value.count ? "… (\(value.utf8.count) bytes)" : ""
      log.details("SQLite bind[\(index)] = \(shown)\(rest)")
    }
  }

  private func writeCounters(_ statement: OpaquePointer) {
    func counter(_ which: Int32) -> Int32 { sqlite3_stmt_status(statement, which, 1) }
    log.details(
      "SQLite steps = \(counter(SQLITE_STMTSTATUS_VM_STEP)), "
        + "rows scanned without an index = \(counter(SQLITE_STMTSTATUS_FULLSCAN_STEP)), "
        + "sorts = \(counter(SQLITE_STMTSTATUS_SORT)), "
        + "automatic index rows = \(counter(SQLITE_STMTSTATUS_AUTOINDEX))"
    )
  }

  /// Runs `body` without writing its statements to the log.
  func silently<T>(_ body: () throws -> T) rethrows -> T {
    let wasSilent = isSilent
    isSilent = true
    defer { isSilent = wasSilent }
    return try body()
  }

  // MARK: Plans

  /// Logs the engine's plan for the statement `text`, if the log shows plans and the statement has a plan.
  func writePlan(of text: String, _ rows: (String, (OpaquePointer) -> Void) throws -> Void) {
    guard log.showsPlans, Self.hasPlan(text) else { return }
    silently {
      // The error is dropped: a statement that cannot be explained fails with the same error when it runs.
      try? rows("EXPLAIN QUERY PLAN " + text) { row in
        textColumn(row, 3).map { log.details("query plan: \($0)") }
      }
    }
  }

  private static func hasPlan(_ text: String) -> Bool {
    text.hasPrefix("SELECT") || text.hasPrefix("WITH") || changesRows(text)
  }

  private static func changesRows(_ text: String) -> Bool {
    ["INSERT", "UPDATE", "DELETE"].contains { text.hasPrefix($0) }
  }

  // MARK: Fetches

  /// Runs `body`, which performs a whole fetch, and logs the number of rows and the duration.
  ///
  /// The duration includes the creation of rows and values. If `log` is nil, the method only runs `body`.
  static func timing<Result>(
    _ log: StatementLog?,
    _ body: () throws -> Result,
    rows: (Result) -> Int
  ) rethrows -> Result {
    guard let log else { return try body() }
    let start = ContinuousClock.now
    let result = try body()
    let time = StatementLog.seconds(.now - start)
    log.annotation("total fetch execution time: \(time) for \(rows(result)) rows.")
    return result
  }
}
