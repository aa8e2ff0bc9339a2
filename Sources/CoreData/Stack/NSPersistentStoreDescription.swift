// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What to add to a coordinator, and how.
///
/// Source: documented, “NSPersistentStoreDescription”.
open class NSPersistentStoreDescription: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: set up before it is handed to a container, read from then on.

  /// A description of an SQLite store at `url`, with automatic migration.
  public init(url: URL) {
    self.url = url
    super.init()
  }

  /// A description of an SQLite store at `/dev/null`, which lives in memory; set `url` for one in a file.
  public override convenience init() { self.init(url: Self.memory) }

  /// Where a store without a file is.
  static let memory = URL(fileURLWithPath: "/dev/null")

  /// The store that was added for this description, while it lives.
  weak var store: NSPersistentStore?

  /// Whether its store has no file.
  var isInMemory: Bool {
    url == nil || url?.path == Self.memory.path
      || StoreKind(rawValue: type)?.isInMemory == true
  }

  /// The store's type; `NSSQLiteStoreType` at first.
  open var type = NSSQLiteStoreType
  /// Where the store's file is; `/dev/null` for an SQLite store in memory.
  open var url: URL?
  /// The configuration whose entities the store holds; nil for all.
  open var configuration: String?
  /// The options; see `setOption(_:forKey:)`.
  open private(set) var options: [String: NSObject] = [
    NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
    NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
  ]
  /// Whether the store is added in the background; false at first.
  open var shouldAddStoreAsynchronously = false

  /// Sets an option, or removes it.
  open func setOption(_ option: NSObject?, forKey key: String) { options[key] = option }

  /// Whether saves to the store fail; false at first.
  open var isReadOnly: Bool {
    get { flag(NSReadOnlyPersistentStoreOption) }
    set { setFlag(NSReadOnlyPersistentStoreOption, newValue) }
  }
  /// Seconds to wait for another process; 240 at first.
  open var timeout: TimeInterval {
    get { (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
    set { options[NSPersistentStoreTimeoutOption] = NSNumber(value: newValue) }
  }
  /// Pragmas for every connection.
  open var sqlitePragmas: [String: NSObject] {
    options[NSSQLitePragmasOption] as? PragmaDictionary ?? [:]
  }
  private typealias PragmaDictionary = [String: NSObject]

  /// Sets a pragma for every connection, or removes it.
  open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
    var pragmas = sqlitePragmas
    pragmas[name] = value
    options[NSSQLitePragmasOption] = NSDictionary(dictionary: pragmas)
  }

  /// Whether a store of another model version is migrated; true at first.
  open var shouldMigrateStoreAutomatically: Bool {
    get { flag(NSMigratePersistentStoresAutomaticallyOption) }
    set { setFlag(NSMigratePersistentStoresAutomaticallyOption, newValue) }
  }
  /// Whether a migration may infer its mapping; true at first.
  open var shouldInferMappingModelAutomatically: Bool {
    get { flag(NSInferMappingModelAutomaticallyOption) }
    set { setFlag(NSInferMappingModelAutomaticallyOption, newValue) }
  }

  private func flag(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? false }
  private func setFlag(_ key: String, _ value: Bool) { options[key] = NSNumber(value: value) }

  /// A description with the same settings.
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
    "<NSPersistentStoreDescription> (type: \(type), url: \(url?.absoluteString ?? "nil"))"
  }
}
