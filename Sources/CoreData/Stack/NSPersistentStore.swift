// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataSQLite
import _CoreDataStore

/// One persistent store; its coordinator creates and opens it.
///
/// Source: documented, “NSPersistentStore”.
open class NSPersistentStore: NSObject, @unchecked Sendable {
  // Unchecked: the store is immutable except for atomics and values guarded by locks.
  private let connection: Mutex<StoreConnection>
  /// The poster of remote change notifications; nil if the store's options do not request them, or if the
  /// store was removed.
  let remoteChanges = Mutex<RemoteChangePoster?>(nil)
  /// The store's index in the coordinator; the index is a part of the keys of the store's objects.
  package let index: Int
  private let fileIsDestroyed = Atomic(false)
  private let coordinator: Mutex<WeakCoordinator>
  private struct WeakCoordinator: Sendable { weak var target: NSPersistentStoreCoordinator? }
  private let lastMetadata = Mutex<StoreMetadata?>(nil)
  /// Whether the store was removed because its file was destroyed or replaced.
  var isFileDestroyed: Bool {
    get { fileIsDestroyed.load(ordering: .acquiring) }
    set { fileIsDestroyed.store(newValue, ordering: .releasing) }
  }
  /// The name of the configuration that contains all entities.
  static let wholeModel = "PF_DEFAULT_CONFIGURATION_NAME"
  /// The indexes of the entities in the store's configuration; nil for all entities.
  let entities: Set<Int>?
  /// The number of the coordinator; still set after the store was removed.
  let coordinatorNumber: UInt32

  init(
    rows: any RowStore,
    statements: StatementObserver,
    index: Int,
    configuration: String?,
    entities: Set<Int>?,
    url: URL?,
    options: [AnyHashable: Any]?,
    coordinator: NSPersistentStoreCoordinator
  ) {
    connection = Mutex(StoreConnection(rows: rows, statements: statements, url: url))
    self.index = index
    self.entities = entities
    self.options = options
    configurationName = configuration ?? Self.wholeModel
    self.coordinator = Mutex(WeakCoordinator(target: coordinator))
    coordinatorNumber = coordinator.number
    super.init()
  }

  /// The implementation of the store, which reads and writes rows.
  package var rows: any RowStore { connection.withLock(\.rows) }
  /// The counter of executed statements; always 0 for a store without SQL.
  package var statements: StatementObserver { connection.withLock(\.statements) }

  /// Replaces the connection; the former one is closed when no read or write uses it any more.
  func connect(_ new: StoreConnection) { connection.withLock { $0 = new } }

  func leaveCoordinator() { coordinator.withLock { $0.target = nil } }

  /// Waits until all scheduled remote change notifications have been posted.
  package func waitForRemoteChanges() { remoteChanges.withLock { $0 }?.wait() }

  /// The address, type, UUID and URL of the store.
  open override var description: String {
    "\(addressedName) (type: \(type); identifier: \(identifier); URL: "
      + "\(url?.absoluteString ?? "(null)"))"
  }

  /// The store's type, such as `NSSQLiteStoreType`.
  open var type: String { rows.type }
  /// The store's UUID, as text.
  open var identifier: String { rows.identifier }
  /// The URL with which the store was added, or to which it was moved by `setURL(_:for:)`; nil for a store of
  /// type InMemory without a URL.
  public var url: URL? { connection.withLock(\.url) }
  /// The options with which the store was added; nil if no options were given.
  public let options: [AnyHashable: Any]?
  /// The configuration with which the store was added; `PF_DEFAULT_CONFIGURATION_NAME` for the whole model.
  public let configurationName: String
  /// Whether the store is read-only.
  ///
  /// Saving changes to a read-only store fails.
  open var isReadOnly: Bool { rows.isReadOnly }
  /// The coordinator; nil after the store was removed or the coordinator was released.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    coordinator.withLock(\.target)
  }
  /// The store's metadata: the application's own keys, and Apple's keys such as the type and the UUID.
  ///
  /// If the metadata cannot be read, for example because the store was removed, the property returns the
  /// values read last. An application that adds a key and writes the metadata back therefore does not lose
  /// the other keys.
  ///
  /// Setting the property has the same effect as `NSPersistentStoreCoordinator.setMetadata(_:for:)`.
  open var metadata: [String: Any] {
    get {
      // The error is dropped: the next fetch or save of the store throws the same error.
      let current = try? rows.metadata()
      let known = lastMetadata.withLock { last in
        last = current ?? last
        return last
      }
      var values = known?.values ?? [:]
      values[NSStoreTypeKey] = type
      values[NSStoreUUIDKey] = identifier
      return values
    }
    set { writeMetadata(newValue) }
  }

  /// Returns the class of the migration managers for stores of this class: `NSMigrationManager`.
  ///
  /// Source: documented, “migrationManagerClass()”.
  open class func migrationManagerClass() -> AnyClass { NSMigrationManager.self }

  /// Writes the application's own metadata; a failure is written to standard error.
  func writeMetadata(_ metadata: [String: Any]?) {
    do {
      try rows.setMetadata(StoreMetadata(metadata ?? [:]))
    } catch {
      Diagnostics.note(
        "the metadata of the store \(locationInText) could not be written: \(cocoaError(error))"
      )
    }
  }
}
