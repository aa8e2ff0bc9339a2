// SPDX-License-Identifier: Apache-2.0

import CoreDataSQLite
import CoreDataStore
import Foundation

/// Stores as files: destroyed, replaced, saved as others, and their metadata without a stack.
extension NSPersistentStoreCoordinator {
  func destroy(_ url: URL, _ type: String, _ options: [AnyHashable: Any]?) throws {
    guard try Self.isFile(url, type) else { return }
    try letGo(of: url)
    try Self.translated { try Self.files(url, options).destroy() }
  }

  func replace(
    _ destination: URL,
    _ destinationOptions: [AnyHashable: Any]?,
    _ source: URL,
    _ sourceOptions: [AnyHashable: Any]?,
    _ type: String
  ) throws {
    guard try Self.isFile(destination, type), try Self.isFile(source, type) else {
      throw Self.noFile
    }
    try Self.requireFile(source)
    try letGo(of: destination)
    try Self.translated {
      try Self.files(destination, destinationOptions).replace(by: Self.files(source, sourceOptions))
    }
  }

  func migrate(
    _ store: NSPersistentStore,
    _ url: URL,
    _ options: [AnyHashable: Any]?,
    _ type: String
  ) throws -> NSPersistentStore {
    guard try Self.isFile(url, type), let rows = store.rows as? SQLiteStore else {
      throw Self.noFile
    }
    if let there = persistentStore(for: url), let path = there.url {
      throw StoreOpener.alreadyAdded(path)
    }
    try Self.translated { try Self.files(url, options).saveAs(rows) }
    // The place in the list is part of each object's key.
    try remove(store)
    return try add(type, store.configurationName, url, options, inPlaceOf: store)
  }

  static func metadata(_ type: String, _ url: URL) throws -> [String: Any] {
    guard try isFile(url, type) else { throw noFile }
    try requireFile(url)
    return try translated { try files(url, nil).metadata().values }
  }

  static func setMetadata(
    _ metadata: [String: Any]?,
    _ type: String,
    _ url: URL,
    _ options: [AnyHashable: Any]?
  ) throws {
    guard try isFile(url, type) else { throw noFile }
    try requireFile(url)
    try translated { try files(url, options).setMetadata(StoreMetadata(metadata ?? [:])) }
  }

  // MARK: Parts

  private func letGo(of url: URL) throws {
    guard let store = persistentStore(for: url) else { return }
    try remove(store)
    store.isGone = true
  }

  /// Whether a store of that type at that place is a file.
  private static func isFile(_ url: URL, _ type: String) throws -> Bool {
    switch type {
    case NSSQLiteStoreType: return url.isFileURL && url.path != "/dev/null"
    case NSInMemoryStoreType: return false
    default: throw StoreOpener.unknown(type)
    }
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
      "only SQLite stores in files can be replaced, saved as others or asked for metadata by their URL"
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
