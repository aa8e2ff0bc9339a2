// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite
import _CoreDataStore

/// Operations on store files: destroying, replacing and migrating stores, and reading and writing metadata.
extension NSPersistentStoreCoordinator {
  func destroy(_ url: URL, _ type: String, _ options: [AnyHashable: Any]?) throws {
    if try StoreKind(type: type).isInMemory { return }
    let failure = "The store at \(url.withoutPassword) cannot be destroyed."
    #if PostgreSQL
    if try StoreKind(type: type) == .postgreSQL { return try destroyDatabase(url, options) }
    #endif
    if try StoreKind(type: type).format != nil {
      try Self.requireFileURL(url, failure)
      return try removingStore(at: url) { try Self.removeFile(url, failure) }
    }
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
      "The store at \(destination.withoutPassword) cannot be replaced by the store at "
      + "\(source.withoutPassword)."
    if let format = try StoreKind(type: type).format {
      try Self.requireFileURL(source, failure)
      try Self.requireFileURL(destination, failure)
      try Self.requireFile(source, failure)
      let data = try Self.translated { try Self.data(of: source, format) }
      return try removingStore(at: destination) {
        try AtomicFile(path: destination.path).prepare(data).commit()
      }
    }
    #if PostgreSQL
    if try StoreKind(type: type) == .postgreSQL {
      return try replaceDatabase(
        destination,
        destinationOptions,
        by: source,
        sourceOptions
      )
    }
    #endif
    try Self.requireDatabase(at: destination, type, failure)
    try Self.requireDatabase(at: source, type, failure)
    try Self.requireFile(source, failure)
    try removingStore(at: destination) {
      try Self.files(destination, destinationOptions).replace(by: Self.files(source, sourceOptions))
    }
  }

  static func metadata(
    _ type: String,
    _ url: URL,
    _ options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    if let storeClass = StoreClasses.storeClass(for: type) {
      return try storeClass.metadataForPersistentStore(with: url)
    }
    let failure = "The metadata of the store at \(url.withoutPassword) cannot be read."
    #if PostgreSQL
    if try StoreKind(type: type) == .postgreSQL {
      return try translated { try databaseMetadata(url, options) }
    }
    #endif
    if let format = try StoreKind(type: type).format {
      try requireFileURL(url, failure)
      try requireFile(url, failure)
      return try translated {
        let data = try data(of: url, format)
        return try located(url) { try format.metadata(of: data).metadata.values }
      }
    }
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
    let failure = "The metadata of the store at \(url.withoutPassword) cannot be written."
    if let format = try StoreKind(type: type).format {
      try requireFileURL(url, failure)
      try requireFile(url, failure)
      return try translated { try writeMetadata(metadata, url, format) }
    }
    #if PostgreSQL
    if try StoreKind(type: type) == .postgreSQL {
      return try translated { try writeDatabaseMetadata(metadata, url, options) }
    }
    #endif
    try requireDatabase(at: url, type, failure)
    try requireFile(url, failure)
    try translated { try files(url, options).setMetadata(StoreMetadata(metadata ?? [:])) }
  }

  private static func writeMetadata(
    _ metadata: [String: Any]?,
    _ url: URL,
    _ format: any StoreFileFormat
  ) throws {
    let data = try data(of: url, format)
    let new = try located(url) {
      let old = try format.metadata(of: data).metadata
      return try format.replacingMetadata(
        in: data,
        by: old.replacingOwn(by: StoreMetadata(metadata ?? [:]))
      )
    }
    try AtomicFile(path: url.path).prepare(new).commit()
  }

  // MARK: Files

  /// Returns the content of a store's file, after a check that the file has the format.
  ///
  /// - Throws: `StoreError.corrupt` if the file is of another format; errors of reading the file.
  private static func data(of url: URL, _ format: any StoreFileFormat) throws -> Data {
    try located(url) {
      let data = try StoreFileData.read(url.path) ?? Data()
      _ = try format.metadata(of: data)
      return data
    }
  }

  private static func located<T>(_ url: URL, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch var error as StoreError where error.path == nil {
      error.path = url.path
      throw error
    }
  }

  private static func removeFile(_ url: URL, _ failure: String) throws {
    if unlink(url.path) == 0 || errno == ENOENT { return }
    throw StoreError(
      .cannotWrite,
      "the file cannot be removed: \(String(cString: strerror(errno)))",
      path: url.path
    )
  }

  /// Runs `body` while writes to the coordinator's store at `url` are blocked, and then removes the store.
  ///
  /// If `body` throws an error, the store is not removed. If the coordinator has no store of a built-in type
  /// at `url`, the function only runs `body`.
  private func removingStore(at url: URL, _ body: () throws -> Void) throws {
    let store = persistentStore(for: url)
    guard let store, !store.isCustom else { return try Self.translated(body) }
    try Self.translated {
      switch store.rows {
      case let rows as SQLiteStore: try rows.endingWrites(body)
      case let rows as FileStore: try rows.endingWrites { _ in try body() }
      default: try body()
      }
    }
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
        "Stores of type \(type) are not backed by a file. This operation supports only the types "
          + "\(NSSQLiteStoreType), \(NSXMLStoreType) and \(NSBinaryStoreType)."
      )
    }
    try requireFileURL(url, failure)
  }

  /// Checks that a store has a file of its own.
  ///
  /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` with the description `failure` if the URL is not
  ///   a file URL, or is the URL of SQLite stores in memory.
  static func requireFileURL(_ url: URL, _ failure: String) throws {
    if !url.isFileURL {
      throw unsupported(
        failure,
        "\(url.withoutPassword) is not a file URL. Create the URL with URL(fileURLWithPath:)."
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

  static func unsupported(_ failure: String, _ reason: String) -> NSError {
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

  static func files(_ url: URL, _ options: [AnyHashable: Any]?) -> StoreFiles {
    let timeout = options?[NSPersistentStoreTimeoutOption] as? NSNumber
    return StoreFiles(
      path: url.path,
      timeout: timeout?.doubleValue ?? SQLiteStoreOptions(path: "").timeout
    )
  }

  static func translated<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch { throw cocoaError(error) }
  }
}
