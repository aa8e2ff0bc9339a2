// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

extension PostgresStore {
  /// Replaces the application's metadata of the store in a schema; the framework's entries do not change.
  ///
  /// - Throws: `StoreError.cannotOpen` if the schema has no store.
  package static func setMetadata(
    _ metadata: StoreMetadata,
    _ options: PostgresStoreOptions
  ) throws {
    let connection = try PostgresConnection(options.address, settings: options.settings)
    let tables = PostgresMetadata(connection: connection)
    guard try tables.exists() else { throw PostgresInspection.noStore(options.address) }
    try tables.replaceOwn(by: metadata)
  }

  /// Replaces the store in the schema of `options` by a copy of the store in another schema, which can be on
  /// another server; creates it if the schema has none.
  ///
  /// The copy is of one moment, and has the UUID, the metadata and the history of its original. `model` is used
  /// if it is that of the original; otherwise the copy of the model in the original is.
  /// - Throws: `StoreError.cannotOpen` if the source has no store; `.incompatibleModel` if its model is neither
  ///   `model` nor kept in it; `.invalidRequest` if both are the same; `.busy` if another connection holds a
  ///   lock. The destination is then unchanged.
  /// - Complexity: O(rows), in constant memory.
  package static func replace(
    _ options: PostgresStoreOptions,
    by source: PostgresStoreOptions,
    model: ModelDefinition
  ) throws {
    if options.address.description == source.address.description {
      throw StoreError(
        .invalidRequest,
        "a store cannot be replaced by itself; name another schema",
        path: options.address.description
      )
    }
    var settings = source.settings
    settings.isReadOnly = true
    settings.idleTimeout = 0
    settings.statementTimeout = 0
    let origin = try PostgresConnection(source.address, settings: settings)
    let metadata = PostgresMetadata(connection: origin)
    try origin.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
      guard try metadata.exists() else { throw PostgresInspection.noStore(source.address) }
      let content = try metadata.require()
      let own = try Self.model(content, metadata, preferred: model)
      let numbers = try metadata.numbers()
      try PostgresReplacement(model: own, options: options, numbers: numbers).run {
        target,
        layout in
        try copyTables(origin, target, layout)
        return content
      }
    }
  }

  private static func model(
    _ content: PostgresMetadata.Content,
    _ metadata: PostgresMetadata,
    preferred model: ModelDefinition
  ) throws -> ModelDefinition {
    let hashes = content.metadata.versionHashes
    if !ModelHashes(model: model).differ(from: hashes, entities: nil) { return model }
    if let copy = try metadata.model() { return copy }
    throw StoreError(
      .incompatibleModel,
      "the store was created with another model than that of the coordinator, and has no copy of it; use a "
        + "coordinator with the model of the store",
      path: metadata.connection.address.description
    )
  }

  private static func copyTables(
    _ origin: PostgresConnection,
    _ target: PostgresConnection,
    _ layout: Layout
  ) throws {
    func copy(_ table: String, _ columns: [String]) throws {
      let list = columns.joined(separator: ", ")
      try origin.copy("SELECT \(list) FROM \(table)", to: target, into: "\(table) (\(list))")
    }
    for table in layout.tables {
      try copy(table.name, ["z_pk", "z_ent", "z_opt"] + table.columns.map(\.name))
    }
    for join in layout.joins { try copy(join.name, join.columns) }
    for table in layout.tables { try copySequence(of: table.name, origin, target) }
    guard try PostgresMetadata(connection: origin).exists("z_history") else { return }
    try target.execute("\(PostgresHistoryTables.create); DELETE FROM z_history")
    for (table, columns) in PostgresHistoryTables.columns { try copy(table, columns) }
    try copySequence(of: "z_changes", origin, target)
  }

  /// Lets the sequence of a table's primary keys continue as that of the original.
  private static func copySequence(
    of table: String,
    _ origin: PostgresConnection,
    _ target: PostgresConnection
  ) throws {
    let rows = try origin.run(
      "SELECT pg_sequence_last_value(pg_get_serial_sequence($1, 'z_pk')::regclass)",
      PostgresFields([.text(table)])
    )
    // Null as long as no number was reserved.
    if rows.binding(0, 0) == .null { return }
    try target.run(
      "SELECT setval(pg_get_serial_sequence($1, 'z_pk'), $2)",
      PostgresFields([.text(table), .integer(rows.integer(0, 0))])
    )
  }
}
#endif
