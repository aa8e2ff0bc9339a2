// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataStore

extension PostgresStore {
  /// How a store is migrated.
  package struct MigrationPlan {
    /// The model with which the store was created.
    package let source: ModelDefinition
    /// The inferred mapping; nil if the objects must be copied.
    package let mapping: ModelMapping?

    package init(source: ModelDefinition, mapping: ModelMapping?) {
      self.source = source
      self.mapping = mapping
    }
  }

  /// Migrates a store to another version of the model, in one transaction; does nothing if the store has the new
  /// model already.
  ///
  /// Two programs that migrate a store at the same time wait for each other, and the second one finds the store
  /// migrated. `plan` gets what the store was when no other program could migrate it any more.
  ///
  /// With a mapping, the tables are changed in place if that is possible. Otherwise `body` gets the objects, and
  /// passes the migrated ones to the function that it also gets. Meanwhile, others can read the store; writes wait
  /// until the end. The store keeps its UUID, its metadata and its history, without the changes of entities that
  /// the new model does not have.
  /// - Throws: `StoreError.busy` if another connection holds a lock for as long as the options allow; errors of
  ///   `plan` and of `body`. The store is then unchanged.
  package static func migrate(
    _ options: PostgresStoreOptions,
    to model: ModelDefinition,
    plan: (PostgresInspection) throws -> MigrationPlan,
    _ body: (ContentSource, _ write: (ContentSource) throws -> Void) throws -> Void
  ) throws {
    let replacement = PostgresReplacement(model: model, options: options)
    try replacement.transaction { connection in
      let metadata = PostgresMetadata(connection: connection)
      try connection.execute("LOCK TABLE z_metadata IN EXCLUSIVE MODE")
      let stored = try PostgresInspection(connection)
      if !stored.differs(from: model, entities: options.entities) { return }
      let plan = try plan(stored)
      let content = try metadata.require()
      try recordVersion(stored.hashes, before: model, options, connection)
      try lock(connection)
      let initial = StoreMetadata.initial(model, type: typeName, entities: options.entities)
      let migrated = PostgresMetadata.Content(
        identifier: content.identifier,
        metadata: initial.replacingOwn(by: content.metadata),
        version: PostgresSchema.version
      )
      if let mapping = plan.mapping, try replacement.alter(connection, mapping, migrated) { return }
      let reader = try reader(options, plan.source)
      defer { reader.close() }
      let objects = ContentSource(
        of: reader,
        model: plan.source,
        metadata: content.metadata,
        lastNumbers: try reader.lastNumbers()
      )
      try body(objects) { objects in
        // Its connections hold no locks that the replacement of the tables would wait for.
        reader.close()
        try replacement.replace(connection, keepsHistory: true) { connection, layout in
          let loader = PostgresLoader(connection, layout)
          try loader.raise(objects.forEachBatch(loader.write))
          return migrated
        }
      }
    }
  }

  /// Runs `body` while no other program runs this function for the same schema.
  ///
  /// - Throws: `StoreError.busy` if another one does for as long as the options allow; errors of `body`.
  package static func migratingAlone(
    _ options: PostgresStoreOptions,
    _ body: () throws -> Void
  ) throws {
    var settings = options.settings
    settings.statementTimeout = 0
    // The lock ends with the connection.
    let connection = try PostgresConnection(options.address, settings: settings)
    try connection.execute("SET lock_timeout = \(options.patience)")
    try connection.run(
      "SELECT pg_advisory_lock(hashtextextended('swift-coredata migration of ' || $1, 0))",
      PostgresFields([.text(options.address.schema)])
    )
    try withExtendedLifetime(connection, body)
  }

  /// Records the version of the model that the store had until now.
  ///
  /// - Throws: `StoreError.incompatibleModel` if the store was migrated from `model` to a later version, because
  ///   a program that was not replaced yet would remove what is new.
  private static func recordVersion(
    _ hashes: [String: Data],
    before model: ModelDefinition,
    _ options: PostgresStoreOptions,
    _ connection: PostgresConnection
  ) throws {
    let next = StoreMetadata.initial(model, type: typeName, entities: options.entities)
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \(PostgresSchema.versions) (z_digest text PRIMARY KEY)"
    )
    let former = try connection.run(
      "SELECT 1 FROM \(PostgresSchema.versions) WHERE z_digest = $1",
      PostgresFields([.text(ModelHashes.digest(of: next.versionHashes))])
    )
    if former.rowCount > 0 {
      throw StoreError(
        .incompatibleModel,
        "the store was migrated from this version of the model to a later one, and is not migrated back; use "
          + "the later version of the program, or delete the rows of \(PostgresSchema.versions) in the schema to go "
          + "back and lose what is new",
        path: options.address.description
      )
    }
    try connection.run(
      "INSERT INTO \(PostgresSchema.versions) (z_digest) VALUES ($1) ON CONFLICT DO NOTHING",
      PostgresFields([.text(ModelHashes.digest(of: hashes))])
    )
  }

  /// Locks the tables against writes.
  private static func lock(_ connection: PostgresConnection) throws {
    let rows = try connection.run("SELECT z_name FROM z_tables")
    let tables = (0..<rows.rowCount).compactMap { rows.text($0, 0) }
    if tables.isEmpty { return }
    try connection.execute(
      "LOCK TABLE \(tables.joined(separator: ", ")) IN SHARE ROW EXCLUSIVE MODE"
    )
  }

  /// Opens the store with the model that created it.
  private static func reader(
    _ options: PostgresStoreOptions,
    _ source: ModelDefinition
  ) throws -> PostgresStore {
    var reading = options
    reading.isReadOnly = true
    reading.ignoresModelVersions = true
    reading.statementTimeout = 0
    return try PostgresStore(model: source, index: 0, options: reading)
  }
}
#endif
