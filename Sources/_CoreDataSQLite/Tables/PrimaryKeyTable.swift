// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataSQL
import _CoreDataStore

/// The table `Z_PRIMARYKEY` of an open file: entity numbers, and the last primary key used in each entity
/// hierarchy.
package struct PrimaryKeyTable {
  /// The row of one entity.
  package struct Entity: Sendable {
    /// The entity number (`Z_ENT`).
    package let number: Int64
    package let name: String
    /// The parent's entity number; 0 for a root entity.
    package let parent: Int64
    /// The last primary key used (`Z_MAX`); nil if the value in the file is not an integer.
    package let lastKey: Int64?
    /// Whether this is one of the framework's own entities, such as those of the history.
    package var isReserved: Bool { number >= PrimaryKeys.firstReservedNumber }
  }

  private let connection: Connection
  init(_ connection: Connection) { self.connection = connection }

  /// Returns all entities, sorted by entity number; rows without a name are skipped.
  ///
  /// The statement is not reported to the observer.
  func entities() throws -> [Entity] {
    var entities: [Entity] = []
    try connection.cached(PrimaryKeys.selectEntities).forEach { row in
      guard let name = textColumn(row, 1) else { return }
      entities.append(
        Entity(
          number: sqlite3_column_int64(row, 0),
          name: name,
          parent: sqlite3_column_int64(row, 2),
          lastKey: sqlite3_column_type(row, 3) == SQLITE_INTEGER
            ? sqlite3_column_int64(row, 3) : nil
        )
      )
    }
    return entities
  }

  /// Reserves `count` primary keys in the hierarchy of the root entity `name`, and returns the last reserved
  /// key.
  ///
  /// - Throws: `StoreError.corrupt` if `Z_PRIMARYKEY` has no row for the entity.
  func reserve(
    _ count: Int64,
    by reservation: PrimaryKeys.Reservation,
    named name: String
  ) throws -> Int64 {
    try connection.statement(reservation.reserve(count)).run()
    return try required(
      connection.statement(reservation.selectLastKey),
      reservation.entity,
      name
    )
  }

  /// Returns the highest primary key in the table `rows`, or the root entity's `Z_MAX` if that is greater.
  ///
  /// - Throws: `StoreError.corrupt` if `Z_PRIMARYKEY` has no row for the entity.
  func highestKey(of entity: Int64, named name: String, in rows: String) throws -> Int64 {
    try required(
      connection.statement(PrimaryKeys.selectHighestKey(of: entity, in: rows)),
      entity,
      name
    )
  }

  private func required(
    _ statement: PreparedStatement,
    _ entity: Int64,
    _ name: String
  ) throws -> Int64 {
    if let key = try statement.integer() { return key }
    throw StoreError(
      .corrupt,
      "\(PrimaryKeys.table) has no row for entity \(name) (Z_ENT \(entity)); restore a backup, or insert "
        + "this row",
      path: connection.path
    )
  }

  func setLastKey(_ key: Int64, of entity: Int64) throws {
    try connection.statement(PrimaryKeys.setLastKey(key, of: entity)).run()
  }

  /// Deletes the rows of the entities whose number is `number` or greater.
  func delete(from number: Int64) throws {
    try connection.execute(PrimaryKeys.delete(from: number))
  }
}
