// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataPostgres
import _CoreDataSQLite
import _CoreDataStore

/// A store in a PostgreSQL database that is migrated in stages.
///
/// Source: this library's choice.
struct StagedDatabase: StagedStore {
  let options: PostgresStoreOptions

  var place: String { options.address.description }
  var isReadOnly: Bool { options.isReadOnly }

  func metadata() throws -> StoreMetadata { try PostgresStore.metadata(options) }

  func setMetadata(_ metadata: StoreMetadata) throws {
    try PostgresStore.setMetadata(metadata, options)
  }

  func exclusively(_ body: () throws -> Void) throws {
    try PostgresStore.migratingAlone(options, body)
  }

  func sourceModel(_ model: NSManagedObjectModel) throws -> AutomaticMigration.Source {
    let stored = try PostgresInspection(options.address)
    return try StoredModelSearch(shell: model, hashes: stored.hashes, place: place)
      .model(stored.model)
  }

  func carryOut(_ step: StagedStep, entities: Set<String>?) throws {
    var options = options
    options.entities = entities
    let (source, destination) = (step.source.definition, step.destination)
    let temporary = TemporaryMigration(
      model: destination.definition,
      entities: entities,
      place: place,
      migration: {
        AutomaticMigration(
          settings: $0,
          model: destination.definition,
          shell: destination.model,
          infersMapping: true
        )
      }
    )
    try PostgresStore.migrate(
      options,
      to: destination.definition,
      plan: { stored in
        if stored.differs(from: source, entities: Set(stored.hashes.keys)) {
          throw changedMeanwhile(step)
        }
        return PostgresStore.MigrationPlan(source: source, mapping: step.mapping)
      },
      { content, write in try temporary.run(content, write) }
    )
  }

  /// The error for a store that a program without the stages has migrated since the steps were planned.
  private func changedMeanwhile(_ step: StagedStep) -> StoreError {
    StoreError(
      .incompatibleModel,
      "another program has migrated the store, so the step \(step) does not begin with its version; add the store "
        + "again",
      path: place
    )
  }
}
#endif
