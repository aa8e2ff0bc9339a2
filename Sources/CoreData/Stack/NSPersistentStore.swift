// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// One persistent store of a coordinator.
///
/// The coordinator creates the stores of the built-in types. For a store of another kind, register a subclass
/// of `NSIncrementalStore` or `NSAtomicStore`; see
/// `NSPersistentStoreCoordinator.registerStoreClass(_:type:)`.
///
/// Source: documented, “NSPersistentStore”.
open class NSPersistentStore: NSObject, @unchecked Sendable {
  // Unchecked: the store is immutable except for atomics and values guarded by locks.
  /// The implementation of a store of a built-in type, which `setURL(_:for:)` replaces; nil for a custom
  /// store.
  private let connection: Mutex<(any RowStore)?>
  private var builtIn: (any RowStore)? { connection.withLock { $0 } }
  let place: StorePlace
  /// The numbers in the file of those objects whose keys contain other numbers; nil if there are no such
  /// objects.
  private let fileNumbers: FileNumbers?
  /// The poster of remote change notifications; nil if the store's options do not request them, or if the
  /// store was removed.
  let remoteChanges = Mutex<RemoteChangePoster?>(nil)
  private let state: Mutex<State>
  private let fileIsDestroyed = Atomic(false)
  /// The options with which the store was added; nil if no options were given.
  public let options: [AnyHashable: Any]?
  /// The configuration with which the store was added; `PF_DEFAULT_CONFIGURATION_NAME` for the whole model.
  public let configurationName: String

  // Unchecked: the mutex `state` guards the values.
  private struct State: @unchecked Sendable {
    weak var coordinator: NSPersistentStoreCoordinator?
    var url: URL?
    var isReadOnly: Bool
    /// The metadata of a custom store, or the metadata that were last read from a store of a built-in type;
    /// nil until they are set or read.
    var metadata: [String: Any]?
    /// Whether the program has set the metadata since the last save request.
    var hasUnsavedMetadata = false
  }

  // MARK: Creating

  init(
    rows: any RowStore,
    place: StorePlace,
    configuration: String?,
    url: URL?,
    options: [AnyHashable: Any]?,
    coordinator: NSPersistentStoreCoordinator
  ) {
    connection = Mutex(rows)
    fileNumbers = (rows as? FileStore)?.numbers
    self.place = place
    self.options = options
    configurationName = configuration ?? Self.wholeModel
    state = Mutex(State(coordinator: coordinator, url: url, isReadOnly: rows.isReadOnly))
    super.init()
  }

