// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataStore

extension PostgresStore {
  /// Migrates a store to another version of the model, in one transaction.
  ///
  /// With a mapping, the tables are changed in place if that is possible. Otherwise `body` gets the objects, and passes the migrated ones to the function that it also gets. Meanwhile, others
  /// can read the store; writes wait until the end. The store keeps its UUID, its metadata and its history,
  /// without the changes of entities that the new model does not have. Does nothing if the store has the new
  /// model already.
  /// - Throws: `StoreError.busy` if another connection holds a lock for as long as the options allow; errors of
  ///   `body`. The store is then unchanged.
  package static func migrate(
    _ options: PostgresStoreOptions,
    from source: ModelDefinition,
    to model: ModelDefinition,
    mapping: ModelMapping?,
    _ body: (ContentSource, _ write: (ContentSource) throws -> Void) throws -> Void
  ) throws {
    let replacement = PostgresReplacement(model: model, options: options)
    try replacement.transaction { connection in
      let metadata = PostgresMetadata(connection: connection)
      // Two programs that migrate a store at the same time wait here for each other.
      try connection.execute("LOCK TABLE z_metadata IN EXCLUSIVE MODE")
      let content = try metadata.require()
      let hashes = content.metadata.versionHashes
      if !ModelHashes(model: model).differ(from: hashes, entities: options.entities) { return }
      try recordVersion(hashes, before: model, options, connection)
      try lock(connection)
      let initial = StoreMetadata.initial(model, type: typeName, entities: options.entities)
      let migrated = PostgresMetadata.Content(
        identifier: content.identifier,
        metadata: initial.replacingOwn(by: content.metadata),
        version: PostgresSchema.version
      )
      if let mapping, try replacement.alter(connection, mapping, migrated) { return }
      let reader = try reader(options, source)
      defer { reader.close() }
      let objects = ContentSource(
        of: reader,
        model: source,
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
