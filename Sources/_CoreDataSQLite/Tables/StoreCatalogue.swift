// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataSQL
import _CoreDataStore

/// Reads the schema of an open file.
///
/// The statements are not reported to the observer.
/// Source: SQLite, “The Schema Table”, “PRAGMA table_info”.
struct StoreCatalogue {
  private let connection: Connection
  init(_ connection: Connection) { self.connection = connection }

  /// The name of the table that contains the copy of the model; old stores do not have this table.
  static let modelCache = "Z_MODELCACHE"
  private static let required = ["Z_METADATA", PrimaryKeys.table]

  func isEmpty() throws -> Bool {
    try connection.texts("SELECT name FROM sqlite_master LIMIT 1").isEmpty
  }

  func tables() throws -> Set<String> {
    Set(try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'"))
  }

  /// Checks that the file has the tables that every Core Data store has.
  ///
  /// - Throws: `StoreError.corrupt` if one of these tables is missing; SQLite's error if the file is not a
  ///   database.
  func requireStore() throws {
    let found = try tables()
    let missing = Self.required.filter { !found.contains($0) }
    if missing.isEmpty { return }
    if found.isEmpty {
      throw StoreError(
        .corrupt,
        "the file is an SQLite database without tables, such as a destroyed store; to create a store in the "
          + "file, add the file to a coordinator without NSReadOnlyPersistentStoreOption",
        path: connection.path
      )
    }
    let absent =
      missing.count == 1
      ? "table \(missing[0]) is" : "tables \(missing.joined(separator: " and ")) are"
    throw StoreError(
      .corrupt,
      "the file is an SQLite database but not a Core Data store, because the \(absent) missing",
      path: connection.path
    )
  }

  func columns() throws -> [String: [ColumnDefinition]] {
    var columns: [String: [ColumnDefinition]] = [:]
    try connection.cached(Self.selectColumns).forEach { row in
      guard let table = textColumn(row, 0), let name = textColumn(row, 1) else { return }
      columns[table, default: []]
        .append(ColumnDefinition(name: name, type: textColumn(row, 2) ?? ""))
    }
    return columns
  }

  private static let selectColumns = Statement(
    text: "SELECT m.name, c.name, c.type FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
      + "WHERE m.type = 'table' ORDER BY m.name, c.cid"
  )

  func schema() throws -> StoredSchema {
    var numbers: [String: Int64] = [:]
    for entity in try PrimaryKeyTable(connection).entities() where !entity.isReserved {
      numbers[entity.name] = entity.number
    }
    return StoredSchema(numbers: numbers, columns: try columns().mapValues { $0.map(\.name) })
  }

  func triggers() throws -> [String] {
    try connection.texts("SELECT name FROM sqlite_master WHERE type = 'trigger'")
  }

  func indexes() throws -> [(table: String, name: String)] {
    var indexes: [(table: String, name: String)] = []
    try connection.cached("SELECT tbl_name, name FROM sqlite_master WHERE type = 'index'")
      .forEach { row in
        if let table = textColumn(row, 0), let name = textColumn(row, 1) {
          indexes.append((table, name))
        }
      }
    return indexes
  }

  /// Returns the file's tables, indexes, triggers and last primary keys, for planning a migration.
  ///
  /// `schema` is the file's schema; nil if the schema has not been read yet.
  func objects(_ schema: StoredSchema? = nil) throws -> StoredObjects {
    var lastKeys: [Int64: Int64] = [:]
    for entity in try PrimaryKeyTable(connection).entities() where !entity.isReserved {
      lastKeys[entity.number] = entity.lastKey ?? 0
    }
    var objects = StoredObjects(
      schema: try schema ?? self.schema(),
      indexes: [],
      triggers: [],
      definitions: [:],
      lastKeys: lastKeys
    )
    try connection.cached(
      "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL"
    ).forEach { row in
      guard let name = textColumn(row, 1), let table = textColumn(row, 2),
        let definition = textColumn(row, 3)
      else { return }
      let object = StoredObjects.Object(name: name, table: table, definition: definition)
      switch textColumn(row, 0) {
      case "index": objects.indexes.append(object)
      case "trigger": objects.triggers.append(object)
      case "table": objects.definitions[name] = definition
      default: break
      }
    }
    return objects
  }

  /// Returns the statements that create the file's tables and then its indexes.
  ///
  /// Virtual tables and the objects that SQLite creates itself are left out.
  func definitions() throws -> [Statement] {
    let texts = try connection.texts(
      """
      SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' \
      AND sql NOT LIKE 'CREATE VIRTUAL%' AND type IN ('table', 'index') ORDER BY type DESC
      """
    )
    return texts.map { Statement(text: $0) }
  }
}
