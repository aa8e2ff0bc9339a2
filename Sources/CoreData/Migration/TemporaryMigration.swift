// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// The migration of the objects of a store of another type than SQLite, in a temporary SQLite store.
///
/// The objects keep their keys.
struct TemporaryMigration {
  /// The coordinator's model.
  let model: ModelDefinition
  /// The names of the entities in the store's configuration; nil for all entities.
  let entities: Set<String>?
  /// The path or URL of the store, for error texts.
  let place: String
  /// Returns the migration for a temporary SQLite store with the given options.
  let migration: (SQLiteStoreOptions) -> AutomaticMigration

  /// Migrates the objects, and passes the migrated objects to `body`.
  ///
  /// - Throws: the errors of `AutomaticMigration.run()`, with the place of the store; errors of `body`.
  /// - Complexity: O(objects), of which one block is in memory.
  func run<T>(
    _ content: some TransferredContent,
    _ body: (ContentSource) throws -> T
  ) throws -> T {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("migration-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // The error is dropped: a temporary folder that cannot be removed does not affect the store.
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("Store.sqlite").path
    let files = StoreFiles(path: path, timeout: 0)
    try files.withNewStore(content, index: 0, entities: entities) { try $0.moveToDestination() }
    var settings = SQLiteStoreOptions(path: path)
    settings.entities = entities
    settings.keepsValuesInRows = true
    do {
      try migration(settings).run()
    } catch let error as NSError where error.domain == NSCocoaErrorDomain {
      throw located(error, path)
    }
    let store = try SQLiteStore(model: model, index: 0, options: settings)
    defer { store.close() }
    return try store.endingWrites { lastNumbers in
      try body(
        ContentSource(
          of: store,
          model: model,
          metadata: content.metadata,
          lastNumbers: lastNumbers
        )
      )
    }
  }

  /// Returns the error with the place of this store instead of that of the temporary store.
  private func located(_ error: NSError, _ path: String) -> NSError {
    var info = error.userInfo
    for (key, value) in info {
      if let text = value as? String {
        info[key] = text.replacingOccurrences(of: path, with: place)
      }
    }
    info[NSFilePathErrorKey] = place
    return NSError(domain: error.domain, code: error.code, userInfo: info)
  }
}

/// The search for the model that created a store of another type than SQLite.
struct StoredModelSearch {
  /// The coordinator's model.
  let shell: NSManagedObjectModel
  /// The version hashes of the store.
  let hashes: [String: Data]
  /// The path or URL of the store, for error texts.
  let place: String

  /// Returns a model in which the store's entities have the same version hashes, preferably `copy`, the store's
  /// own, or a model without other entities.
  ///
  /// - Throws: `NSMigrationMissingSourceModelError` if there is no such model.
  func model(_ copy: ModelDraft? = nil) throws -> AutomaticMigration.Source {
    let metadata = [NSStoreModelVersionHashesKey: hashes]
    let versions = shell.sourceURL.map(ModelLocator.versions(near:)) ?? []
    let merged = NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata)
    let stored = copy.flatMap { draft in
      // The error is dropped, because an invalid copy is treated as a missing one.
      (try? ModelDefinition(draft)).map { AutomaticMigration.Source(draft, $0) }
    }
    let known = (versions + [merged].compactMap(\.self)).map { model in
      // The error is dropped, because an invalid model did not create the store.
      (try? model.freeze().definition).map { AutomaticMigration.Source(model, $0) }
    }
    let candidates = ([stored] + known).compactMap(\.self).filter { source in
      let own = ModelHashes(model: source.definition).byEntity
      return hashes.allSatisfy { own[$0.key] == $0.value }
    }
    let found =
      candidates.first { $0.definition.entities.count == hashes.count } ?? candidates.first
    if let found { return found }
    throw coreDataError(
      NSMigrationMissingSourceModelError,
      "Persistent store migration failed, missing source managed object model.",
      "No version of the model has the store's entities (\(hashes.keys.sorted().joined(separator: ", "))) as they "
        + "were when the store was saved. Add the version of the model that created the store to the program.",
      userInfo: [NSFilePathErrorKey: place]
    )
  }

  /// Returns the error for a store that must be migrated, but is opened for reading only.
  func readOnly() -> NSError {
    coreDataError(
      NSMigrationError,
      "The persistent store must be migrated, but it is opened for reading only.",
      "Open the store without \(NSReadOnlyPersistentStoreOption), or with the model version that created it.",
      userInfo: [NSFilePathErrorKey: place]
    )
  }
}
