// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

/// Opens a store's file; if the file is missing or empty, creates the tables of a new store in it.
struct StoreFileOpener {
  let model: ModelDefinition
  let options: SQLiteStoreOptions
  /// The resources that the store shares with a migration; nil if the store shares no resources.
  let shared: MigrationResources?

  struct Opened {
    let connection: Connection
    let layout: Layout
    let identifier: String
    let history: HistoryLayout?
    let isReadOnly: Bool
    /// The derived attributes that no trigger computes; `name` has the form `Entity.attribute`.
    var uncomputed: [(name: String, expression: String)] = []
    /// Creates the migration check for each further connection to the file; nil if the file's model is not
    /// checked.
    var makeCheck: (@Sendable (Connection) throws -> any MigrationCheck)?
  }

  func open() throws -> Opened {
    if options.isReadOnly, !options.isInMemory {
      try DatabaseFile.requireExisting(options.path, engineCode: SQLITE_CANTOPEN)
    }
    let connection = try shared?.connection ?? opened()
    let schemaNumber = try connection.unreportedStatement("PRAGMA schema_version").integer() ?? 0
    var opened = try check(connection)
    if !opened.isReadOnly {
      opened.uncomputed = try makeTemporaryTriggers(opened.layout, connection)
      if options.vacuums { try connection.vacuum() }
      if options.analyzes { try connection.execute("ANALYZE") }
    }
    if !options.isInMemory, !options.ignoresModelVersions {
      let version = version(schemaNumber, opened.layout)
      connection.migrationCheck = try ModelVersionCheck(connection, version)
      opened.makeCheck = { try ModelVersionCheck($0, version) }
    }
    return opened
  }

  /// Returns a configured connection to the file; if the file is empty, creates the tables of a store.
  private func opened() throws -> Connection {
    let connection = try Connection(options, isReader: false)
    if try !options.isReadOnly && StoreCatalogue(connection).isEmpty() {
      try connection.configureNewFile()
      try connection.configureWriter(options)
      try create(connection)
    } else {
      try StoreCatalogue(connection).requireStore()
      try connection.configureWriter(options)
      if !options.isReadOnly { try connection.checkWritable() }
    }
    return connection
  }

  private func version(_ schemaNumber: Int64, _ layout: Layout) -> ModelVersionCheck.Opening {
    var numbers: [String: Int64] = [:]
    for (number, index) in layout.entityByNumber {
      let entity = model.entities[index]
      // The rows of an entity that does not share its table are read without their entity number.
      if entity.root != index || entity.family.count > 1 { numbers[entity.name] = number }
    }
    return ModelVersionCheck.Opening(
      schemaNumber: schemaNumber,
      entityNumbers: numbers,
      model: model,
      entities: options.entities
    )
  }

  /// Creates temporary triggers for the derived attributes that no trigger in the file computes.
  ///
  /// Returns the derived attributes that temporary triggers cannot compute either.
  private func makeTemporaryTriggers(
    _ layout: Layout,
    _ connection: Connection
  ) throws -> [(name: String, expression: String)] {
    if !layout.hasDerivedAttributes { return [] }
    let stored = try StoreCatalogue(connection).triggers()
    for trigger in layout.temporaryTriggers(besides: stored) {
      try connection.setUp(trigger)
    }
    return layout.uncomputedAttributes(besides: stored)
  }

  // MARK: Create

  /// Creates the tables of a new file, unless another process has created tables in the meantime.
  ///
  /// The tables of the history are created in the same transaction, so that a power failure cannot leave a
  /// store without its history.
  private func create(_ connection: Connection) throws {
    let layout = try layout(nil)
    try connection.transaction {
      guard try StoreCatalogue(connection).isEmpty() else { return }
      for statement in layout.schema {
        try connection.execute(statement)
      }
      try MetadataTable(connection).write(
        MetadataTable.initial(model, entities: options.entities),
        identifier: UUID().uuidString
      )
      try StoredModel.writeCache(of: model, connection)
      if options.tracksHistory { try addHistory(connection, HistoryLayout(layout).tombstones) }
    }
  }

  // MARK: Check

  private func check(_ connection: Connection) throws -> Opened {
    let content = try MetadataTable(connection).read(path: options.path)
    if !options.ignoresModelVersions, content.metadata.values[StoreMetadata.hashesKey] != nil {
      try checkHashes(content, connection)
    }
    var schema = try StoreCatalogue(connection).schema()
    let layout = try layout(schema)
    if options.tracksHistory, !options.isReadOnly {
      schema = try completeHistory(connection, schema, HistoryLayout(layout).tombstones)
    }
    let history = Self.history(layout, schema)
    return Opened(
      connection: connection,
      layout: layout,
      identifier: content.identifier,
      history: history,
      isReadOnly: options.isReadOnly || history != nil && !options.tracksHistory
    )
  }

  private func layout(_ schema: StoredSchema?) throws -> Layout {
    do {
      return try Layout(
        model: model,
        stored: schema,
        entities: schema == nil ? nil : options.entities
      )
    } catch var error as StoreError {
      error.path = options.path
      throw error
    }
  }

  private func checkHashes(_ content: MetadataTable.Content, _ connection: Connection) throws {
    let stored = content.metadata.versionHashes
    if !ModelHashes(model: model).differ(from: stored, entities: options.entities) { return }
    // The content number is read first, so that a change by another connection during the reading of the
    // version is noticed.
    let contentNumber = try shared.map { _ in try connection.contentNumber() }
    let version = try StoreVersion(
      connection,
      path: options.path,
      shared,
      content: contentNumber == nil ? content : nil
    )
    if version.matches(model, entities: options.entities) { return }
    if let contentNumber, !options.isReadOnly, !options.locksExclusively {
      shared?.keep(connection, .init(version: version, contentNumber: contentNumber))
    }
    throw StoreError(
      .incompatibleModel,
      options.namesDifferences
        ? version.incompatibility(with: model, entities: options.entities)
        : StoreVersion.incompatible,
      path: options.path
    )
  }

  // MARK: History

  /// Adds the missing tables, columns and indexes of the history to the file, and returns the new schema.
  private func completeHistory(
    _ connection: Connection,
    _ schema: StoredSchema,
    _ tombstones: Int
  ) throws -> StoredSchema {
    if try completion(of: schema, connection, tombstones).isEmpty { return schema }
    return try connection.transaction {
      // Another process may have added the history in the meantime.
      try addHistory(connection, tombstones)
      return try StoreCatalogue(connection).schema()
    }
  }

  private func addHistory(_ connection: Connection, _ tombstones: Int) throws {
    let schema = try StoreCatalogue(connection).schema()
    for statement in try completion(of: schema, connection, tombstones) {
      try connection.execute(statement)
    }
  }

  private func completion(
    of schema: StoredSchema,
    _ connection: Connection,
    _ tombstones: Int
  ) throws -> [Statement] {
    HistorySchema.completion(
      of: schema.columns,
      indexes: Set(try StoreCatalogue(connection).indexes().map(\.name)),
      tombstones: tombstones
    )
  }

  private static func history(_ layout: Layout, _ schema: StoredSchema) -> HistoryLayout? {
    guard HistorySchema.isComplete(schema.columns) else { return nil }
    var history = HistoryLayout(layout)
    let columns = Set(schema.columns[HistorySchema.changes] ?? [])
    history.tombstones =
      (0..<history.tombstones).prefix { columns.contains(HistorySchema.tombstone($0)) }.count
    return history
  }
}
