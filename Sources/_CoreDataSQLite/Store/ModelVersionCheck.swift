// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
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
final class ModelVersionCheck {
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

  /// A migration by another connection.
  struct Migration {
    let error: StoreError
    /// Whether the file still has the entity numbers of `Opening.entityNumbers`.
    let keepsEntityNumbers: Bool
  }

  private let opening: Opening
  private let statement: PreparedStatement
  /// The schema number at the last comparison of the version hashes; at first, the number at opening.
  private var examined: Int64
  private var migration: Migration?

  init(_ connection: Connection, _ opening: Opening) throws {
    self.opening = opening
    statement = try connection.unreportedStatement("PRAGMA schema_version")
    examined = opening.schemaNumber
  }

  /// Returns the migration by another connection, as the current transaction of `connection` sees the file;
  /// nil if the file still has the store's model.
  func foundMigration(_ connection: Connection) throws -> Migration? {
    let current = try connection.untraced { try statement.integer() } ?? 0
    if current != examined {
      migration = try connection.untraced { try examine(connection) }
      examined = current
    }
    return migration
  }

  private func examine(_ connection: Connection) throws -> Migration? {
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
    return Migration(
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

extension Connection {
  /// Checks inside a write transaction that the file has the store's model.
  ///
  /// - Throws: `StoreError.migratedMeanwhile` if another connection has migrated the store; other errors if
  /// the check cannot read the file.
  func checkModelVersion() throws {
    if let error = try versionCheck?.foundMigration(self)?.error { throw error }
  }

  /// Runs `body`, which only reads, and then checks that the file has the store's model.
  ///
  /// The check costs nothing unless SQLite has compiled a statement: after a change of the schema, SQLite
  /// recompiles each statement before it runs. An error of a look-up can end the program, so a look-up
  /// accepts the rows of a migrated store if the entity numbers are the same.
  /// - Throws: `StoreError.migratedMeanwhile`, which also replaces an error of `body` that the migration
  /// caused; other errors of `body`.
  func reading<T>(_ purpose: Purpose, _ body: () throws -> T) throws -> T {
    do {
      let result = try body()
      if compilations.wereNoticed { try checkRead(purpose) }
      return result
    } catch let error as StoreError where [.engine, .corrupt].contains(error.code) {
      // An error of the check is dropped, because `error` says more about the read.
      throw (try? versionCheck?.foundMigration(self))?.error ?? error
    }
  }

  private func checkRead(_ purpose: Purpose) throws {
    guard let migration = try versionCheck?.foundMigration(self) else {
      compilations.wereNoticed = false
      return
    }
    // `wereNoticed` stays true, so that the next read is checked even if its statement is not compiled again.
    if purpose == .scan || !migration.keepsEntityNumbers { throw migration.error }
  }
}

/// A flag that is set when SQLite compiles a statement of one connection.
///
/// SQLite calls the authorizer whenever it compiles a statement, including when it recompiles a statement
/// because the schema has changed. Source: SQLite, “Compile-Time Authorization Callbacks”.
final class CompilationNotice {
  /// Whether a statement was compiled since this property was last set to false; initially true.
  var wereNoticed = true

  /// Installs the callback in a connection, which must retain this object.
  func install(on handle: OpaquePointer) {
    sqlite3_set_authorizer(
      handle,
      { notice, _, _, _, _, _ in
        if let notice {
          Unmanaged<CompilationNotice>.fromOpaque(notice).takeUnretainedValue().wereNoticed = true
        }
        return SQLITE_OK
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }
}
