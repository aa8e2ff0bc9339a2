// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataPostgres
import _CoreDataSQLite
import _CoreDataStore

/// The migration of a PostgreSQL store that is added with another version of its model.
///
/// With an inferred mapping, the tables are changed in place. Where that is not possible, and with a mapping model,
/// the objects are copied to a temporary SQLite store of the old model, which is migrated like any other SQLite
/// store, and then replace the tables. Everything is one transaction, during which other programs can read the
/// store and wait to write it. The store keeps its UUID, and the objects their keys.
///
/// Source: this library's choice.
struct DatabaseMigration {
  let options: PostgresStoreOptions
  /// The coordinator's model.
  let shell: NSManagedObjectModel
  let model: ModelDefinition

  /// Migrates the store; does nothing if another program has done it meanwhile.
  ///
  /// `migration` returns the migration for a temporary SQLite store with the given options.
  /// - Throws: `NSMigrationMissingSourceModelError` if the model that created the store is neither in the store
  ///   nor in the program; `NSMigrationError` if the store is opened read-only; the errors of
  ///   `AutomaticMigration.run()`; `StoreError`. The store is then unchanged.
  /// - Complexity: O(objects), of which one block is in memory.
  func run(_ migration: @escaping (SQLiteStoreOptions) -> AutomaticMigration) throws {
    if options.isReadOnly {
      let stored = try PostgresInspection(options.address)
      if stored.differs(from: model, entities: options.entities) {
        throw search(stored).readOnly()
      }
      return
    }
    let temporary = TemporaryMigration(
      model: model,
      entities: options.entities,
      place: place,
      migration: migration
    )
    func plan(_ stored: PostgresInspection) throws -> PostgresStore.MigrationPlan {
      let source = try search(stored).model(stored.model)
      let automatic = migration(SQLiteStoreOptions(path: place))
      let isInferred =
        try automatic.infersMapping && automatic.mappingModels(from: source).found == nil
      // The error is dropped, because the migration of the copy throws it again, or goes through other versions.
      let mapping = isInferred ? try? ModelMapping(inferredFrom: source.definition, to: model) : nil
      return PostgresStore.MigrationPlan(source: source.definition, mapping: mapping)
    }
    try PostgresStore.migrate(options, to: model, plan: plan) { content, write in
      try temporary.run(content, write)
    }
  }

  private var place: String { options.address.description }

  private func search(_ stored: PostgresInspection) -> StoredModelSearch {
    StoredModelSearch(shell: shell, hashes: stored.hashes, place: place)
  }
}
#endif
