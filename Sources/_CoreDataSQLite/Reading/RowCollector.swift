// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataSQL

/// Passes the rows of statements with `RowCollection.function` to their appenders while the engine scans the
/// table.
///
/// The engine calls its aggregate with the values of each row in place. This saves a step for each row and a
/// call for each column, which together are a third of the instructions of a scan. Source: measured,
/// docs/performance.md.
final class RowCollector {
  /// Borrowed from the caller of `step(_:into:)`.
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

  /// Steps a statement whose only column is the aggregate, and returns the engine's result code; the caller
  /// resets the statement.
  ///
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