  /// Creates a custom store; the coordinator calls this initializer, and then `loadMetadata()`.
  ///
  /// The initializer is required, because the coordinator calls it on the registered class. A subclass that
  /// overrides the initializer writes `required` instead of `override`.
  ///
  /// Source: documented, “init(persistentStoreCoordinator:configurationName:at:options:)”.
  public required init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?,
    configurationName name: String?,
    at url: URL,
    options: [AnyHashable: Any]? = nil
  ) {
    connection = Mutex(nil)
    fileNumbers = nil
    place = StorePlace.pending ?? StorePlace()
    self.options = options
    configurationName = name ?? Self.wholeModel
    state = Mutex(
      State(
        coordinator: root,
        url: url,
        isReadOnly: StoreOpener.flag(NSReadOnlyPersistentStoreOption, in: options ?? [:])
      )
    )
    super.init()
  }

  /// Whether the store is a custom store.
  var isCustom: Bool { builtIn == nil }

  /// Replaces the implementation and the URL of a store of a built-in type.
  ///
  /// The former implementation is closed when no read or write uses that implementation any more.
  func connect(_ rows: any RowStore, at url: URL) {
    let wasReadOnly = builtIn?.isReadOnly == true
    connection.withLock { $0 = rows }
    state.withLock { state in
      state.url = url
      state.metadata = nil
      if wasReadOnly { state.isReadOnly = rows.isReadOnly }
    }
  }

  /// The implementation of the store, which reads and writes rows.
  package var rows: any RowStore {
    guard let builtIn else { Misuse.storeClassHasNoRows(self) }
    return builtIn
  }

  /// Prepares a custom store for reading, after its metadata were loaded and checked.
  ///
  /// - Throws: `NSPersistentStoreInvalidTypeError` if the class inherits neither from `NSIncrementalStore`
  ///   nor from `NSAtomicStore`; errors of the class.
  func openRows() throws { throw StoreClasses.unusable(Self.self, type: place.type ?? "") }

  /// Returns the text that identifies an object in the store; nil if the number in the key identifies it.
  func reference(of key: ObjectKey) -> String? {
    key.isTemporary
      ? nil : fileNumbers?.otherNumber(key.number, ofRoot: root(key.entity)).map(String.init)
  }

  private func root(_ entity: Int) -> Int {
    place.model?.definition.entities[entity].root ?? entity
  }

  /// Returns the key of the object of `entity` that `text` identifies in a URI; nil if `text` cannot identify
  /// an object of this store.
  func key(of entity: EntityDefinition, named text: String) -> ObjectKey? {
    guard let number = Int64(text) else { return nil }
    if let fileNumbers {
      return fileNumbers.memoryNumber(number, ofRoot: entity.root)
        .flatMap { ObjectKey(store: index, entity: entity.index, number: $0) }
    }
    return ObjectKey(store: index, entity: entity.index, number: number)
  }

  // MARK: Metadata, for subclasses

  /// Loads the metadata of the store into `metadata`; called once, before the store is used.
  ///
  /// A subclass overrides this method and sets `metadata` to a dictionary with at least the store's UUID
  /// under `NSStoreUUIDKey` and its type under `NSStoreTypeKey`. If the store does not exist yet, the
  /// override creates the store and its metadata. Does nothing for a store of a built-in type, whose metadata
  /// the coordinator reads.
  /// - Throws: an error of the subclass, which `addPersistentStore` then throws.
  ///
  /// Source: documented, “loadMetadata()”.
  open func loadMetadata() throws {}

  /// Returns the metadata of the store at `url`, which need not be open.
  ///
  /// `NSPersistentStoreCoordinator.metadataForPersistentStore(type:at:)` calls this method of the class that
  /// is registered for the type.
  /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` (134091) if the class does not override this
  ///   method.
  ///
  /// Source: documented, “metadataForPersistentStore(with:)”.
  open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    throw StoreClasses.notOverridden(
      "metadataForPersistentStore(with:)",
      self,
      "The metadata of the store at \(url.withoutPassword) cannot be read."
    )
  }

  /// Replaces the metadata of the store at `url`, which need not be open.
  ///
  /// `NSPersistentStoreCoordinator.setMetadata(_:type:at:)` calls this method of the class that is registered
  /// for the type.
  /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` (134091) if the class does not override this
  ///   method.
  ///
  /// Source: documented, “setMetadata(_:forPersistentStoreAt:)”.
  open class func setMetadata(
    _ metadata: [String: Any]?,
    forPersistentStoreAt url: URL
  ) throws {
    throw StoreClasses.notOverridden(
      "setMetadata(_:forPersistentStoreAt:)",
      self,
      "The metadata of the store at \(url.withoutPassword) cannot be written."
    )
  }

  /// Returns the class of the migration managers for stores of this class: `NSMigrationManager`.
  ///
  /// Source: documented, “migrationManagerClass()”.
  open class func migrationManagerClass() -> AnyClass { NSMigrationManager.self }

  // MARK: Life cycle, for subclasses

  /// Called after the store was added to the coordinator, before the coordinator posts its notification.
  ///
  /// Source: documented, “didAdd(to:)”.
  open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

  /// Called before the store is removed from the coordinator.
  ///
  /// Source: documented, “willRemove(from:)”.
  open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

  // MARK: Properties

  /// The store's type, such as `NSSQLiteStoreType`.
  ///
  /// For a custom store, this is the type in the metadata or, if the metadata contain no type, the type with
  /// which the store is added. A subclass may override the property.
  open var type: String {
    builtIn?.type ?? metadataValue(NSStoreTypeKey) ?? place.type ?? ""
  }

  /// The store's UUID as text; nil for a custom store that has not loaded its metadata.
  ///
  /// Setting this property of a custom store changes the metadata. Setting this property of a store of a
  /// built-in type stops the program, because the UUID of such a store cannot change.
  // Implicitly unwrapped, as in Apple's declaration, so that a subclass can override the property.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var identifier: String! {
    get { builtIn?.identifier ?? metadataValue(NSStoreUUIDKey) }
    set {
      if builtIn != nil { Misuse.builtInStoreIsFixed("identifier", self) }
      state.withLock { state in
        state.metadata = state.metadata ?? [:]
        state.metadata?[NSStoreUUIDKey] = newValue
      }
    }
  }

  /// The URL with which the store was added, or which `setURL(_:for:)` of the coordinator has set; nil for a
  /// store of type InMemory without a URL.
  ///
  /// Setting this property of a store of a built-in type stops the program, because the file of the store is
  /// open; call `setURL(_:for:)` instead.
  open var url: URL? {
    get { state.withLock(\.url) }
    set {
      if builtIn != nil { Misuse.builtInStoreIsFixed("url", self) }
      state.withLock { $0.url = newValue }
    }
  }

  /// Whether the store is read-only, as the option `NSReadOnlyPersistentStoreOption` requests.
  ///
  /// Saving changes to a read-only store fails. Setting the property to false has no effect on a store that
  /// was opened read-only.
  open var isReadOnly: Bool {
    get { builtIn?.isReadOnly == true || state.withLock(\.isReadOnly) }
    set { state.withLock { $0.isReadOnly = newValue } }
  }

  /// The coordinator; nil after the store was removed or the coordinator was released.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    state.withLock(\.coordinator)
  }

  /// The store's metadata: the application's own keys, and Apple's keys such as the type and the UUID.
  ///
  /// If the metadata cannot be read, for example because the store was removed, the property returns the
  /// values read last. An application that adds a key and writes the metadata back therefore does not lose
  /// the other keys.
  ///
  /// For a store of a built-in type, setting the property has the same effect as
  /// `NSPersistentStoreCoordinator.setMetadata(_:for:)`. For a custom store, the new metadata replace all
  /// former metadata, and the next save of a context asks the store to save the new metadata.
  // Implicitly unwrapped, as in Apple's declaration, so that a subclass can override the property.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var metadata: [String: Any]! {
    get {
      guard let builtIn else { return state.withLock(\.metadata) }
      // The error is dropped: the next fetch or save of the store throws the same error.
      let current = try? builtIn.metadata()
      var values = state.withLock { state in
        state.metadata = current?.values ?? state.metadata
        return state.metadata ?? [:]
      }
      values[NSStoreTypeKey] = type
      values[NSStoreUUIDKey] = uuid
      return values
    }
    set {
      if builtIn != nil { return writeMetadata(newValue) }
      state.withLock { state in
        state.metadata = newValue
        state.hasUnsavedMetadata = true
      }
    }
  }

  /// The address, type, UUID and URL of the store.
  open override var description: String {
    "\(addressedName) (type: \(type); identifier: \(uuid); URL: "
      + "\(url?.withoutPassword ?? "(null)"))"
  }
}

