// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataSQL

/// Passes each row of a statement that calls `RowCollection.function` to a `RowAppender`, while SQLite scans
/// the table.
///
/// SQLite passes the values of a row to the aggregate without copying them. This saves one call of
/// `sqlite3_step` for each row and one column call for each value, which together are a third of the
/// instructions of a scan.
/// Source: measured, docs/performance.md.
final class RowCollector {
  /// The appender of the current statement, borrowed from the caller of `step(_:into:)`.
  @exclusivity(unchecked) private var appender: Unmanaged<RowAppender>?
  @exclusivity(unchecked) private var failure: (any Error)?

  /// Registers the aggregate with a connection, which must not outlive this object.
  func register(on handle: OpaquePointer) {
    sqlite3_create_function_v2(
      handle,
      RowCollection.function,
      -1,
      SQLITE_UTF8 | SQLITE_DIRECTONLY,
      Unmanaged.passUnretained(self).toOpaque(),
      nil,
      Self.step,
      { context in sqlite3_result_null(context) },
      nil
    )
  }

  /// Steps a statement whose only column is a call of the aggregate, and returns SQLite's result code.
  ///
  /// The caller resets the statement.
  /// - Throws: errors of the appender.
  func step(_ statement: OpaquePointer, into appender: RowAppender) throws -> Int32 {
    defer {
      self.appender = nil
      failure = nil
    }
    return try withExtendedLifetime(appender) {
      self.appender = Unmanaged.passUnretained(appender)
      let code = sqlite3_step(statement)
      if let failure { throw failure }
      return code
    }
  }

  private static let step:
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
      context,
      _,
      values in
      guard let values, let owner = sqlite3_user_data(context) else { return }
      // The object is alive, because the connection retains it.
      Unmanaged<RowCollector>.fromOpaque(owner)._withUnsafeGuaranteedRef { collector in
        do {
          try collector.appender?._withUnsafeGuaranteedRef {
            try $0.append(CollectedColumns(values))
          }
        } catch {
          collector.failure = error
          sqlite3_result_error_code(context, SQLITE_ABORT)
        }
      }
    }
}
