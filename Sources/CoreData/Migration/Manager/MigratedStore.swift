// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite

/// The program's description of the source or destination store of a migration.
struct MigratedStore {
  let type: String
  var url: URL
  var options: [AnyHashable: Any]

  var settings: SQLiteStoreOptions {
    StoreOpener.settings(of: options, at: url)
  }

  /// Returns the description of a working file, without the read-only option and the options that take effect
  /// after the migration.
  func at(_ path: String) -> MigratedStore {
    var store = self
    store.url = URL(fileURLWithPath: path)
    for key in Self.endingOptions + [NSReadOnlyPersistentStoreOption] { store.options[key] = nil }
    return store
  }

  /// The store as a migration's source, with options that open it read-only and do not migrate it.
  var asSource: MigratedStore {
    var store = self
    for key in Self.endingOptions { store.options[key] = nil }
    store.options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true)
    return store
  }

  /// Whether both describe the same file, which may have several paths.
  func isSame(as other: MigratedStore) -> Bool {
    url.isFileURL && other.url.isFileURL
      && StoreFiles(path: url.path, timeout: 0).isSame(as: other.url.path)
  }

  /// The options that take effect when the program adds the store after the migration.
  private static let endingOptions = [
    NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
    NSPersistentStoreStagedMigrationManagerOptionKey,
    NSPersistentStoreDeferredLightweightMigrationOptionKey, NSSQLiteManualVacuumOption,
    NSSQLiteAnalyzeOption, NSPersistentStoreRemoteChangeNotificationPostOptionKey,
  ]
}
