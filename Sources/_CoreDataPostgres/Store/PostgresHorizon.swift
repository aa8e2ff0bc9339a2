// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Synchronization
import _CoreDataStore

/// The position in the server's write-ahead log up to which a store has seen and written commits.
///
/// Source: PostgreSQL, “System Administration Functions”, Backup Control Functions.
final class PostgresHorizon: Sendable {
  private let position = Atomic<Int64>(0)

  /// The position on a primary server, which is not before the end of any commit that is visible.
  static let position = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"

  /// The position up to which a server shows commits.
  static let shown =
    "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() "
    + "ELSE pg_current_wal_insert_lsn() END"

  /// Returns the position in a result with texts.
  static func text(_ result: PostgresResult) -> Int64 {
    result.rowCount == 1 ? result.text(0, 0).flatMap(Int64.init) ?? 0 : 0
  }

  var value: Int64 { position.load(ordering: .sequentiallyConsistent) }

  func raise(to new: Int64) { position.max(new, ordering: .sequentiallyConsistent) }
}
#endif
