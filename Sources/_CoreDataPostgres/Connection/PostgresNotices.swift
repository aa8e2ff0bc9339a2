// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres

/// Receives the notices and warnings of a connection, which would otherwise appear on the standard error.
final class PostgresNotices {
  private var hasWarning = false

  /// Receives from a connection that lives no longer than this object.
  func receive(from handle: OpaquePointer) {
    PQsetNoticeReceiver(
      handle,
      { notices, result in
        guard let notices, let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V")))
        else { return }
        if String(cString: severity) == "WARNING" {
          // The connection has this object.
          Unmanaged<PostgresNotices>.fromOpaque(notices).takeUnretainedValue().hasWarning = true
        }
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Whether there was a warning since the last call.
  func takeWarning() -> Bool {
    defer { hasWarning = false }
    return hasWarning
  }
}
#endif
