// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// Connects the stores of a model with any number of contexts.
///
/// Can be used on any thread. Each store serialises its saves.
///
/// Source: documented, “NSPersistentStoreCoordinator”.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  // Unchecked: all mutable state is guarded by the lock.
  let frozen: FrozenModel
  /// The number of the coordinator, starting at 1, which distinguishes the IDs of objects in this
  /// coordinator's stores from those in other coordinators' stores.
  let number = CoordinatorNumber.next()
  /// Informs each store of a class of the program when a context registers or unregisters one of the store's
  /// objects.
  package let registrations = RegistrationLog()
  private let state = Mutex(State())
  let queue = ContextQueue(.private, label: "NSPersistentStoreCoordinator")

  // Unchecked: the state is guarded by the lock.
  private struct State: @unchecked Sendable {
    /// The stores by index; nil for a removed store, so that the indexes in keys stay valid.
    var stores: [NSPersistentStore?] = []
    /// The addresses of the living contexts, unretained.
    ///
    /// A weak reference would slow down every retain of a context, and each fetched object retains its
    /// context (docs/decisions/0001-identity-map.md).
    var contexts: Set<UInt> = []
    var mergesBatchChanges = false
    /// Whether a store of a class of the program was ever added.
    var hasStoresOfProgram = false
    var name: String?
  }

  /// Creates a coordinator without stores.
  ///
  /// The model becomes immutable. An invalid model stops the program.
  public init(managedObjectModel model: NSManagedObjectModel) {
    managedObjectModel = model
    do {
      frozen = try model.freeze()
    } catch {
      Misuse.brokenModel(error)
    }
    LiveModels.add(frozen)
    super.init()
  }

  /// The model that all stores of the coordinator use.
  public let managedObjectModel: NSManagedObjectModel
  /// The name of the coordinator, for use in logs; nil by default.
  open var name: String? {
    get { state.withLock(\.name) }
    set { state.withLock { $0.name = newValue } }
  }
  /// Whether every context merges the changes of batch requests, even a context whose own setting is false;
  /// false by default.
  ///
  /// Not in Apple's framework.
  ///
  /// See `NSManagedObjectContext.automaticallyMergesBatchChanges`.
  open var automaticallyMergesBatchChanges: Bool {
    get { state.withLock(\.mergesBatchChanges) }
    set { state.withLock { $0.mergesBatchChanges = newValue } }
  }
  /// The stores in the order in which they were added; a migrated store keeps its position.
  open var persistentStores: [NSPersistentStore] {
    state.withLock { $0.stores.compactMap { $0 } }
  }

  // MARK: Stores

  /// Adds the store at `storeURL`; creates the store if it does not exist.
  ///
  /// - Throws: `NSPersistentStoreInvalidTypeError` for an unknown type; `NSCoreDataError` if the model does
  ///   not have the configuration; `NSPersistentStoreOperationError` if the store was already added, or for
  ///   an option that is not supported; `NSPersistentStoreOpenError` if the store cannot be opened;
  ///   `NSPersistentStoreIncompatibleVersionHashError` if the store has another model and is not migrated;
  ///   the errors of the file and of a migration.
  @discardableResult
  open func addPersistentStore(
    ofType storeType: String,
    configurationName configuration: String?,
    at storeURL: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try add(
      StoreSpecification(
        type: storeType,
        configuration: configuration,
        url: storeURL,
        options: options
      )
    )
  }

  /// Does the same as `addPersistentStore(ofType:configurationName:at:options:)`.
  ///
  /// - Throws: the errors of that method.
  @discardableResult
  open func addPersistentStore(
    type: NSPersistentStore.StoreType,
    configuration: String? = nil,
    at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try add(
      StoreSpecification(
        type: type.rawValue,
        configuration: configuration,
        url: storeURL,
        options: options
      )
    )
  }

  /// Adds the described store, and then calls `block`, with an error if the store could not be added.
  ///
  /// Works asynchronously if the description's `shouldAddStoreAsynchronously` is true.
  open func addPersistentStore(
    with storeDescription: NSPersistentStoreDescription,
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    let work = Transfer { [self] in
      do {
        storeDescription.store = try add(
          StoreSpecification(
            type: storeDescription.type,
            configuration: storeDescription.configuration,
            url: storeDescription.url,
            options: storeDescription.options
          )
        )
        block(storeDescription, nil)
      } catch {
        block(storeDescription, error)
      }
    }
    if storeDescription.shouldAddStoreAsynchronously {
      queue.async { work.value() }
    } else {
      work.value()
    }
  }

  /// Removes a store.
  ///
  /// Afterwards the store can no longer be read. Does nothing if the store was already removed because its
  /// file was destroyed or replaced.
  /// - Throws: `NSPersistentStoreOperationError` if this coordinator does not have the store.
  open func remove(_ store: NSPersistentStore) throws {
    if store.isFileDestroyed { return }
    guard replaceStore(store, for: nil) else { throw foreignStoreError(store) }
    didRemove(store)
  }

  /// Empties the store at `url`, and removes the store from this coordinator if it was added.
  ///
  /// The file remains, without tables. Files of external storage are deleted. A damaged file is emptied too.
  /// If the file does not exist, an empty file is created. Does nothing if the type is InMemory.
  /// - Throws: `NSPersistentStoreInvalidTypeError` for an unknown type; `NSPersistentStoreTimeoutError` if
  ///   other processes keep the file locked; `fileNoSuchFile` (4) if the folder does not exist;
  ///   `NSPersistentStoreUnsupportedRequestTypeError` if `url` is `/dev/null` or not a file URL; the errors
  ///   of writing the file.
  /// - Source: documented, except for missing files and open stores. The behaviour for a missing file follows
  ///   other projects' tests; the behaviour for an open store is this library's choice.
  open func destroyPersistentStore(
    at url: URL,
    ofType storeType: String,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try destroy(url, storeType, options)
  }

  /// Does the same as `destroyPersistentStore(at:ofType:options:)`.
  open func destroyPersistentStore(
    at url: URL,
    type storeType: NSPersistentStore.StoreType,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try destroy(url, storeType.rawValue, options)
  }

  /// Replaces the store at `destinationURL` with a copy of the store at `sourceURL`, including the log and
  /// the external storage.
  ///
  /// The destination store is removed from this coordinator if it was added.
  /// - Throws: `NSPersistentStoreInvalidTypeError` for an unknown type;
  ///   `NSPersistentStoreUnsupportedRequestTypeError` if one of the stores is not in a file or database;
  ///   `fileReadNoSuchFile` (260) if the source does not exist; `fileReadCorruptFile` (259) if the source is
  ///   not a store; `NSPersistentStoreTimeoutError` if other processes keep a file locked; the errors of
  ///   writing files. After an error the destination is unchanged, unless only the synchronization of the
  ///   destination folder to disk has failed.
  open func replacePersistentStore(
    at destinationURL: URL,
    destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL,
    sourceOptions: [AnyHashable: Any]? = nil,
    ofType storeType: String
  ) throws {
    try replace(
      destinationURL,
      options: destinationOptions,
      by: sourceURL,
      options: sourceOptions,
      type: storeType
    )
  }

  /// Does the same as
  /// `replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)`.
  open func replacePersistentStore(
    at destinationURL: URL,
    destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL,
    sourceOptions: [AnyHashable: Any]? = nil,
    type sourceType: NSPersistentStore.StoreType
  ) throws {
    try replace(
      destinationURL,
      options: destinationOptions,
      by: sourceURL,
      options: sourceOptions,
      type: sourceType.rawValue
    )
  }

  /// Saves `store` as a new store at `URL`, and replaces `store` with the new store in this coordinator; the
  /// old file remains.
  ///
  /// The new store has its own UUID and no history. An existing store at `URL` is overwritten. Afterwards the
  /// objects of all contexts belong to the new store. The stores can be of different types; `store` can also be
  /// a custom store.
  /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` if the new store is a custom store, or
  ///   is not in a file although its type requires one; `NSPersistentStoreOperationError` if this coordinator
  ///   does not have `store`, or already has a store at `URL`; the errors of adding a store.
  @discardableResult
  open func migratePersistentStore(
    _ store: NSPersistentStore,
    to URL: URL,
    options: [AnyHashable: Any]? = nil,
    withType storeType: String
  ) throws -> NSPersistentStore {
    try migrate(store, to: URL, options: options, type: storeType)
  }

  /// Does the same as `migratePersistentStore(_:to:options:withType:)`.
  @discardableResult
  open func migratePersistentStore(
    _ store: NSPersistentStore,
    to storeURL: URL,
    options: [AnyHashable: Any]? = nil,
    type storeType: NSPersistentStore.StoreType
  ) throws -> NSPersistentStore {
    try migrate(store, to: storeURL, options: options, type: storeType.rawValue)
  }

  /// Returns the metadata of a store, including the type and the UUID; the store need not be open.
  ///
  /// Does not change the file.
  /// - Throws: `NSPersistentStoreInvalidTypeError` for an unknown type;
  ///   `NSPersistentStoreUnsupportedRequestTypeError` if the store is not an SQLite store in a file;
  ///   `fileReadNoSuchFile` (260) if the file does not exist; `fileReadCorruptFile` (259) if the file is not
  ///   a store; the errors of reading the file.
  open class func metadataForPersistentStore(
    ofType storeType: String,
    at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadata(storeType, url, options)
  }

  /// Does the same as `metadataForPersistentStore(ofType:at:options:)`.
  open class func metadataForPersistentStore(
    type storeType: NSPersistentStore.StoreType,
    at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadata(storeType.rawValue, storeURL, options)
  }

  /// Replaces the application's own metadata of a store; the file is written at once.
  ///
  /// - Throws: the errors of `metadataForPersistentStore(ofType:at:options:)`;
  ///   `NSPersistentStoreTimeoutError` if other processes keep the file locked; the errors of writing the
  ///   file.
  open class func setMetadata(
    _ metadata: [String: Any]?,
    forPersistentStoreOfType storeType: String,
    at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try writeMetadata(metadata, type: storeType, at: url, options: options)
  }

  /// Does the same as `setMetadata(_:forPersistentStoreOfType:at:options:)`.
  open class func setMetadata(
    _ metadata: [String: Any]?,
    type storeType: NSPersistentStore.StoreType,
    at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try writeMetadata(metadata, type: storeType.rawValue, at: storeURL, options: options)
  }

  /// Returns the first store that was added with `URL`, or nil if the coordinator has no such store.
  open func persistentStore(for URL: URL) -> NSPersistentStore? {
    persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
  }

  /// Returns the URL with which the store was added; `/dev/null` for a store that was added without a URL.
  open func url(for store: NSPersistentStore) -> URL {
    store.url ?? NSPersistentStoreDescription.memory
  }

  /// Returns the value of the store's `metadata` property.
  open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata ?? [:] }

  /// Replaces the application's own metadata of the store; Apple's keys are kept.
  ///
  /// The metadata are written at once, not with the next save (DEVIATIONS.md). If the metadata cannot be
  /// written, for example because the store is read-only, nothing changes and the error is written to
  /// standard error.
  open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    store.writeMetadata(metadata)
  }

  // MARK: IDs

  /// Returns the permanent ID that a URI represents.
  ///
  /// Returns nil if `url` is not the URI of a permanent ID, if no store of the coordinator has the UUID in
  /// the URI, or if the model has no entity with the name in the URI. Does not check whether the object
  /// exists.
  open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
    guard let parts = ObjectURI(url), let entity = frozen.definition.entity(named: parts.entity),
      let store = persistentStores.first(where: { $0.uuid == parts.store }),
      let key = store.key(of: entity, named: parts.object)
    else { return nil }
    return NSManagedObjectID(key, frozen, self)
  }

  /// Returns this coordinator's key for an ID.
  ///
  /// An ID of another coordinator is translated by the UUID of the store and the name of the entity; the
  /// result is nil if this coordinator does not have the store or the entity.
  func localKey(_ id: NSManagedObjectID) -> ObjectKey? {
    if id.coordinatorNumber == number || id.coordinatorNumber == 0 { return id.key }
    return managedObjectID(forURIRepresentation: id.uriRepresentation())?.key
  }

  /// Returns the permanent ID that the URI `string` represents; nil if `string` is not a URL, or if
  /// `managedObjectID(forURIRepresentation:)` returns nil for the URL.
  open func managedObjectID(for string: String) -> NSManagedObjectID? {
    URL(string: string).flatMap(managedObjectID(forURIRepresentation:))
  }

  // MARK: Requests

  /// Executes `request` in `context`, and returns an array for a fetch, or the result object for any other
  /// request.
  ///
  /// Call this method on the context's queue.
  /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` if the stores cannot execute the request;
  ///   `NSPersistentStoreOperationError` if the context belongs to another coordinator; the request's errors.
  @discardableResult
  open func execute(
    _ request: NSPersistentStoreRequest,
    with context: NSManagedObjectContext
  ) throws -> Any {
    try executeRequest(request, context)
  }

  // MARK: Work on the coordinator's queue

  /// Schedules `block` on the coordinator's private queue, and returns at once.
  open func perform(_ block: @escaping @Sendable () -> Void) { queue.async(block) }

  /// Runs `block` on the coordinator's private queue, and returns the result of `block`.
  open func performAndWait<T>(_ block: () throws -> T) rethrows -> T { try queue.sync(block) }
}

