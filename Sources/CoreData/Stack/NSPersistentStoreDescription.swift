// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite

/// Describes a store and the options with which to add it to a coordinator.
///
/// Source: documented, “NSPersistentStoreDescription”.
open class NSPersistentStoreDescription: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: the description is configured before it is passed to a container, and only read afterwards.

  /// Creates a description of an SQLite store at `url`, with automatic migration enabled.
  ///
  /// If the scheme of the URL is `postgresql` or `postgres`, the description is that of a PostgreSQL store,
  /// which Apple's framework does not have.
  public init(url: URL) {
    self.url = url
    if url.isDatabaseServer { type = NSPersistentStore.StoreType.postgreSQL.rawValue }
    super.init()
  }

  /// Creates a description of an in-memory SQLite store at `/dev/null`; set `url` for a store in a file.
  public override convenience init() { self.init(url: Self.memory) }

  /// The URL of SQLite stores in memory, `/dev/null`.
  static let memory = URL(fileURLWithPath: SQLiteStoreOptions.memoryPath)

  /// The store that was added for this description; nil before the store is added and after it was
  /// deallocated.
  weak var store: NSPersistentStore?

  /// Whether the described store has no file; false for an SQLite store without a URL, which cannot be added.
  var isInMemory: Bool {
    url?.path == Self.memory.path || StoreKind(rawValue: type)?.isInMemory == true
  }

  /// The store's type; `NSSQLiteStoreType` by default.
  open var type = NSSQLiteStoreType
  /// The URL of the store's file; `/dev/null` stands for an SQLite store in memory.
  ///
  /// Only a store of type InMemory, which has no file, can be added without a URL.
  open var url: URL?
  /// The name of the configuration whose entities the store contains; nil, the default, for all entities.
  open var configuration: String?
  /// The options with which the store is added; `setOption(_:forKey:)` changes them.
  ///
  /// By default, the options enable automatic migration with an inferred mapping model.
  open private(set) var options: [String: NSObject] = [
    NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
    NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
  ]
  /// Whether the store is added asynchronously; false by default.
  open var shouldAddStoreAsynchronously = false

  /// Sets an option; nil removes the option.
  open func setOption(_ option: NSObject?, forKey key: String) { options[key] = option }

  /// Whether the store is opened read-only; false by default.
  open var isReadOnly: Bool {
    get { flag(NSReadOnlyPersistentStoreOption) }
    set { setFlag(NSReadOnlyPersistentStoreOption, newValue) }
  }
  /// The number of seconds to wait for a lock of another process; 240 by default.
  open var timeout: TimeInterval {
    get { (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
    set { options[NSPersistentStoreTimeoutOption] = NSNumber(value: newValue) }
  }
  /// The pragmas that are set on every connection, by name; empty by default.
  open var sqlitePragmas: [String: NSObject] {
    options[NSSQLitePragmasOption] as? PragmaDictionary ?? [:]
  }
  private typealias PragmaDictionary = [String: NSObject]

  /// Sets a pragma for every connection; nil removes the pragma.
  open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
    var pragmas = sqlitePragmas
    pragmas[name] = value
    options[NSSQLitePragmasOption] = NSDictionary(dictionary: pragmas)
  }

  /// Whether a store of another model version is migrated when it is added; true by default.
  open var shouldMigrateStoreAutomatically: Bool {
    get { flag(NSMigratePersistentStoresAutomaticallyOption) }
    set { setFlag(NSMigratePersistentStoresAutomaticallyOption, newValue) }
  }
  /// Whether a migration may infer the mapping model; true by default.
  open var shouldInferMappingModelAutomatically: Bool {
    get { flag(NSInferMappingModelAutomaticallyOption) }
    set { setFlag(NSInferMappingModelAutomaticallyOption, newValue) }
  }

  private func flag(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? false }
  private func setFlag(_ key: String, _ value: Bool) { options[key] = NSNumber(value: value) }

  /// Returns a description with the same settings.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentStoreDescription()
    copy.url = url
    copy.type = type
    copy.configuration = configuration
    copy.options = options
    copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
    return copy
  }

  open override var description: String {
    "<NSPersistentStoreDescription> (type: \(type), url: \(url?.withoutPassword ?? "nil"))"
  }
}
