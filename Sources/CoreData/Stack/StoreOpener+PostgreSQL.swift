// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

#if PostgreSQL
import _CoreDataPostgres

extension StoreOpener {
  /// Opens the store in a schema of a database; creates the schema if it does not exist.
  ///
  /// - Throws: `NSPersistentStoreOpenError` without a URL whose scheme is `postgresql` or `postgres`;
  ///   the errors of the store and of a migration.
  func openPostgreSQL() throws -> any RowStore {
    let settings = try postgresOptions()
    let staged = try stagedMigration(StagedDatabase(options: settings))
    try staged?.finishInterrupted()
    let store: PostgresStore
    do {
      store = try PostgresStore(model: model, index: index, options: settings)
    } catch let error as StoreError where error.code == .incompatibleModel {
      guard let shell, flag(NSMigratePersistentStoresAutomaticallyOption) else { throw error }
      if let staged {
        try staged.run()
      } else {
        try DatabaseMigration(options: settings, shell: shell, model: model)
          .run { automaticMigration($0, shell) }
      }
      store = try PostgresStore(model: model, index: index, options: settings)
    }
    if store.isReadOnly, !settings.isReadOnly {
      Diagnostics.note(
        "the store at \(settings.address) is opened read-only, because it has a history and the option "
          + "NSPersistentHistoryTrackingKey is not true. Set the option to true to write to the store."
      )
    }
    return store
  }

  /// The settings of the store in its options.
  ///
  /// - Throws: as `openPostgreSQL()`.
  func postgresOptions() throws -> PostgresStoreOptions {
    var settings = try Self.postgresOptions(at: url, options)
    settings.isReadOnly = isModelReconstructed || settings.isReadOnly
    settings.ignoresModelVersions = isModelReconstructed || settings.ignoresModelVersions
    settings.entities = entities
    return settings
  }

  /// Returns the settings in the options of a store.
  ///
  /// - Throws: as `openPostgreSQL()`.
  static func postgresOptions(
    at url: URL?,
    _ options: [AnyHashable: Any]
  ) throws -> PostgresStoreOptions {
    func flag(_ key: String) -> Bool { Self.flag(key, in: options) }
    guard let url, url.isDatabaseServer else {
      throw coreDataError(
        NSPersistentStoreOpenError,
        "A store of the type \(PostgresStore.typeName) requires the URL of a database, but "
          + "\(url.map { "\($0.withoutPassword) is not one" } ?? "the URL is nil"). Write it as "
          + "postgresql://user@host:port/database."
      )
    }
    let schema = options[PostgreSQLSchemaOption].map { "\($0)" }
    var settings = PostgresStoreOptions(
      address: try PostgresAddress(url.absoluteString, schema: schema)
    )
    settings.isReadOnly = flag(NSReadOnlyPersistentStoreOption)
    settings.ignoresModelVersions = flag(NSIgnorePersistentStoreVersioningOption)
    settings.tracksHistory = flag(NSPersistentHistoryTrackingKey)
    settings.readsStandbys = flag(PostgreSQLStandbyReadsOption)
    if let limit = (options[NSPersistentStoreConnectionPoolMaxSizeKey] as? NSNumber)?.intValue {
      settings.connections = max(1, limit)
    }
    if let seconds = (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue {
      settings.patience = Int(max(0, min(seconds, 86_400)) * 1_000)
    }
    if let seconds = (options[PostgreSQLStatementTimeoutOption] as? NSNumber)?.doubleValue {
      settings.statementTimeout = Int(max(0, min(seconds, 86_400)) * 1_000)
    }
    return settings
  }
}

extension NSPersistentStoreCoordinator {
  static func databaseMetadata(
    _ url: URL,
    _ options: [AnyHashable: Any]?
  ) throws -> [String: Any] {
    try PostgresStore.metadata(StoreOpener.postgresOptions(at: url, options ?? [:])).values
  }

  static func writeDatabaseMetadata(
    _ metadata: [String: Any]?,
    _ url: URL,
    _ options: [AnyHashable: Any]?
  ) throws {
    try PostgresStore.setMetadata(
      StoreMetadata(metadata ?? [:]),
      StoreOpener.postgresOptions(at: url, options ?? [:])
    )
  }

  /// Drops the tables of a store in a database, and removes the store from the coordinator if it is there.
  func destroyDatabase(_ url: URL, _ options: [AnyHashable: Any]?) throws {
    try removingDatabase(at: url, options) {
      try PostgresStore.destroy(StoreOpener.postgresOptions(at: url, options ?? [:]))
    }
  }

  /// Replaces a store in a database by a copy of another one, and removes the replaced store from the coordinator
  /// if it is there.
  func replaceDatabase(
    _ destination: URL,
    _ destinationOptions: [AnyHashable: Any]?,
    by source: URL,
    _ sourceOptions: [AnyHashable: Any]?
  ) throws {
    try removingDatabase(at: destination, destinationOptions) {
      try PostgresStore.replace(
        StoreOpener.postgresOptions(at: destination, destinationOptions ?? [:]),
        by: StoreOpener.postgresOptions(at: source, sourceOptions ?? [:]),
        model: frozen.definition
      )
    }
  }

  /// Ends the query generations of the coordinator's store in the same schema, runs `body`, and then removes the
  /// store.
  private func removingDatabase(
    at url: URL,
    _ options: [AnyHashable: Any]?,
    _ body: () throws -> Void
  ) throws {
    let type = NSPersistentStore.StoreType.postgreSQL.rawValue
    let store = addedStore(StoreSpecification(type: type, url: url, options: options), at: url)
    // Contexts that are pinned to a moment of the store would make `body` wait for them.
    (store?.rows as? PostgresStore)?.endGenerations()
    try Self.translated(body)
    guard let store else { return }
    try remove(store)
    store.isFileDestroyed = true
  }
}
#endif

extension URL {
  /// Whether the URL is that of a PostgreSQL database.
  package var isDatabaseServer: Bool {
    let scheme = scheme?.lowercased()
    return scheme == "postgresql" || scheme == "postgres"
  }

  /// The text of the URL without the password of its user, for error texts and logs.
  package var withoutPassword: String {
    absoluteString
      .replacing(#/(:\/\/[^:@\/?#]*):[^\/?#]*@/#) { "\($0.output.1)@" }
      .replacing(#/([?&](?:ssl)?password=)[^&]*/#) { "\($0.output.1)…" }
  }
}
