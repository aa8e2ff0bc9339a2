// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// A store in a schema of a PostgreSQL database.
///
/// Can be used from any thread, and by several processes on several machines at the same time. Each request has
/// a connection of its own.
package final class PostgresStore: RowStore {
  /// The type in the store's metadata.
  package static let typeName = "PostgreSQL"

  package let identifier: String
  package let type = PostgresStore.typeName
  package let model: ModelDefinition
  package let index: Int
  package let isReadOnly: Bool
  package let layout: Layout
  /// Whether the store has a history.
  package let hasHistory: Bool
  let options: PostgresStoreOptions
  let pool: PostgresPool
  /// The standby servers through which the store reads; nil if it reads through `pool`.
  let standbys: PostgresStandbys?
  let reader: PostgresRowReader
  let queries: PostgresQueries
  let planner: FetchPlanner
  let statements: PostgresStatements
  let keys: PostgresKeys
  /// The name by which the store's sessions and notifications are known to other stores.
  let writer = UUID().uuidString
  let writers = PostgresWriters()
  /// The open query generations of this store.
  let moments = PostgresMoments()

  /// Connects to the database; creates the schema and its tables if they are missing.
  ///
  /// - Throws: `StoreError.cannotOpen` if the server cannot be reached or refuses the connection;
  ///   `.incompatibleModel` if the schema has the store of another model; `.invalidRequest` for a model that a
  ///   PostgreSQL store cannot hold; `.readOnly` if the user may not create the schema.
  package init(model: ModelDefinition, index: Int, options: PostgresStoreOptions) throws {
    var options = options
    options.writer = writer
    let connection = try PostgresConnection(options.address, settings: options.settings)
    let opened = try PostgresOpener(model: model, options: options).open(connection)
    self.model = model
    self.index = index
    self.options = options
    isReadOnly = options.isReadOnly || opened.hasHistory && !options.tracksHistory
    hasHistory = opened.hasHistory
    identifier = opened.identifier
    layout = opened.layout
    pool = PostgresPool(options, options.settings, first: connection)
    standbys = options.readsStandbys ? PostgresStandbys(options, primary: pool) : nil
    reader = PostgresRowReader(layout: layout, storeIndex: index, path: options.address.description)
    queries = PostgresQueries(layout)
    planner = FetchPlanner(layout: layout, storeIndex: index)
    statements = PostgresStatements(layout)
    keys = PostgresKeys(layout, storeIndex: index, path: options.address.description)
  }

  var path: String { options.address.description }

  /// The derived attributes that the store does not compute, as `Entity.attribute`, with their expressions.
  package var uncomputedAttributes: [(name: String, expression: String)] {
    statements.derivations.uncomputed
  }

  package func close() {
    moments.close()
    standbys?.close()
    pool.close()
  }

  /// The statements and round trips so far, which tests read while no request runs.
  package var traffic: PostgresTraffic {
    standbys.map { pool.traffic.adding($0.traffic) } ?? pool.traffic
  }

  /// The number of reads that standby servers have answered, which tests read.
  package var standbyReads: Int { standbys?.reads ?? 0 }

  /// Returns the metadata of the store in a schema, without its model.
  ///
  /// - Throws: `StoreError.cannotOpen` if the schema has no store.
  package static func metadata(_ options: PostgresStoreOptions) throws -> StoreMetadata {
    let connection = try PostgresConnection(options.address, settings: options.settings)
    let metadata = PostgresMetadata(connection: connection)
    guard try metadata.exists() else { throw PostgresInspection.noStore(options.address) }
    return try metadata.require().metadata
  }

  package func metadata() throws -> StoreMetadata {
    try pool.read { try PostgresMetadata(connection: $0).require().metadata }
  }

  package func setMetadata(_ metadata: StoreMetadata) throws {
    if isReadOnly { throw readOnly }
    try writers.write(path: path) {
      try pool.use { try PostgresMetadata(connection: $0).replaceOwn(by: metadata) }
    }
  }

  package func reserveKeys(for entities: [Int]) throws -> [ObjectKey] {
    if isReadOnly { throw readOnly }
    if entities.isEmpty { return [] }
    return try keys.take(entities, losses: pool.losses) { text, count in
      // Numbers that were reserved by a statement whose answer was lost are never used.
      try pool.read { connection in
        let blocks = try connection.run(text, PostgresFields([.integer(count)]))
        return (0..<blocks.rowCount).map { blocks.integer($0, 0) }
      }
    }
  }

  var readOnly: StoreError {
    StoreError(
      .readOnly,
      options.isReadOnly
        ? "the store was opened for reading only; open it without NSReadOnlyPersistentStoreOption to write to it"
        : "the store can only be read, because it has a persistent history and was opened without "
          + "NSPersistentHistoryTrackingKey; set this option to write to it",
      path: path
    )
  }
}
#endif
