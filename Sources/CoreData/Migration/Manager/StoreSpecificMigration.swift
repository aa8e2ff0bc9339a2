// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// A migration of an SQLite store with an inferred mapping model, which is carried out in SQL.
///
/// If the source is the destination, the store is migrated in place. Otherwise a copy of the source is
/// migrated in the destination's folder, and then renamed to the destination's name.
struct StoreSpecificMigration {
  let mapping: ModelMapping
  let from: MigratedStore
  let to: MigratedStore
  let model: NSManagedObjectModel

  /// Carries out the migration; after an error, both stores are unchanged.
  ///
  /// - Throws: `NSMigrationError`; `NSMigrationConstraintViolationError` if rows violate a uniqueness
  ///   constraint; `NSMigrationManagerSourceStoreError` if the source cannot be read or has a different
  ///   model; `NSMigrationManagerDestinationStoreError` if the destination cannot be written.
  func run() throws {
    try checkSource()
    do {
      if from.isSame(as: to) {
        _ = try StoreMigration(mapping, options: to.settings).run()
      } else {
        try create()
      }
    } catch let error as StoreError {
      if [.migration, .migrationConstraint].contains(error.code) { throw cocoaError(error) }
      throw MigrationErrors.destinationStore(error, to.url)
    }
  }

  private func checkSource() throws {
    do {
      let version = try StoreVersion.read(path: from.url.path)
      if version.isVersion(mapping.source) { return }
      throw StoreError(
        .incompatibleModel,
        version.difference(from: mapping.source, entities: nil)
          ?? "the store was not created with the source model of the migration",
        path: from.url.path
      )
    } catch {
      throw MigrationErrors.sourceStore(error, from.url)
    }
  }

  private func create() throws {
    let settings = to.settings
    func files(_ path: String) -> StoreFiles { StoreFiles(path: path, timeout: settings.timeout) }
    let target = files(settings.path)
    let work = files(target.newWorkingPath)
    let lock = try MigrationLock(store: settings.path, timeout: settings.timeout)
    try withExtendedLifetime(lock) {
      work.remove()
      defer { work.remove() }
      do {
        try work.fill(from: files(from.url.path))
      } catch let error as StoreError where error.path == from.url.path {
        throw MigrationErrors.sourceStore(error, from.url)
      }
      try work.becomeNewStore()
      var options = settings
      options.path = target.newWorkingPath
      options.isReadOnly = false
      _ = try StoreMigration(mapping, options: options).run()
      // Opening the store applies the options of the destination, such as the journal mode and the history.
      let stack = MigrationStack(model: model, isSource: true)
      try stack.open(to.at(target.newWorkingPath))
      stack.close()
      try target.create(from: work)
    }
  }
}
