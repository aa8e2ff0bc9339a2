// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataSQLite
import _CoreDataStore

/// One store of a coordinator.
///
/// A coordinator makes it; its values come from there.
///
/// Source: documented, “NSPersistentStore”.
open class NSPersistentStore: NSObject, @unchecked Sendable {
  // Unchecked: immutable but for what is behind a lock or atomic.
  /// The rows below the objects.
  package let rows: any RowStore
  /// Counts the statements that ran; a store without SQL runs none, and its counts stay 0.
  package let statements: StatementObserver
  /// Tells of every write; nil where the options do not ask for it.
  let remoteChanges = Mutex<RemoteChangePoster?>(nil)
  /// The number that the keys of its objects have.
  package let index: Int
  private let gone = Atomic(false)
  private let coordinator: Mutex<WeakCoordinator>
  private struct WeakCoordinator: Sendable { weak var target: NSPersistentStoreCoordinator? }
  private let lastMetadata = Mutex<StoreMetadata?>(nil)
  /// Whether the store was removed because its file was destroyed or replaced.
  var isGone: Bool {
    get { gone.load(ordering: .acquiring) }
    set { gone.store(newValue, ordering: .releasing) }
  }
  /// The name of the configuration of all entities.
  static let wholeModel = "PF_DEFAULT_CONFIGURATION_NAME"
  /// Entity indexes of the store's configuration; nil for all.
  let entities: Set<Int>?
  /// The number of the coordinator, after the store was removed, too.
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
    self.rows = rows
    self.statements = statements
    self.index = index
    self.entities = entities
    self.url = url
    self.options = options
    configurationName = configuration ?? Self.wholeModel
    self.coordinator = Mutex(WeakCoordinator(target: coordinator))
    coordinatorNumber = coordinator.number
    super.init()
  }

  /// The coordinator has removed the store.
  func leaveCoordinator() { coordinator.withLock { $0.target = nil } }

  /// Returns when observers have been told of every write until now.
  package func waitForRemoteChanges() { remoteChanges.withLock { $0 }?.wait() }

  /// The store's type, its UUID and where it is.
  open override var description: String {
    "\(addressedName) (type: \(type); identifier: \(identifier); URL: "
      + "\(url?.absoluteString ?? "(null)"))"
  }

  /// The store's type, such as `NSSQLiteStoreType`.
  open var type: String { rows.type }
  /// The store's UUID, as text.
  open var identifier: String { rows.identifier }
  /// Where the store's file is; nil for a store without one.
  public let url: URL?
  /// The options the store was added with.
  public let options: [AnyHashable: Any]?
  /// The configuration the store was added with.
  public let configurationName: String
  /// Whether saves to the store fail.
  open var isReadOnly: Bool { rows.isReadOnly }
  /// The coordinator; nil after the store was removed.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    coordinator.withLock(\.target)
  }
  /// The store's metadata: the application's own, Apple's, type and UUID.
  ///
  /// Those of the store when they were read last where they cannot be read now, as of a store that was
  /// removed: an application that adds a key to them and sets them does not lose the others.
  ///
  /// What is set replaces the application's own, written at once, as by
  /// `NSPersistentStoreCoordinator.setMetadata(_:for:)`.
  open var metadata: [String: Any] {
    get {
      // A failure is not lost: the next fetch or save of the store meets it too, and throws it.
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

  /// Writes the metadata that are the application's own; where that fails, the standard error says so.
  func writeMetadata(_ metadata: [String: Any]?) {
    do {
      try rows.setMetadata(StoreMetadata(metadata ?? [:]))
    } catch {
      Diagnostics.note("the store's metadata could not be written: \(cocoaError(error))")
    }
  }
}
