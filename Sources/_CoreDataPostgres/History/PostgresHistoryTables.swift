// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataStore

/// The tables of the history, and the statements for them.
///
/// `z_history` has one row with the number of the last transaction. A transaction gets its number at its end, and
/// keeps the row locked until its commit, so the numbers are in the order of the commits.
enum PostgresHistoryTables {
  static let names = ["z_history", "z_transactions", "z_changes"]

  /// The columns of each table.
  static let columns: [(table: String, columns: [String])] = [
    ("z_history", ["z_one", "z_last"]),
    (
      "z_transactions",
      ["z_number", "z_time", "z_author", "z_context", "z_bundle", "z_process"]
    ),
    (
      "z_changes",
      ["z_pk", "z_number", "z_kind", "z_ent", "z_row", "z_properties", "z_values"]
    ),
  ]

  static let create = """
    CREATE TABLE IF NOT EXISTS z_transactions (z_number bigint PRIMARY KEY, z_time double precision NOT NULL, \
    z_author text, z_context text, z_bundle text NOT NULL, z_process text NOT NULL); \
    CREATE TABLE IF NOT EXISTS z_changes (z_pk bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, \
    z_number bigint NOT NULL, z_kind smallint NOT NULL, z_ent integer NOT NULL, z_row bigint NOT NULL, \
    z_properties text, z_values bytea); \
    CREATE INDEX IF NOT EXISTS z_changes_z_number ON z_changes (z_number); \
    CREATE TABLE IF NOT EXISTS z_history (z_one boolean PRIMARY KEY DEFAULT TRUE CHECK (z_one), z_last bigint NOT NULL); \
    INSERT INTO z_history (z_last) VALUES (0) ON CONFLICT DO NOTHING
    """

  /// Assigns the next number; the row stays locked until the end of the transaction.
  static let advance = "UPDATE z_history SET z_last = z_last + 1"

  /// Inserts the transaction and returns its number; the parameters are author, context, bundle and process.
  static let insertTransaction = """
    INSERT INTO z_transactions (z_number, z_time, z_author, z_context, z_bundle, z_process) \
    SELECT z_last, extract(epoch FROM clock_timestamp()) - 978307200, $1, $2, $3, $4 FROM z_history \
    RETURNING z_number
    """

  /// Inserts changes; the parameters are arrays of kinds, entity numbers, keys, properties and values.
  static let insertChanges = """
    INSERT INTO z_changes (z_number, z_kind, z_ent, z_row, z_properties, z_values) \
    SELECT (SELECT z_last FROM z_history), c.z_kind, c.z_ent, c.z_row, c.z_properties, c.z_values \
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bytea[]) WITH ORDINALITY \
    AS c (z_kind, z_ent, z_row, z_properties, z_values, z_place) ORDER BY c.z_place
    """

  static let extent = "SELECT (SELECT min(z_number) FROM z_transactions), z_last FROM z_history"

  static let changes =
    "SELECT z_pk, z_kind, z_ent, z_row, z_number, z_properties, z_values FROM z_changes "
    + "WHERE z_number = ANY($1) ORDER BY z_number, z_pk"

  /// Returns the condition for transactions in a range, and its parameter.
  static func condition(_ range: HistoryRange) -> (text: String, values: PostgresFields) {
    switch range {
    case .all: ("TRUE", PostgresFields())
    case .after(let number): ("z_number > $1", PostgresFields([.integer(number)]))
    case .before(let number): ("z_number < $1", PostgresFields([.integer(number)]))
    case .since(let time): ("z_time > $1", PostgresFields([.double(time)]))
    case .until(let time): ("z_time < $1", PostgresFields([.double(time)]))
    }
  }
}
#endif
