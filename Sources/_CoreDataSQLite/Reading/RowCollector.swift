// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataSQL

/// Hands the rows of collecting statements to their intakes while the engine walks over them.
///
/// The engine's aggregate is called with each row's values where they are, which spares a step and a
/// column call each: a third of a scan's instructions. Source: measured, docs/performance.md.
final class RowCollector {
  /// Borrowed from the caller of `run`.
  @exclusivity(unchecked) private var intake: Unmanaged<RowIntake>?
  @exclusivity(unchecked) private var failure: (any Error)?

  /// The connection must not outlive this object.
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

  /// Steps a statement whose one column is the aggregate, and returns the engine's result code; the caller
  /// resets the statement.
  ///
  /// - Throws: what the intake throws.
  func step(_ statement: OpaquePointer, into intake: RowIntake) throws -> Int32 {
    defer {
      self.intake = nil
      failure = nil
    }
    return try withExtendedLifetime(intake) {
      self.intake = Unmanaged.passUnretained(intake)
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
      // Alive: the connection holds it.
      Unmanaged<RowCollector>.fromOpaque(owner)._withUnsafeGuaranteedRef { collector in
        do {
          try collector.intake?._withUnsafeGuaranteedRef { try $0.take(CollectedColumns(values)) }
        } catch {
          collector.failure = error
          sqlite3_result_error_code(context, SQLITE_ABORT)
        }
      }
    }
}
