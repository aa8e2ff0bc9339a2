// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite

/// The destination of a migration, and a working file beside it that replaces the destination when the
/// migration is complete.
///
/// The working file is removed when this object is deinitialised.
final class MigrationTarget {
  private let destination: MigratedStore
  /// The store in the working file.
  let work: MigratedStore
  /// Whether the working file gets the UUID of the store that it replaces.
  private let keepsIdentifier: Bool

  var url: URL { destination.url }

  /// Creates the target for a destination that does not exist, or to which the objects are added.
  ///
  /// - Throws: `NSMigrationManagerDestinationStoreError` if the destination is not an SQLite store in a file,
  ///   or if an existing store cannot be copied.
  init(_ destination: MigratedStore) throws {
    self.destination = destination
    work = Self.work(beside: destination)
    keepsIdentifier = false
    do {
      try NSPersistentStoreCoordinator.requireDatabase(
        at: destination.url,
        destination.type,
        "The store at \(destination.url.absoluteString) cannot be the destination of a migration."
      )
      if FileManager.default.fileExists(atPath: destination.url.path) {
        try Self.replace(work, by: destination)
      }
    } catch {
      throw MigrationErrors.destinationStore(error, destination.url)
    }
  }

  /// Creates the target for a store that is replaced by the result of its own migration.
  init(replacing store: MigratedStore) {
    destination = store
    work = Self.work(beside: store)
    keepsIdentifier = true
  }

  deinit { StoreFiles(path: work.url.path, timeout: 0).remove() }

  private static func work(beside store: MigratedStore) -> MigratedStore {
    let name = ".\(store.url.lastPathComponent).migration-\(UUID().uuidString).sqlite"
    var work = store
    work.url = store.url.deletingLastPathComponent().appendingPathComponent(name)
    return work
  }

  /// Replaces the destination with the working file.
  ///
  /// - Throws: `NSMigrationManagerDestinationStoreError` if the destination cannot be replaced. The
  ///   destination is then unchanged, unless only the synchronization of its folder to disk has failed.
  func finish() throws {
    do {
      if keepsIdentifier { try files(work).adoptIdentifier(of: files(destination)) }
      try Self.replace(destination, by: work)
    } catch {
      throw MigrationErrors.destinationStore(error, destination.url)
    }
  }

  private func files(_ store: MigratedStore) -> StoreFiles {
    StoreFiles(path: store.url.path, timeout: SQLiteStoreOptions(path: "").timeout)
  }

  private static func replace(_ store: MigratedStore, by other: MigratedStore) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
    try coordinator.replacePersistentStore(
      at: store.url,
      destinationOptions: store.options,
      withPersistentStoreFrom: other.url,
      sourceOptions: other.options,
      ofType: store.type
    )
  }
}