extension NSPersistentStoreCoordinator {
  // MARK: Used by contexts

  func store(at index: Int) -> NSPersistentStore? {
    state.withLock { index < $0.stores.count ? $0.stores[index] : nil }
  }

  var hasSeveralStores: Bool { state.withLock { $0.stores.count(where: { $0 != nil }) > 1 } }

  /// The only store that was ever added; nil if there is no store, or if several stores were added.
  private var onlyStore: NSPersistentStore? {
    state.withLock { $0.stores.count == 1 ? $0.stores[0] : nil }
  }

  /// Returns the index of the first writable store that holds the entity; -1 if there is no such store.
  func storeIndex(forEntity entity: Int) -> Int {
    func holds(_ store: NSPersistentStore) -> Bool {
      !store.isReadOnly && (store.entities?.contains(entity) ?? true)
    }
    if let onlyStore { return holds(onlyStore) ? onlyStore.index : -1 }
    return persistentStores.first(where: holds)?.index ?? -1
  }

  /// Whether a store of a class of the program was ever added.
  var hasStoresOfProgram: Bool { state.withLock(\.hasStoresOfProgram) }

  func attach(_ context: NSManagedObjectContext) {
    let address = ObjectLifetime.address(of: context)
    state.withLock { _ = $0.contexts.insert(address) }
  }

