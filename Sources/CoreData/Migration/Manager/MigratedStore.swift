// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite

/// A store of a migration as the program describes it.
struct MigratedStore {
  let type: String
  var url: URL
  var options: [AnyHashable: Any]

  /// The settings that the options contain.
  var settings: SQLiteStoreOptions {
    StoreOpener.settings(of: options, at: url)
  }

  /// Returns the description of a working file with the options that matter while it is filled.
  func at(_ path: String) -> MigratedStore {
    var store = self
    store.url = URL(fileURLWithPath: path)
    for key in Self.endingOptions + [NSReadOnlyPersistentStoreOption] { store.options[key] = nil }
    return store
  }

  /// The store, which is only read and not migrated by being added.
  var asSource: MigratedStore {
    var store = self
    for key in Self.endingOptions { store.options[key] = nil }
    store.options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true)
    return store
  }

  /// Whether both are one store, whatever the paths.
  func isSame(as other: MigratedStore) -> Bool {
    url.isFileURL && other.url.isFileURL
      && StoreFiles(path: url.path, timeout: 0).isSame(as: other.url.path)
  }

  /// The options that have effect when the migration has ended and the store is added.
  private static let endingOptions = [
    NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
    NSPersistentStoreStagedMigrationManagerOptionKey,
    NSPersistentStoreDeferredLightweightMigrationOptionKey, NSSQLiteManualVacuumOption,
    NSSQLiteAnalyzeOption, NSPersistentStoreRemoteChangeNotificationPostOptionKey,
  ]
}
