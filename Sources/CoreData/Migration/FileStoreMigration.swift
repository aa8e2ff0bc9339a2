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
  func run(_ migration: (SQLiteStoreOptions) -> AutomaticMigration) throws {
    if options.isReadOnly { throw readOnly() }
    let file = AtomicFile(path: options.path)
    let stamp = file.stamp
    let (old, identifier) = try content()
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("migration-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // The error is dropped: a temporary folder that cannot be removed does not affect the store.
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("Store.sqlite").path
    let new = try migrated(old, at: path, migration)
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
  private func content() throws -> (ContentTransfer, identifier: String) {
    let data = try StoreFileData.read(options.path) ?? Data()
    let source = try sourceModel(format.metadata(of: data).metadata.versionHashes)
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

  /// Migrates the objects in a temporary SQLite store at `path`, and returns the migrated objects.
  private func migrated(
    _ old: ContentTransfer,
    at path: String,
    _ migration: (SQLiteStoreOptions) -> AutomaticMigration
  ) throws -> ContentTransfer {
    let files = StoreFiles(path: path, timeout: 0)
    try files.withNewStore(old, index: 0, entities: options.entities) { try $0.moveToDestination() }
    var settings = SQLiteStoreOptions(path: path)
    settings.entities = options.entities
    settings.keepsValuesInRows = true
    do {
      try migration(settings).run()
    } catch let error as NSError where error.domain == NSCocoaErrorDomain {
      throw located(error, path)
    }
    let store = try SQLiteStore(model: model, index: 0, options: settings)
    defer { store.close() }
    return try store.endingWrites { lastNumbers in
      try ContentTransfer(
        of: store,
        model: model,
        metadata: old.metadata,
        lastNumbers: lastNumbers
      )
    }
  }

  // MARK: The model of the store

  /// Returns a model in which the store's entities have the same version hashes, preferably a model without
  /// other entities.
  private func sourceModel(_ hashes: [String: Data]) throws -> ModelDefinition {
    let metadata = [NSStoreModelVersionHashesKey: hashes]
    let versions = shell.sourceURL.map(ModelLocator.versions(near:)) ?? []
    let merged = NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata)
    let candidates = (versions + [merged].compactMap { $0 })
      // The error is dropped, because an invalid model did not create the store.
      .compactMap { try? $0.freeze().definition }
      .filter { definition in
        let own = ModelHashes(model: definition).byEntity
        return hashes.allSatisfy { own[$0.key] == $0.value }
      }
    let found = candidates.first { $0.entities.count == hashes.count } ?? candidates.first
    guard let found else { throw missingSource(hashes) }
    return found
  }

  // MARK: Errors

  private func missingSource(_ hashes: [String: Data]) -> NSError {
    coreDataError(
      NSMigrationMissingSourceModelError,
      "Persistent store migration failed, missing source managed object model.",
      "No version of the model has the store's entities (\(hashes.keys.sorted().joined(separator: ", "))) as they "
        + "were when the store was saved. Add the version of the model that created the store to the program.",
      userInfo: [NSFilePathErrorKey: options.path]
    )
  }

  private func readOnly() -> NSError {
    coreDataError(
      NSMigrationError,
      "The persistent store must be migrated, but it is opened for reading only.",
      "Open the store without \(NSReadOnlyPersistentStoreOption), or with the model version that created it.",
      userInfo: [NSFilePathErrorKey: options.path]
    )
  }

  /// Returns the error with the path of this store instead of that of the temporary store.
  private func located(_ error: NSError, _ path: String) -> NSError {
    var info = error.userInfo
    for (key, value) in info {
      if let text = value as? String {
        info[key] = text.replacingOccurrences(of: path, with: options.path)
      }
    }
    info[NSFilePathErrorKey] = options.path
    return NSError(domain: error.domain, code: error.code, userInfo: info)
  }
}