  func detach(_ context: NSManagedObjectContext) {
    let address = ObjectLifetime.address(of: context)
    state.withLock { _ = $0.contexts.remove(address) }
  }

  /// Returns whether no other context is connected to the coordinator.
  func isAlone(_ context: NSManagedObjectContext) -> Bool {
    let address = ObjectLifetime.address(of: context)
    return state.withLock { $0.contexts.count == 1 && $0.contexts.contains(address) }
  }

  /// The contexts that are connected to the coordinator and have not been deallocated.
  var contexts: [NSManagedObjectContext] {
    let alive = state.withLock { state in state.contexts.map(ObjectLifetime.retain) }
    return alive.compactMap { ObjectLifetime.consume($0, as: NSManagedObjectContext.self) }
  }

  // MARK: Adding

  func add(_ specification: StoreSpecification) throws -> NSPersistentStore {
    // Stores are added one at a time, because a store's index is its position in the list.
    let store: NSPersistentStore = try queue.sync {
      if let url = specification.url, url.path != NSPersistentStoreDescription.memory.path,
        hasStore(specification, at: url)
      {
        throw StoreOpener.alreadyAdded(url, remedy: "Use persistentStore(for:) to get it.")
      }
      // The place in the list is reserved first, because the initializer of a class of the program may add
      // another store.
      let index = state.withLock { state in
        state.stores.append(nil)
        return state.stores.count - 1
      }
      do {
        let store = try makeStore(specification, index: index)
        state.withLock { state in
          state.stores[index] = store
          if store.isCustom { state.hasStoresOfProgram = true }
        }
        return store
      } catch {
        state.withLock { if $0.stores.count == index + 1 { $0.stores.removeLast() } }
        throw error
      }
    }
    didAdd(store)
    return store
  }

  // MARK: Removing

  /// Replaces `store` with `new`, or removes `store` if `new` is nil; returns false if `store` is not in the
  /// list.
  func replaceStore(_ store: NSPersistentStore, for new: NSPersistentStore?) -> Bool {
    state.withLock { state in
      guard store.index < state.stores.count, state.stores[store.index] === store else {
        return false
      }
      state.stores[store.index] = new
      return true
    }
  }
}

enum CoordinatorNumber {
  private static let last = Atomic<UInt32>(0)
  static func next() -> UInt32 { last.add(1, ordering: .relaxed).newValue }
}
