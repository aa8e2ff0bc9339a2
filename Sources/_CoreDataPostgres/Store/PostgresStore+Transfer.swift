// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

extension PostgresStore {
  /// Creates the store in a schema with the objects of another store; replaces the store that the schema has.
  ///
  /// The objects keep their keys. Everything is one transaction, which waits for the requests of others, and
  /// for which they wait. The new store has no history. `identifier` is its UUID.
  /// - Throws: `StoreError.invalidRequest` for a model or a value that a PostgreSQL store cannot hold; `.busy`
  ///   if another connection holds a lock for as long as the options allow; errors of the content. The schema
  ///   is then unchanged.
  /// - Complexity: O(objects); a batch is in memory.
  package static func write(
    _ content: some TransferredContent,
    options: PostgresStoreOptions,
    identifier: String = UUID().uuidString
  ) throws {
    try PostgresReplacement(model: content.model, options: options).run { connection, layout in
      let loader = PostgresLoader(connection, layout)
      try loader.raise(content.forEachBatch(loader.write))
      let initial = StoreMetadata.initial(content.model, type: typeName, entities: options.entities)
      return PostgresMetadata.Content(
        identifier: identifier,
        metadata: initial.replacingOwn(by: content.metadata),
        version: PostgresSchema.version
      )
    }
  }

  /// Returns whether a schema has a store.
  ///
  /// - Throws: `StoreError`.
  package static func exists(_ options: PostgresStoreOptions) throws -> Bool {
    let connection = try PostgresConnection(options.address, settings: options.settings)
    let metadata = PostgresMetadata(connection: connection)
    return try metadata.exists() && metadata.read() != nil
  }

  /// Returns whether a schema has a store with objects.
  ///
  /// - Throws: `StoreError`.
  package static func hasObjects(_ options: PostgresStoreOptions) throws -> Bool {
    var settings = options.settings
    settings.isReadOnly = true
    let connection = try PostgresConnection(options.address, settings: settings)
    guard try PostgresMetadata(connection: connection).exists() else { return false }
    let rows = try connection.run("SELECT z_name FROM z_tables")
    for table in (0..<rows.rowCount).compactMap({ rows.text($0, 0) }) {
      let found = try connection.run("SELECT EXISTS (SELECT 1 FROM \(table))")
      if found.integer(0, 0) != 0 { return true }
    }
    return false
  }

  /// Returns, for each root entity, the greatest number that was reserved in its hierarchy.
  ///
  /// - Throws: `StoreError`.
  package func lastNumbers() throws -> [Int: Int64] {
    try pool.read { connection in
      var numbers: [Int: Int64] = [:]
      for table in layout.tables {
        let rows = try connection.run(
          "SELECT pg_sequence_last_value(pg_get_serial_sequence($1, 'z_pk')::regclass)",
          PostgresFields([.text(table.name)])
        )
        // Null as long as no number was reserved.
        if rows.binding(0, 0) != .null {
          numbers[table.root] = rows.integer(0, 0) + PostgresSchema.block - 1
        }
      }
      return numbers
    }
  }

  /// Runs `body` with a view of the rows while this store does not write; passes the greatest numbers that were
  /// reserved.
  ///
  /// If `body` returns, the store rejects all further writes and must be closed. What other stores write
  /// meanwhile is not in the view.
  /// - Throws: `StoreError.closed`; `.invalidRequest` inside a write on this thread; errors of `body`.
  package func endingWrites<T>(
    _ body: (any RowOrigin, [Int: Int64]) throws -> T
  ) throws -> T {
    try writers.end(path: path) { try body(generation() ?? self, lastNumbers()) }
  }
}
#endif
