// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import CoreData

/// Finds links to rows that are gone in a store's file, by plain SQL and without the library's schema.
// Unchecked: used by one thread at a time.
final class ForeignKeys: @unchecked Sendable {
  /// A column of keys, and the table that has the rows of these keys.
  struct Column: Hashable {
    let table: String
    let name: String
    let destination: String
  }

  let columns: [Column]
  private var handle: OpaquePointer?
  private var statement: OpaquePointer?

  /// - Throws: `SQLFile.Failure` where the file cannot be read.
  init(_ url: URL, _ model: NSManagedObjectModel) throws {
    columns = try Self.columns(SQLFile(url: url), model)
    guard sqlite3_open(url.path, &handle) == SQLITE_OK else {
      throw SQLFile.Failure(message: "open")
    }
    sqlite3_busy_timeout(handle, 5000)
    let sql = columns.map { column in
      "SELECT '\(column.table).\(column.name) leads to ' || \(column.name) FROM \(column.table) "
        + "WHERE \(column.name) IS NOT NULL "
        + "AND \(column.name) NOT IN (SELECT Z_PK FROM \(column.destination))"
    }.joined(separator: " UNION ALL ")
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw SQLFile.Failure(message: sql)
    }
  }

  deinit {
    sqlite3_finalize(statement)
    sqlite3_close_v2(handle)
  }

  /// A line for each link to a row that is not there.
  func broken() -> [String] {
    defer { sqlite3_reset(statement) }
    var found: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      found.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
    }
    return found
  }

  // MARK: Columns

  /// To-ones by the model, other links by the entity numbers in the names of tables and columns.
  private static func columns(_ file: SQLFile, _ model: NSManagedObjectModel) throws -> [Column] {
    var found: Set<Column> = []
    for entity in model.entities {
      for (name, relationship) in entity.relationshipsByName where !relationship.isToMany {
        guard let destination = relationship.destinationEntity else { continue }
        found.insert(
          Column(
            table: table(of: entity),
            name: "Z" + name.uppercased(),
            destination: table(of: destination)
          )
        )
      }
    }
    var tables: [Int: String] = [:]
    for (name, entity) in model.entitiesByName {
      let number = try file.texts("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)'")
      if let number = number.first.flatMap({ Int($0) }) { tables[number] = table(of: entity) }
    }
    let all = try file.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
    for table in all {
      for name in try file.texts("SELECT name FROM pragma_table_info('\(table)')") {
        guard let number = entityNumber(of: name, in: table), let destination = tables[number]
        else { continue }
        found.insert(Column(table: table, name: name, destination: destination))
      }
    }
    return found.sorted { ($0.table, $0.name) < ($1.table, $1.name) }
  }

  private static func table(of entity: NSEntityDescription) -> String {
    var root = entity
    while let next = root.superentity { root = next }
    return "Z" + (root.name ?? "").uppercased()
  }

  /// Of a column of a join table, or of an owner's key in its member's row; nil for any other column.
  private static func entityNumber(of column: String, in table: String) -> Int? {
    let pattern = table.hasPrefix("Z_") ? /Z_(\d+)\w+/ : /Z(\d+)[A-Z]\w+/
    return column.wholeMatch(of: pattern).flatMap { Int($0.1) }
  }
}
