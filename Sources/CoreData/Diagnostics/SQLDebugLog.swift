// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite

/// Key of a store option: a `SQLDebugLog` that is told of the store's statements.
///
/// Not in Apple's framework.
public let SQLDebugLogOption = "CoreDataSQLDebugLogOption"

/// How much an SQLite store tells of its statements, and to whom.
///
/// Not in Apple's framework.
///
/// ```swift
/// let log = SQLDebugLog(level: 2) { line in myLogger.debug("\(line)") }
/// description.setOption(log, forKey: SQLDebugLogOption)
/// ```
/// A program that is started with `-com.apple.CoreData.SQLDebug 2`, or with `COREDATA_SQL_DEBUG=2` in
/// its environment, tells the standard error of all its SQLite stores; the option goes before. Without
/// either nothing is hooked into the engine, and nothing is paid.
///
/// Level 1 writes each statement's text, rows and time, and what a whole fetch took; 2 also the bound
/// values, which are the application's data; 3 also the query plans; 4 also long values in full and the
/// engine's counters. Source: documented for the launch argument; the option and what each level adds
/// are chosen.
public final class SQLDebugLog: NSObject, Sendable {
  /// 1…4; 0 writes nothing.
  public let level: Int
  private let sink: @Sendable (String) -> Void

  /// A log of that level; `sink` is called with one line at a time, on the thread that runs the
  /// statement, and must not use the store.
  public init(level: Int, sink: @escaping @Sendable (String) -> Void) {
    self.level = min(max(level, 0), 4)
    self.sink = sink
  }

  /// The log that the launch asks for; nil where it asks for none.
  static let launched: SQLDebugLog? = {
    let level = DebugLevel.of("com.apple.CoreData.SQLDebug", "COREDATA_SQL_DEBUG")
    if level == 0 { return nil }
    return SQLDebugLog(level: level) { line in
      FileHandle.standardError.write(Data((line + "\n").utf8))
    }
  }()

  var log: StatementLog? { level == 0 ? nil : StatementLog(level: level, write: sink) }
}
