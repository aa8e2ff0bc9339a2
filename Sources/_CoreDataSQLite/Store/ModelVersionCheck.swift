// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// A check whether another connection has migrated the file to another model since the store was opened.
///
/// SQLite changes the schema number (`PRAGMA schema_version`) with each change of the schema, and each
/// migration of this library changes the schema. While the number is the same, the check takes one statement
/// that reads no table. After a change, the check compares the version hashes, because indexes, `ANALYZE` and
/// `VACUUM` change the schema too.
///
/// Each connection has its own check. Source: documented, sqlite.org “PRAGMA schema_version”.
final class ModelVersionCheck: MigrationCheck {
  /// The state of the file when the store is opened.
  struct Opening: Sendable {
    /// The schema number, read before the model was compared with the file.
    let schemaNumber: Int64
    /// Entity name → entity number, for each entity whose rows are read with their entity number.
    let entityNumbers: [String: Int64]
    let model: ModelDefinition
    /// The names of the store's entities; nil for all entities of the model.
    let entities: Set<String>?
  }

  private let opening: Opening
  private let statement: PreparedStatement
  /// The schema number at the last comparison of the version hashes; at first, the number at opening.
  private var examined: Int64
  private var migration: FoundMigration?

  init(_ connection: Connection, _ opening: Opening) throws {
    self.opening = opening
    statement = try connection.unreportedStatement("PRAGMA schema_version")
    examined = opening.schemaNumber
  }

  /// Returns the migration by another connection, as the current transaction of `connection` sees the file;
  /// nil if the file still has the store's model.
  func foundMigration(_ connection: Connection) throws -> FoundMigration? {
    let current = try connection.untraced { try statement.integer() } ?? 0
    if current != examined {
      migration = try connection.untraced { try examine(connection) }
      examined = current
    }
    return migration
  }

  private func examine(_ connection: Connection) throws -> FoundMigration? {
    let path = connection.path
    let hashes = try MetadataTable(connection).read(path: path).metadata.versionHashes
    // A store without hashes can be opened with any model.
    if hashes.isEmpty { return nil }
    if !ModelHashes(model: opening.model).differ(from: hashes, entities: opening.entities) {
      return nil
    }
    let version = try StoreVersion(connection, path: path)
    guard
      let difference = version.difference(from: opening.model, entities: opening.entities)
    else { return nil }
    let numbers = try StoreCatalogue(connection).schema().numbers
    return FoundMigration(
      error: StoreError(
        .migratedMeanwhile,
        "another coordinator or process has migrated the store to another version of its model: "
          + difference,
        path: path
      ),
      keepsEntityNumbers: opening.entityNumbers.allSatisfy { numbers[$0.key] == $0.value }
    )
  }
}
