// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Opens the schema of a store; creates its tables if it has none.
struct PostgresOpener {
  let model: ModelDefinition
  let options: PostgresStoreOptions

  struct Opened {
    let identifier: String
    let layout: Layout
    let hasHistory: Bool
  }

  private var path: String { options.address.description }

  /// The SQLSTATEs of two programs that create the same schema at the same time.
  private static let creations: Set<String> = ["23505", "42P06", "42P07", "42710", "40P01"]

  /// - Throws: `StoreError.incompatibleModel` for the store of another model; `.cannotOpen` if a read-only
  ///   store does not exist, or if a table of another program has the name of a table of the store;
  ///   `.invalidRequest` for a model that such a store cannot hold.
  func open(_ connection: PostgresConnection) throws -> Opened {
    let metadata = PostgresMetadata(connection: connection)
    for attempt in 1... {
      if try metadata.exists(), let content = try metadata.read() {
        let layout = try check(content, metadata)
        try prepareMarks(metadata)
        return Opened(
          identifier: content.identifier,
          layout: layout,
          hasHistory: try hasHistory(metadata)
        )
      }
      if options.isReadOnly {
        throw StoreError(
          .cannotOpen,
          "the store does not exist: the schema \(options.address.schema) has no tables of a store; open it "
            + "without NSReadOnlyPersistentStoreOption to create it",
          path: path
        )
      }
      do {
        try create(connection, metadata)
      } catch let error as StoreError {
        // Another program that creates the store at the same time has won: its tables are read above.
        guard Self.creations.contains(error.serverCode ?? ""), attempt < 5 else {
          throw creationFailure(error)
        }
        if error.serverCode == "42P07", try !metadata.exists() { throw creationFailure(error) }
      }
    }
    throw StoreError(.busy, "the store cannot be created", path: path)
  }

  /// Returns the error with the reason if a table of another program is in the way.
  func creationFailure(_ error: StoreError) -> StoreError {
    if error.serverCode == "42P07" {
      var error = error
      error.code = .cannotOpen
      error.message =
        "the schema \(options.address.schema) has a table of another program with the name of a table of the "
        + "store; name another schema in the options of the store (\(error.message))"
      return error
    }
    return error
  }

  /// Returns the layout; `numbers` are those of a store that exists.
  func layout(_ numbers: [String: Int64]?) throws -> Layout {
    do {
      return try Layout(server: model, numbers: numbers)
    } catch var error as StoreError {
      error.path = path
      throw error
    }
  }

  // MARK: Create

  private func create(_ connection: PostgresConnection, _ metadata: PostgresMetadata) throws {
    let layout = try layout(nil)
    try connection.transaction {
      try connection.execute(
        "CREATE SCHEMA IF NOT EXISTS \(PostgresName.quoted(options.address.schema)); "
          + "\(PostgresMetadata.create); LOCK TABLE z_metadata IN EXCLUSIVE MODE"
      )
      // Another program may have created the store while this one waited for the lock.
      if try metadata.read() != nil { return }
      try connection.execute(PostgresSchema(layout).statements.joined(separator: ";\n"))
      let initial = StoreMetadata.initial(
        model,
        type: PostgresStore.typeName,
        entities: options.entities
      )
      try metadata.write(initial, identifier: UUID().uuidString)
      try metadata.write(model)
    }
  }

  // MARK: Check

  private func check(
    _ content: PostgresMetadata.Content,
    _ metadata: PostgresMetadata
  ) throws -> Layout {
    let hashes = content.metadata.versionHashes
    if !options.ignoresModelVersions, !hashes.isEmpty,
      ModelHashes(model: model).differ(from: hashes, entities: options.entities)
    {
      let lines = ModelDifference.obstacles(
        toOpening: hashes,
        of: try metadata.model(),
        with: model,
        entities: options.entities
      )
      if !lines.isEmpty {
        throw StoreError(
          .incompatibleModel,
          "the model used to open the store is incompatible with the one used to create it: "
            + lines.joined(separator: "; ")
            + ". Open it with its own model, set NSMigratePersistentStoresAutomaticallyOption to migrate it, "
            + "or name another schema",
          path: path
        )
      }
    }
    return try layout(metadata.numbers())
  }

  /// Creates the table with the marks of transactions if it is missing, and removes old marks.
  private func prepareMarks(_ metadata: PostgresMetadata) throws {
    if options.isReadOnly { return }
    let isThere = try metadata.exists(PostgresMarks.table)
    try metadata.connection.execute(isThere ? PostgresMarks.prune : PostgresMarks.create)
  }

  /// Returns whether the store has a history; creates the tables of the history if the options ask for it.
  private func hasHistory(_ metadata: PostgresMetadata) throws -> Bool {
    if try metadata.exists("z_history") { return true }
    if !options.tracksHistory || options.isReadOnly { return false }
    try metadata.connection.transaction {
      // Another program may add the history at the same time.
      try metadata.connection.execute(
        "LOCK TABLE z_metadata IN EXCLUSIVE MODE; \(PostgresHistoryTables.create)"
      )
    }
    return true
  }
}
#endif
