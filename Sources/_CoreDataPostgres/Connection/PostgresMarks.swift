// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataSQL

/// The mark that a transaction leaves in the store: the connection that wrote it, and its number there.
struct PostgresMark: Sendable, Hashable {
  let session: String
  let number: Int64
}

/// Numbers the transactions of one connection.
///
/// Each transaction writes its number into the connection's row of `z_commits`. A server that has the row with
/// the number has committed the transaction. This holds after a failover, too, where the identifier of a
/// transaction that was lost belongs to another one.
struct PostgresMarks {
  private let session = UUID().uuidString
  private var last: Int64 = 0

  mutating func next() -> PostgresMark {
    last += 1
    return PostgresMark(session: session, number: last)
  }

  /// The name of the table, with a row for each connection that has written.
  static let table = "z_commits"
  static let create =
    "CREATE TABLE IF NOT EXISTS z_commits (z_session uuid PRIMARY KEY, z_number bigint NOT NULL, "
    + "z_time timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 50)"

  /// The statement by which a transaction leaves its mark.
  static let write =
    "INSERT INTO z_commits (z_session, z_number) VALUES ($1, $2) ON CONFLICT (z_session) "
    + "DO UPDATE SET z_number = excluded.z_number, z_time = excluded.z_time"

  /// The statement that returns the number of a connection's last committed transaction.
  ///
  /// It waits for the end of a transaction that has left its mark. It writes, so that its commit follows that
  /// transaction's: where commits wait for standby servers, both are there when the answer comes.
  static let ask =
    "INSERT INTO z_commits (z_session, z_number) VALUES ($1, 0) ON CONFLICT (z_session) "
    + "DO UPDATE SET z_time = excluded.z_time RETURNING z_number"

  /// The statement that ends the transactions for which the process $1 waits, and which wait for clients.
  ///
  /// A transaction that waits for a standby server is not ended: it would become visible without it.
  static let endIdle =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    + "WHERE pid = ANY(pg_blocking_pids($1::integer)) AND state LIKE 'idle in transaction%'"

  /// The statement that removes the rows of connections that ended long ago.
  static let prune =
    "DELETE FROM z_commits WHERE z_session IN (SELECT z_session FROM z_commits "
    + "WHERE z_time < now() - interval '7 days' FOR UPDATE SKIP LOCKED)"
}

extension PostgresMark {
  var values: PostgresFields {
    PostgresFields([.converted(session, .uuid), .integer(number)])
  }
}
#endif
