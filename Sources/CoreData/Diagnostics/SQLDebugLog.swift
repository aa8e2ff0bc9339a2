// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite

/// The key of a store option whose value is an `SQLDebugLog` that receives the store's statements.
///
/// Not in Apple's framework.
public let SQLDebugLogOption = "CoreDataSQLDebugLogOption"

/// Logs the statements of an SQLite store.
///
/// Not in Apple's framework.
///
/// ```swift
/// let log = SQLDebugLog(level: 2) { line in myLogger.debug("\(line)") }
/// description.setOption(log, forKey: SQLDebugLogOption)
/// ```
/// A program started with `-com.apple.CoreData.SQLDebug 2`, or with `COREDATA_SQL_DEBUG=2` in its
/// environment, logs the statements of all its SQLite stores to standard error; the store option takes
/// precedence. Without any of these settings, no hook is installed in SQLite and logging costs nothing.
///
/// Level 1 logs the text, row count and time of each statement, and the time of each fetch. Level 2 adds the
/// bound values, which are the application's data. Level 3 adds the query plans. Level 4 adds long values in
/// full and SQLite's counters.
///
/// Source: documented for the launch argument; the option and the contents of each level are this library's
/// choice.
public final class SQLDebugLog: NSObject, Sendable {
  /// The level of detail, from 0, which logs nothing, to 4, which logs everything.
  public let level: Int
  private let sink: @Sendable (String) -> Void

  /// Creates a log; a level below 0 is treated as 0, and a level above 4 as 4.
  ///
  /// `sink` is called for each line on the thread that runs the statement, so several threads can call `sink`
  /// at once. `sink` must not use the store.
  public init(level: Int, sink: @escaping @Sendable (String) -> Void) {
    self.level = min(max(level, 0), 4)
    self.sink = sink
  }

  /// The log that the launch arguments or the environment enable; nil if neither enables a log.
  static let launched: SQLDebugLog? = {
    let level = DebugLevel.of("com.apple.CoreData.SQLDebug", "COREDATA_SQL_DEBUG")
    if level == 0 { return nil }
    return SQLDebugLog(level: level) { line in
      FileHandle.standardError.write(Data((line + "\n").utf8))
    }
  }()

  var log: StatementLog? { level == 0 ? nil : StatementLog(level: level, write: sink) }
}