extension NSPersistentStore {
  /// The name of the configuration that contains all entities.
  static let wholeModel = "PF_DEFAULT_CONFIGURATION_NAME"

  /// The store's index in the coordinator; the index is a part of the keys of the store's objects.
  package var index: Int { place.index }
  /// The indexes of the entities in the store's configuration; nil for all entities.
  var entities: Set<Int>? { place.entities }
  /// The number of the coordinator; still set after the store was removed.
  var coordinatorNumber: UInt32 { place.coordinator }
  /// The counter of executed statements; always 0 for a store without SQL.
  package var statements: StatementObserver { place.statements }
  /// The store's UUID as text; empty for a custom store that has not loaded its metadata.
  package var uuid: String { identifier ?? "" }

  /// Whether the store was removed because its file was destroyed or replaced.
  var isFileDestroyed: Bool {
    get { fileIsDestroyed.load(ordering: .acquiring) }
    set { fileIsDestroyed.store(newValue, ordering: .releasing) }
  }

  func leaveCoordinator() { state.withLock { $0.coordinator = nil } }

  /// Waits until all scheduled remote change notifications have been posted.
  package func waitForRemoteChanges() { remoteChanges.withLock { $0 }?.wait() }

  private func metadataValue(_ key: String) -> String? {
    state.withLock { $0.metadata?[key] as? String }
  }

  /// Returns whether the metadata of a custom store were set since the last call.
  func consumeUnsavedMetadata() -> Bool {
    state.withLock { state in
      defer { state.hasUnsavedMetadata = false }
      return state.hasUnsavedMetadata
    }
  }

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
