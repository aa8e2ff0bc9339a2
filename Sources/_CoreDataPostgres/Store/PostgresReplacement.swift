// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Replaces the store in a schema, or creates one, in one transaction.
///
/// The transaction waits for the requests of others, and they wait for it; after an error, the schema is unchanged.
struct PostgresReplacement {
  let model: ModelDefinition
  let options: PostgresStoreOptions
  /// The numbers of the entities in the new store; nil keeps the numbers of the replaced store, because stores
  /// that are open for the same model use them.
  var numbers: [String: Int64]?

  /// Drops the tables of the store, creates those of the new one, and calls `fill`, which fills the tables and
  /// returns the metadata; then adds foreign keys, indexes and triggers.
  ///
  /// - Throws: `StoreError.invalidRequest` for a model that a PostgreSQL store cannot hold; `.busy` if another
  ///   connection holds a lock for as long as the options allow; errors of `fill`.
  func run(
    _ fill: (PostgresConnection, Layout) throws -> PostgresMetadata.Content
  ) throws {
    try transaction { connection in
      try connection.execute(
        "CREATE SCHEMA IF NOT EXISTS \(PostgresName.quoted(options.address.schema)); "
          + "\(PostgresMetadata.create); LOCK TABLE z_metadata IN ACCESS EXCLUSIVE MODE"
      )
      try replace(connection, keepsHistory: false, fill)
    }
  }

  /// Runs `body` in a transaction that may wait for its client, and that waits for locks as long as the options
  /// allow.
  ///
  /// - Throws: `StoreError`; errors of `body`.
  func transaction(_ body: (PostgresConnection) throws -> Void) throws {
    var settings = options.settings
    settings.idleTimeout = 0
    settings.statementTimeout = 0
    let connection = try PostgresConnection(options.address, settings: settings)
    try connection.transaction {
      try connection.execute("SET LOCAL lock_timeout = \(options.patience)")
      try body(connection)
    }
  }

  /// Replaces the tables inside a transaction; the parameters are those of `run(_:)`.
  ///
  /// - Throws: as `run(_:)`.
  func replace(
    _ connection: PostgresConnection,
    keepsHistory: Bool,
    _ fill: (PostgresConnection, Layout) throws -> PostgresMetadata.Content
  ) throws {
    let opener = PostgresOpener(model: model, options: options)
    let metadata = PostgresMetadata(connection: connection)
    let known = try metadata.exists("z_entities") ? metadata.numbers() : [:]
    try PostgresSchema.drop(connection, keepsHistory: keepsHistory)
    let layout = try opener.layout(numbers ?? extended(known))
    let schema = PostgresSchema(layout)
    do {
      try connection.execute(
        "\(PostgresMetadata.create); \(schema.tables.joined(separator: ";\n"))"
      )
    } catch let error as StoreError {
      throw opener.creationFailure(error)
    }
    try finish(connection, layout, keepsHistory: keepsHistory, fill(connection, layout))
  }

  /// Changes the tables of another version of the model in place, inside a transaction that has locked them.
  ///
  /// - Returns: false if the rows must be copied.
  /// - Throws: `StoreError`.
  func alter(
    _ connection: PostgresConnection,
    _ mapping: ModelMapping,
    _ content: PostgresMetadata.Content
  ) throws -> Bool {
    let known = try PostgresMetadata(connection: connection).numbers()
    let old = try Layout(server: mapping.source, numbers: known)
    let opener = PostgresOpener(model: model, options: options)
    let layout = try opener.layout(extended(known))
    guard let alteration = ServerAlteration(mapping, old: old, new: layout) else { return false }
    try PostgresSchema.dropFunctions(connection)
    do {
      for statement in PostgresSchema(layout).statements(alteration) {
        try connection.execute(statement)
      }
    } catch let error as StoreError {
      throw opener.creationFailure(error)
    }
    try finish(connection, layout, keepsHistory: true, content)
    return true
  }

  /// Adds foreign keys, indexes and triggers, and writes metadata and model.
  private func finish(
    _ connection: PostgresConnection,
    _ layout: Layout,
    keepsHistory: Bool,
    _ content: PostgresMetadata.Content
  ) throws {
    let metadata = PostgresMetadata(connection: connection)
    do {
      try connection.execute(PostgresSchema(layout).rules.joined(separator: ";\n"))
    } catch let error as StoreError where error.serverCode == "23503" {
      throw missingDestination(error)
    } catch var error as StoreError where error.serverCode == "23505" && keepsHistory {
      error.code = .migrationConstraint
      throw error
    }
    // Not every store computes derived attributes.
    for statement in ServerDerivations(layout).computations { try connection.execute(statement) }
    if keepsHistory, try metadata.exists("z_changes") {
      try connection.execute(
        "DELETE FROM z_changes WHERE z_ent NOT IN (SELECT z_ent FROM z_entities)"
      )
    }
    try metadata.write(content.metadata, identifier: content.identifier)
    try metadata.write(model)
    try connection.run(PostgresStore.notify, PostgresFields([.text(content.identifier)]))
  }

  /// Returns the number of each entity: its number in the replaced store, also if it is renamed, or a new one.
  private func extended(_ known: [String: Int64]) -> [String: Int64] {
    var last = known.values.max() ?? 0
    var numbers: [String: Int64] = [:]
    for entity in model.entities {
      if let number = known[entity.name] ?? former(entity, known) {
        numbers[entity.name] = number
      } else {
        last += 1
        numbers[entity.name] = last
      }
    }
    return numbers
  }

  private func former(_ entity: EntityDefinition, _ known: [String: Int64]) -> Int64? {
    guard let name = entity.renamingIdentifier, model.entity(named: name) == nil else { return nil }
    return known[name]
  }

  private func missingDestination(_ error: StoreError) -> StoreError {
    var error = error
    error.code = .invalidRequest
    error.message =
      "a relationship of the store to be copied refers to an object that does not exist, which a foreign key "
      + "does not allow; repair that store, an SQLite store with `coredata doctor --repair` (\(error.message))"
    return error
  }
}
#endif
