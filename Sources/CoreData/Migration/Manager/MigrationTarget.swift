// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// The destination of a migration.
///
/// The migration writes to a working file beside the destination. The working file takes the destination's
/// place when the migration is complete. A migration that fails leaves the destination as it was. The working
/// file of a process that was killed is removed by the next migration into the destination, and when the
/// destination is added to a coordinator.
struct MigrationTarget {
  private let store: MigratedStore
  private let settings: SQLiteStoreOptions
  /// The destination model.
  private let model: ModelDefinition

  /// - Throws: `NSMigrationManagerDestinationStoreError` if the destination is not a store in a file; the
  ///   errors of a model that is not valid.
  init(_ store: MigratedStore, model: NSManagedObjectModel) throws {
    let failure =
      "The store at \(store.url.absoluteString) cannot be the destination of a migration."
    do {
      if Self.isWholeFile(store.type) {
        try NSPersistentStoreCoordinator.requireFileURL(store.url, failure)
      } else {
        try NSPersistentStoreCoordinator.requireDatabase(at: store.url, store.type, failure)
      }
    } catch {
      throw MigrationErrors.destinationStore(error, store.url)
    }
    self.init(store, settings: store.settings, model: try model.freeze().definition)
  }

  init(_ store: MigratedStore, settings: SQLiteStoreOptions, model: ModelDefinition) {
    self.store = store
    self.settings = settings
    self.model = model
  }

  private var files: StoreFiles { files(settings.path) }
  private var exists: Bool { FileManager.default.fileExists(atPath: settings.path) }

  private func files(_ path: String) -> StoreFiles {
    StoreFiles(path: path, timeout: settings.timeout)
  }

  // MARK: Adding objects

  /// Adds the objects that `body` inserts into a working file to the destination; creates the destination if
  /// it does not exist.
  ///
  /// - Throws: `NSMigrationManagerDestinationStoreError` if the destination cannot be written; the errors of
  ///   `body`.
  func fill(_ body: (MigratedStore) throws -> Void) throws {
    do {
      if Self.isWholeFile(store.type) { return try Self.fillWholeFile(store, body) }
      if exists { return try extend(body) }
      let lock = try MigrationLock(store: settings.path, timeout: settings.timeout)
      try withExtendedLifetime(lock) {
        // Another process may have created the store while this one waited.
        if exists { try extend(body) } else { try create(body) }
      }
    } catch let error as StoreError {
      throw MigrationErrors.destinationStore(error, store.url)
    }
  }

  private func create(_ body: (MigratedStore) throws -> Void) throws {
    let work = files(files.newWorkingPath)
    work.remove()
    defer { work.remove() }
    try body(store.at(files.newWorkingPath))
    try files.create(from: work)
  }

  private func extend(_ body: (MigratedStore) throws -> Void) throws {
    let work = files(files.workingPath)
    // The working file is removed after `run(_:)` returns, because the rewrite's connection has it open until
    // then.
    var isBegun = false
    defer { if isBegun { work.remove() } }
    try StoreRewrite(settings).run { _ in
      work.remove()
      isBegun = true
      try work.fill(from: files)
      try body(store.at(files.workingPath))
      return StoreRewrite.Work(
        path: files.workingPath,
        source: model,
        destination: model,
        isCopy: true
      )
    }
  }

  // MARK: Replacing objects

  /// Replaces the objects of the store, whose model is `source`, with the objects that `body` inserts into
  /// the working file.
  ///
  /// The store keeps its UUID; the transactions of its history are removed. If `isNeeded` returns false for
  /// the store's version, the store is not changed.
  /// - Throws: `StoreError` if the store cannot be written; the errors of `isNeeded` and `body`.
  func replace(
    source: ModelDefinition,
    where isNeeded: (StoreVersion) throws -> Bool,
    _ body: (MigratedStore) throws -> Void
  ) throws {
    let work = files(files.workingPath)
    var isBegun = false
    defer { if isBegun { work.remove() } }
    try StoreRewrite(settings).run { version in
      if try !isNeeded(version) { return nil }
      work.remove()
      isBegun = true
      var new = store.at(files.workingPath)
      new.options[NSPersistentHistoryTrackingKey] = nil
      try body(new)
      return StoreRewrite.Work(path: files.workingPath, source: source, destination: model)
    }
  }
}
