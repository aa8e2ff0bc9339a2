// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite
import _CoreDataStore

/// Operations on store files: destroying, replacing and migrating stores, and reading and writing metadata.
extension NSPersistentStoreCoordinator {
  func destroy(_ url: URL, _ type: String, _ options: [AnyHashable: Any]?) throws {
    if try StoreKind(type: type).isInMemory { return }
    let failure = "The store at \(url.absoluteString) cannot be destroyed."
    try Self.requireDatabase(at: url, type, failure)
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
    let failure =
      "The store at \(destination.absoluteString) cannot be replaced by the store at "
      + "\(source.absoluteString)."
    try Self.requireDatabase(at: destination, type, failure)
    try Self.requireDatabase(at: source, type, failure)
    try Self.requireFile(source, failure)
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
    let failure =
      "The store at \(self.url(for: store).absoluteString) cannot be migrated to \(url.absoluteString)."
    try Self.requireDatabase(at: url, type, failure)
    guard let rows = store.rows as? SQLiteStore else {
      throw Self.unsupported(
        failure,
        "Only stores of type \(NSSQLiteStoreType) can be migrated; this store is of type \(store.type)."
      )
    }
    if self.store(at: store.index) !== store { throw foreignStoreError(store) }
    if let added = persistentStore(for: url), let path = added.url {
      throw StoreOpener.alreadyAdded(
        path,
        remedy: "Migrate to another URL, or remove that store from the coordinator first."
      )
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
          throw foreignStoreError(store)
        } catch {
          copy.undoMove()
          throw error
        }
      }
    }
    didRemove(store)
    didAdd(new, replacing: store)
    return new
  }

  static func metadata(_ type: String, _ url: URL) throws -> [String: Any] {
    if let storeClass = StoreClasses.storeClass(for: type) {
      return try storeClass.metadataForPersistentStore(with: url)
    }
    let failure = "The metadata of the store at \(url.absoluteString) cannot be read."
    try requireDatabase(at: url, type, failure)
    try requireFile(url, failure)
    return try translated { try files(url, nil).metadata().values }
  }

  static func writeMetadata(
    _ metadata: [String: Any]?,
    type: String,
    at url: URL,
    options: [AnyHashable: Any]?
  ) throws {
    if let storeClass = StoreClasses.storeClass(for: type) {
      return try storeClass.setMetadata(metadata, forPersistentStoreAt: url)
    }
    let failure = "The metadata of the store at \(url.absoluteString) cannot be written."
    try requireDatabase(at: url, type, failure)
    try requireFile(url, failure)
    try translated { try files(url, options).setMetadata(StoreMetadata(metadata ?? [:])) }
  }

  // MARK: Files

  /// Runs `body` while writes to the coordinator's store at `url` are blocked, and then removes the store.
  ///
  /// If `body` throws an error, the store is not removed. If the coordinator has no SQLite store at `url`,
  /// only runs `body`.
  private func removingStore(at url: URL, _ body: () throws -> Void) throws {
    guard let store = persistentStore(for: url), let rows = store.rows as? SQLiteStore else {
      return try Self.translated(body)
    }
    try Self.translated { try rows.endingWrites(body) }
    try remove(store)
    store.isFileDestroyed = true
  }

  /// Checks that a store with the given type and URL is a database in a file.
  ///
  /// `failure` is the description of the error.
  /// - Throws: `NSPersistentStoreInvalidTypeError` for an unknown type;
  ///   `NSPersistentStoreUnsupportedRequestTypeError` if the store is not a database in a file.
  static func requireDatabase(at url: URL, _ type: String, _ failure: String) throws {
    if try !StoreKind(type: type).isDatabase {
      throw unsupported(
        failure,
        "Stores of type \(type) are not backed by a file. This operation supports only stores of type "
          + "\(NSSQLiteStoreType)."
      )
    }
    if !url.isFileURL {
      throw unsupported(
        failure,
        "\(url.absoluteString) is not a file URL. Create the URL with URL(fileURLWithPath:)."
      )
    }
    if url.path == NSPersistentStoreDescription.memory.path {
      throw unsupported(
        failure,
        "\(url.path) is the URL of every SQLite store in memory, which has no file. Use the store through "
          + "its coordinator, and discard it with remove(_:)."
      )
    }
  }

  private static func unsupported(_ failure: String, _ reason: String) -> NSError {
    coreDataError(NSPersistentStoreUnsupportedRequestTypeError, failure, reason)
  }

  /// Creates an empty file if there is no file at `url`.
  ///
  /// - Returns: false if the file already exists.
  /// - Throws: `fileNoSuchFile` (4) if the folder of `url` does not exist; the errors of writing the file.
  private static func makeEmptyFile(_ url: URL) throws -> Bool {
    if FileManager.default.fileExists(atPath: url.path) { return false }
    let folder = url.deletingLastPathComponent()
    guard FileManager.default.fileExists(atPath: folder.path) else {
      throw coreDataError(
        CocoaError.fileNoSuchFile.rawValue,
        "The store at \(url.path) cannot be destroyed, because the folder \(folder.path) does not exist. "
          + "Check the URL, or create the folder.",
        userInfo: [NSFilePathErrorKey: url.path, NSURLErrorKey: url]
      )
    }
    try Data().write(to: url, options: .withoutOverwriting)
    return true
  }

  private static func requireFile(_ url: URL, _ failure: String) throws {
    if FileManager.default.fileExists(atPath: url.path) { return }
    throw coreDataError(
      CocoaError.fileReadNoSuchFile.rawValue,
      "\(failure) The file \(url.path) does not exist. Check the URL, or create the store first.",
      userInfo: [NSFilePathErrorKey: url.path, NSURLErrorKey: url]
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
