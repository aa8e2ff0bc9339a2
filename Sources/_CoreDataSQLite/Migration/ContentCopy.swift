// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Replaces the tables, indexes and triggers of a store by those of a working file, in the store's
/// transaction.
///
/// Tables that belong to neither model, such as tables that a program has added, do not change.
struct ContentCopy {
  private let connection: Connection
  private let options: SQLiteStoreOptions
  private let work: StoreRewrite.Work
  private let version: StoreVersion
  fileprivate static let history = [
    HistorySchema.changes, HistorySchema.transactions, HistorySchema.strings,
  ]
  /// The name under which the working file is attached.
  private static let attached = "CDWork"

  init(
    _ connection: Connection,
    _ options: SQLiteStoreOptions,
    of work: StoreRewrite.Work,
    replacing version: StoreVersion
  ) {
    self.connection = connection
    self.options = options
    self.work = work
    self.version = version
  }

  func run() throws {
    let schema = try StoreCatalogue(connection).schema()
    let metadata = MetadataTable(connection)
    let (identifier, stored) = try metadata.read(path: options.path)
    let numbers = try work.isCopy ? nil : HistoryNumbers(connection, schema)
    for table in try tables(of: work.source, schema, Set(version.hashes.keys)) {
      try connection.execute("DROP TABLE main.\(name: table)")
    }
    if !work.isCopy {
      for case .table(let name) in Leftover.all(in: schema) {
        try connection.execute("DROP TABLE main.\(name: name)")
      }
    }
    try copy()
    if work.isCopy { return }
    try numbers?.truncate(connection)
    var new = try metadata.read(path: options.path).metadata
    new.values[StoreMetadata.autoVacuumKey] = stored.values[StoreMetadata.autoVacuumKey]
    try metadata.write(new, identifier: identifier)
    try metadata.replaceModel(work.destination, entities: options.entities, path: options.path)
  }

  /// Returns the names of the file's tables that belong to the model.
  ///
  /// If the working file is a copy of the store, the tables of the history are included.
  private func tables(
    of model: ModelDefinition,
    _ schema: StoredSchema,
    _ entities: Set<String>
  ) throws -> [String] {
    let layout = try Layout(model: model, stored: schema, entities: entities)
    var names = Set(layout.tables.map(\.name) + layout.joins.map(\.name))
    names.formUnion(["Z_METADATA", PrimaryKeys.table, StoreCatalogue.modelCache])
    if work.isCopy { names.formUnion(Self.history) }
    return names.filter { schema.columns[$0] != nil }.sorted()
  }

  /// Copies the tables, indexes and triggers of the working file into the store.
  ///
  /// The indexes are created before the rows are copied, so that the engine can copy the records of tables
  /// and indexes without decoding them. The triggers are created last, because they would run for each copied
  /// row.
  /// Source: SQLite, “INSERT”, the transfer optimization.
  private func copy() throws {
    let objects: StoredObjects
    let names: [String]
    do {
      let reader = try StoreFiles(path: work.path, timeout: options.timeout).connection()
      objects = try StoreCatalogue(reader).objects()
      let hashes = try MetadataTable(reader).read(path: work.path).metadata.versionHashes
      names = try tables(of: work.destination, objects.schema, Set(hashes.keys))
    }
    func belongs(_ object: StoredObjects.Object) -> Bool { names.contains(object.table) }
    try connection.execute(
      "ATTACH \(bind: .text(work.path)) AS \(name: Self.attached)"
    )
    for name in names {
      guard let definition = objects.definitions[name] else { continue }
      try connection.execute(Statement(text: definition))
    }
    for index in objects.indexes.filter(belongs) {
      try connection.execute(Statement(text: index.definition))
    }
    for name in names {
      try connection.execute(
        "INSERT INTO main.\(name: name) SELECT * FROM \(name: Self.attached).\(name: name)"
      )
    }
    for trigger in objects.triggers.filter(belongs) {
      try connection.execute(Statement(text: trigger.definition))
    }
  }
}

/// The last primary keys of a store's history, so that the history continues after them when its transactions
/// have been removed.
///
/// The transactions are removed, because a migration with a mapping model changes the keys of objects, and
/// its policies may compute the values of properties. One transaction number is skipped, so that no token
/// from before the migration seems current: every such token has expired (error 134301).
private struct HistoryNumbers {
  private let entities: [PrimaryKeyTable.Entity]
  /// The history tables that exist in the file.
  private let tables: [String]
  private var last: (change: Int64, transaction: Int64)?

  init(_ connection: Connection, _ schema: StoredSchema) throws {
    entities = try PrimaryKeyTable(connection).entities().filter(\.isReserved)
    tables = ContentCopy.history.filter { schema.columns[$0] != nil }
    if tables.count < ContentCopy.history.count { return }
    var last: (change: Int64, transaction: Int64) = (0, 0)
    try connection.statement(HistoryLayout.selectLastNumbers).forEach { row in
      last = (sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1))
    }
    self.last = last
  }

  /// Deletes all rows of the history tables, and then restores the last primary keys.
  func truncate(_ connection: Connection) throws {
    for table in tables { try connection.execute("DELETE FROM \(name: table)") }
    let table = PrimaryKeyTable(connection)
    for entity in entities {
      try connection.execute(PrimaryKeys.insertIfMissing(entity.number, name: entity.name))
      try table.setLastKey(entity.lastKey ?? 0, of: entity.number)
    }
    guard let last else { return }
    try table.setLastKey(last.change, of: HistorySchema.changeNumber)
    try table.setLastKey(last.transaction + 1, of: HistorySchema.transactionNumber)
  }
}
