// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// The migration of an XML or binary store that is added with another version of its model.
///
/// The objects are copied to a temporary SQLite store of the old model. This store is migrated like any other
/// SQLite store, and its objects are then written to the file in one step. The objects keep their keys, and
/// the XML or binary store keeps its UUID.
///
/// Source: documented, “Using lightweight migration”. The temporary SQLite store is this library's choice.
struct FileStoreMigration {
  let format: any StoreFileFormat
  let options: FileStoreOptions
  /// The coordinator's model.
  let shell: NSManagedObjectModel
  let model: ModelDefinition

  /// Migrates the store.
  ///
  /// `migration` returns the migration for a temporary SQLite store with the given options.
  /// - Throws: `NSMigrationMissingSourceModelError` if the model that created the store is not found;
  ///   `NSMigrationError` if the store is opened read-only; the errors of `AutomaticMigration.run()`, with the
  ///   path of this store; `StoreError` if the file is damaged or cannot be written, or if another program
  ///   has written the file during the migration.
  /// - Complexity: O(objects), with all of them in memory.
  func run(_ migration: @escaping (SQLiteStoreOptions) -> AutomaticMigration) throws {
    let file = AtomicFile(path: options.path)
    let stamp = file.stamp
    let data = try StoreFileData.read(options.path) ?? Data()
    let search = StoredModelSearch(
      shell: shell,
      hashes: try format.metadata(of: data).metadata.versionHashes,
      place: options.path
    )
    if options.isReadOnly { throw search.readOnly() }
    let (old, identifier) = try content(search.model().definition)
    let temporary = TemporaryMigration(
      model: model,
      entities: options.entities,
      place: options.path,
      migration: migration
    )
    let new = try temporary.run(old) { try ContentTransfer($0) }
    guard file.stamp == stamp else {
      throw StoreError(
        .changedElsewhere,
        "another program has written the file during the migration; add the store again",
        path: options.path
      )
    }
    try FileStore(new, index: 0, format: format, options: options, identifier: identifier).close()
  }

  /// Reads the file with the model that created it.
  private func content(
    _ source: ModelDefinition
  ) throws -> (ContentTransfer, identifier: String) {
    let store = try FileStore(model: source, index: 0, format: format, options: options)
    let metadata = try store.metadata()
    let transfer = try store.endingWrites { content in
      try ContentTransfer(
        of: content.reader,
        model: source,
        metadata: metadata,
        lastNumbers: content.lastNumbers
      )
    }
    return (transfer, store.identifier)
  }
}
