// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite
import _CoreDataStore

/// Operations on store files: destroying, replacing, migrating, and metadata without an open store.
extension NSPersistentStoreCoordinator {
  func destroy(_ url: URL, _ type: String, _ options: [AnyHashable: Any]?) throws {
    if try StoreKind(type: type).isInMemory { return }
    guard try Self.isDatabaseFile(url, type) else { throw Self.notAFile(url) }
    let isNew = try Self.makeEmptyFile(url)
    try removingStore(at: url) { if !isNew { try Self.files(url, options).destroy() } }
  }

  func replace(
    _ destination: URL,
    options destinationOptions: [AnyHashable: Any]?,
    by source: URL,
    options sourceOptions: [AnyHashable: Any]?,
    type: String
  ) throws {
    guard try Self.isDatabaseFile(destination, type), try Self.isDatabaseFile(source, type) else {
      throw Self.noFile
    }
    try Self.requireFile(source)
    try removingStore(at: destination) {
      try Self.files(destination, destinationOptions).replace(by: Self.files(source, sourceOptions))
    }
  }

  func migrate(
    _ store: NSPersistentStore,
    to url: URL,
    options: [AnyHashable: Any]?,
    type: String
  ) throws -> NSPersistentStore {
    guard try Self.isDatabaseFile(url, type), let rows = store.rows as? SQLiteStore else {
      throw Self.noFile
    }
    if self.store(at: store.index) !== store { throw Self.foreignStoreError }
    if let added = persistentStore(for: url), let path = added.url {
      throw StoreOpener.alreadyAdded(path)
    }
    let there = StoreSpecification(
      type: type,
      configuration: store.configurationName,
      url: url,
      options: options
    )
    let new = try Self.translated {
      try rows.saveAs(Self.files(url, options)) { copy in
        // The copy is opened for validation before it replaces the file at the destination, so that an
        // invalid store leaves the destination unchanged.
        var beside = there
        beside.url = URL(fileURLWithPath: copy.path)
        try opener(for: beside, index: store.index).open().close()
        try copy.moveToDestination()
        do {
          let new = try makeStore(there, index: store.index)
          // Object keys contain the store's index, so the new store must get the same index.
          if replaceStore(store, for: new) { return new }
          new.rows.close()
          throw Self.foreignStoreError
        } catch {
          copy.undoMove()
          throw error
        }
      }
    }
    didRemove(store)
    didAdd(new)
    return new
  }

  static func metadata(_ type: String, _ url: URL) throws -> [String: Any] {
    guard try isDatabaseFile(url, type) else { throw noFile }
    try requireFile(url)
    return try translated { try files(url, nil).metadata().values }
  }

  static func writeMetadata(
    _ metadata: [String: Any]?,
    type: String,
    at url: URL,
    options: [AnyHashable: Any]?
  ) throws {
    guard try isDatabaseFile(url, type) else { throw noFile }
    try requireFile(url)
    try translated { try files(url, options).setMetadata(StoreMetadata(metadata ?? [:])) }
  }

  // MARK: Files

  /// Runs `body` while writes to the store at `url` are blocked, then removes the store; if `body`
  /// throws, the store stays.
  private func removingStore(at url: URL, _ body: () throws -> Void) throws {
    guard let store = persistentStore(for: url), let rows = store.rows as? SQLiteStore else {
      return try Self.translated(body)
    }
    try Self.translated { try rows.endingWrites(body) }
    try remove(store)
    store.isFileDestroyed = true
  }

  /// Whether a store with that type and URL is a database in a file.
  private static func isDatabaseFile(_ url: URL, _ type: String) throws -> Bool {
    try StoreKind(type: type).isDatabase && url.isFileURL
      && url.path != NSPersistentStoreDescription.memory.path
  }

  /// Creates an empty file if `url` names no file, as SQLite does when it opens the file to be emptied.
  ///
  /// - Returns: false if the file already exists.
  /// - Throws: `fileNoSuchFile` (4) if the folder of `url` does not exist; the errors of writing the file.
  private static func makeEmptyFile(_ url: URL) throws -> Bool {
    if FileManager.default.fileExists(atPath: url.path) { return false }
    let folder = url.deletingLastPathComponent()
    guard FileManager.default.fileExists(atPath: folder.path) else {
      throw CocoaError(
        .fileNoSuchFile,
        userInfo: [
          NSFilePathErrorKey: url.path, NSURLErrorKey: url,
          NSLocalizedDescriptionKey:
            "The store at \(url.path) cannot be destroyed: the folder \(folder.path) does not exist.",
        ]
      )
    }
    try Data().write(to: url, options: .withoutOverwriting)
    return true
  }

  private static func notAFile(_ url: URL) -> NSError {
    coreDataError(
      NSPersistentStoreUnsupportedRequestTypeError,
      "The store at \(url.absoluteString) cannot be destroyed.",
      "The store is not in a file. Remove an in-memory store from its coordinator instead."
    )
  }

  private static func requireFile(_ url: URL) throws {
    if FileManager.default.fileExists(atPath: url.path) { return }
    throw CocoaError(
      .fileReadNoSuchFile,
      userInfo: [NSFilePathErrorKey: url.path, NSURLErrorKey: url]
    )
  }

  private static var noFile: NSError {
    coreDataError(
      NSPersistentStoreUnsupportedRequestTypeError,
      "The stores cannot carry out the request.",
      "Only an SQLite store in a file can be replaced or migrated, or have its metadata accessed by URL."
    )
  }

  private static func files(_ url: URL, _ options: [AnyHashable: Any]?) -> StoreFiles {
    let timeout = options?[NSPersistentStoreTimeoutOption] as? NSNumber
    return StoreFiles(
      path: url.path,
      timeout: timeout?.doubleValue ?? SQLiteStoreOptions(path: "").timeout
    )
  }

  private static func translated<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch { throw cocoaError(error) }
  }
}
