// SPDX-License-Identifier: Apache-2.0

import _CoreDataStore

/// A check whether another connection has migrated the file to another model since the store was opened.
protocol MigrationCheck: AnyObject {
  /// Returns the migration by another connection, if the current transaction of `connection` sees the
  /// migrated file; nil if the file still has the store's model.
  func foundMigration(_ connection: Connection) throws -> FoundMigration?
}

/// A migration by another connection.
struct FoundMigration {
  let error: StoreError
  /// Whether the entity numbers of all entities that share a table are unchanged.
  let keepsEntityNumbers: Bool
}

extension Connection {
  /// Checks that the file still has the store's model; must be called in a write transaction.
  ///
  /// - Throws: `StoreError.migratedMeanwhile` if another connection has migrated the store; other errors if
  ///   the check cannot read the file.
  func checkModelVersion() throws {
    if let error = try migrationCheck?.foundMigration(self)?.error { throw error }
  }

  /// Runs `body`, which only reads, and then checks that the file still has the store's model.
  ///
  /// The check costs nothing unless SQLite has compiled a statement: after a change of the schema, SQLite
  /// recompiles each statement before its next execution. An error of a look-up can end the program, so a
  /// look-up accepts the rows of a migrated store if the entity numbers are the same.
  /// - Throws: `StoreError.migratedMeanwhile`, which also replaces an error of `body` that the migration
  ///   caused; other errors of `body`.
  func reading<T>(_ purpose: Purpose, _ body: () throws -> T) throws -> T {
    do {
      let result = try body()
      if compilations.wereNoticed { try checkRead(purpose) }
      return result
    } catch let error as StoreError where [.engine, .corrupt].contains(error.code) {
      // An error of the check is dropped, because `error` says more about the read.
      throw (try? migrationCheck?.foundMigration(self))?.error ?? error
    }
  }

  private func checkRead(_ purpose: Purpose) throws {
    guard let migration = try migrationCheck?.foundMigration(self) else {
      compilations.wereNoticed = false
      return
    }
    // `wereNoticed` stays true, so that the next read is checked even if its statement is not compiled again.
    if purpose == .scan || !migration.keepsEntityNumbers { throw migration.error }
  }
}
