// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataStore

extension PostgresStore {
  /// Drops the tables of the store in a schema, and the schema if nothing else is in it; does nothing if the
  /// schema has no store.
  ///
  /// - Throws: `StoreError`; `.busy` if another connection holds a lock on a table for as long as the options
  ///   allow.
  package static func destroy(_ options: PostgresStoreOptions) throws {
    let connection = try PostgresConnection(options.address, settings: options.settings)
    guard try PostgresMetadata(connection: connection).exists() else { return }
    let schema = PostgresName.quoted(options.address.schema)
    try connection.transaction {
      try connection.execute(
        "SET LOCAL lock_timeout = \(options.patience); LOCK TABLE z_metadata IN ACCESS EXCLUSIVE MODE"
      )
      try PostgresSchema.drop(connection)
      let left = try connection.run(
        "SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = n.oid) "
          + "+ (SELECT count(*) FROM pg_proc WHERE pronamespace = n.oid) "
          + "+ (SELECT count(*) FROM pg_type WHERE typnamespace = n.oid) "
          + "FROM pg_namespace AS n WHERE nspname = $1",
        PostgresFields([.text(options.address.schema)])
      )
      if options.address.schema != "public", left.rowCount == 1, left.integer(0, 0) == 0 {
        try connection.execute("DROP SCHEMA \(schema)")
      }
    }
  }
}
#endif
