// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// Connects a model's stores with any number of contexts.
///
/// Can be used on any thread: each store serialises its saves, and reads run concurrently with them.
///
/// Source: documented, “NSPersistentStoreCoordinator”.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  // Unchecked: all mutable state is guarded by the lock.
  let frozen: FrozenModel
  /// Distinguishes the IDs of this coordinator's stores from the IDs of other coordinators' stores; starts at
  /// 1.
  let number = CoordinatorNumber.next()
  private let state = Mutex(State())
  private let queue = ContextQueue(.private, label: "NSPersistentStoreCoordinator")

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

  /// The model of all stores.
  public let managedObjectModel: NSManagedObjectModel
  /// The name of the coordinator, for use in logs; nil by default.
  open var name: String? {
    get { state.withLock(\.name) }
    set { state.withLock { $0.name = newValue } }
  }
  /// Whether all contexts merge the changes of batch requests, regardless of their own setting; false by
  /// default.
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

  /// Adds the store at `storeURL`; creates the file if it does not exist.
  ///
  /// - Throws: 134000 for an unknown type; 134100 if the store has another model; 134060 if the model does not
  ///   have the configuration; 134070 if the store was already added, or for an option that is not supported;
  ///   134080 and file errors if the store cannot be opened.
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

  /// Adds the store at `storeURL`, whose type is given as a `StoreType`; creates the file if it does not
  /// exist.
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

  /// Adds the described store, and calls `block` afterwards.
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
  /// Afterwards the store's objects can no longer be read. Does nothing if the store was already removed by
  /// destroying or replacing its file.
  /// - Throws: 134070 if this coordinator does not have the store.
  open func remove(_ store: NSPersistentStore) throws {
    // Destroying or replacing the file has already removed the store.
    if store.isFileDestroyed { return }
    guard replaceStore(store, for: nil) else { throw foreignStoreError(store) }
    didRemove(store)
  }

  /// Empties the store at `url`, and removes the store from this coordinator if it was added.
  ///
  /// The file remains, without tables.
  ///
  /// A damaged file is emptied too. If the file does not exist, an empty file is created. Files of external
  /// storage are deleted. In-memory stores are ignored.
  /// - Throws: 134000 for an unknown type; 134090 if other processes keep the file locked; 4
  ///   (`fileNoSuchFile`) if the folder does not exist; 134091 if `url` is `/dev/null` or not a file URL.
  /// - Source: documented; the treatment of missing files follows other projects' tests, the treatment of
  ///   open stores is chosen.
  open func destroyPersistentStore(
    at url: URL,
    ofType storeType: String,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try destroy(url, storeType, options)
  }

  /// Empties the store at `url`, whose type is given as a `StoreType`.
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
  /// - Throws: 134000 for an unknown type; 134091 if one of the stores is not an SQLite store in a file; 260 if
  ///   the source does not exist; 259 if the source is not a store; 134090 if other processes keep a file
  ///   locked. After an error the destination is unchanged, unless only the synchronization of its folder to
  ///   disk has failed.
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

  /// Replaces a store with a copy of another store; the store type is given as a `StoreType`.
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

  /// Saves `store` as a new store at `URL` and replaces it in this coordinator; the old file remains.
  ///
  /// The new store has its own UUID and no history. An existing store at `URL` is overwritten. Afterwards the
  /// objects of all contexts belong to the new store.
  /// - Throws: 134091 if one of the stores is not an SQLite store, or the new one is not in a file; 134070 if this
  ///   coordinator does not have `store`, or already has a store at `URL`; the errors of adding a store.
  @discardableResult
  open func migratePersistentStore(
    _ store: NSPersistentStore,
    to URL: URL,
    options: [AnyHashable: Any]? = nil,
    withType storeType: String
  ) throws -> NSPersistentStore {
    try migrate(store, to: URL, options: options, type: storeType)
  }

  /// Saves `store` as a new store at `storeURL`; the store type is given as a `StoreType`.
  @discardableResult
  open func migratePersistentStore(
    _ store: NSPersistentStore,
    to storeURL: URL,
    options: [AnyHashable: Any]? = nil,
    type storeType: NSPersistentStore.StoreType
  ) throws -> NSPersistentStore {
    try migrate(store, to: storeURL, options: options, type: storeType.rawValue)
  }

  /// Returns the metadata of a store, including its type and UUID; the store need not be open.
  ///
  /// The file is not changed.
  /// - Throws: 134000 for an unknown type; 134091 if the store is not an SQLite store in a file; 260 if the file
  ///   does not exist; 259 if the file is not a store.
  open class func metadataForPersistentStore(
    ofType storeType: String,
    at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadata(storeType, url)
  }

  /// Returns the metadata of a store whose type is given as a `StoreType`.
  open class func metadataForPersistentStore(
    type storeType: NSPersistentStore.StoreType,
    at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadata(storeType.rawValue, storeURL)
  }

  /// Replaces the application's own metadata of a store; the file is written at once.
  ///
  /// - Throws: the same errors as `metadataForPersistentStore(ofType:at:options:)`; 134090 if other
  ///   processes keep the file locked.
  open class func setMetadata(
    _ metadata: [String: Any]?,
    forPersistentStoreOfType storeType: String,
    at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try writeMetadata(metadata, type: storeType, at: url, options: options)
  }

  /// Replaces the metadata of a store whose type is given as a `StoreType`.
  open class func setMetadata(
    _ metadata: [String: Any]?,
    type storeType: NSPersistentStore.StoreType,
    at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try writeMetadata(metadata, type: storeType.rawValue, at: storeURL, options: options)
  }

  /// Returns the store at `URL`, or nil if the coordinator has no store with this URL.
  open func persistentStore(for URL: URL) -> NSPersistentStore? {
    persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
  }

  /// Returns the URL of the store's file; `/dev/null` for a store without a file.
  open func url(for store: NSPersistentStore) -> URL {
    store.url ?? NSPersistentStoreDescription.memory
  }

  /// Returns the store's metadata.
  open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

  /// Replaces the application's own metadata of the store; Apple's keys are kept.
  ///
  /// The metadata are written at once, not with the next save (DEVIATIONS.md). If they cannot be written,
  /// for example to a read-only store, nothing changes and the error is written to standard error.
  open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    store.writeMetadata(metadata)
  }

  // MARK: IDs

  /// Returns the permanent ID with that URI.
  ///
  /// Returns nil if `url` is not such a URI, if no store of the coordinator has its UUID, or if the model does
  /// not have its entity. Does not check whether the object exists.
  open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
    guard url.scheme == "x-coredata", let uuid = url.host, url.pathComponents.count == 3,
      let entity = frozen.definition.entity(named: url.pathComponents[1]),
      url.lastPathComponent.first == "p", let number = Int64(url.lastPathComponent.dropFirst()),
      let store = persistentStores.first(where: { $0.identifier == uuid }),
      let key = ObjectKey(store: store.index, entity: entity.index, number: number)
    else { return nil }
    return NSManagedObjectID(key, frozen, self)
  }

  /// Returns this coordinator's key for the object of an ID, or nil if the coordinator does not have the ID's
  /// store or entity.
  ///
  /// An ID of another coordinator's store is translated by the store's UUID and the entity's name.
  func localKey(_ id: NSManagedObjectID) -> ObjectKey? {
    if id.coordinatorNumber == number || id.coordinatorNumber == 0 { return id.key }
    return managedObjectID(forURIRepresentation: id.uriRepresentation())?.key
  }

  /// Returns the ID with the URI `string`; nil in the same cases as
  /// `managedObjectID(forURIRepresentation:)`.
  open func managedObjectID(for string: String) -> NSManagedObjectID? {
    URL(string: string).flatMap(managedObjectID(forURIRepresentation:))
  }

  // MARK: Requests

  /// Executes `request` in `context`.
  ///
  /// Returns an array for a fetch, and the result object for any other request.
  ///
  /// Call this method on the context's queue.
  /// - Throws: 134091 if the stores cannot execute the request; 134070 if the context belongs to another
  ///   coordinator; the request's errors.
  @discardableResult
  open func execute(
    _ request: NSPersistentStoreRequest,
    with context: NSManagedObjectContext
  ) throws -> Any {
    try executeRequest(request, context)
  }

  // MARK: Work on the coordinator's queue

  /// Schedules `block` on the coordinator's private queue.
  open func perform(_ block: @escaping @Sendable () -> Void) { queue.async(block) }

  /// Runs `block` on the coordinator's private queue and waits for it.
  open func performAndWait<T>(_ block: () throws -> T) rethrows -> T { try queue.sync(block) }
}

extension NSPersistentStoreCoordinator {
  // MARK: Used by contexts

  func store(at index: Int) -> NSPersistentStore? {
    state.withLock { index < $0.stores.count ? $0.stores[index] : nil }
  }

  /// Returns the index of the first writable store that holds the entity; -1 if no writable store holds it.
  func storeIndex(forEntity entity: Int) -> Int {
    state.withLock { state in
      state.stores.compactMap { $0 }
        .first { !$0.isReadOnly && ($0.entities?.contains(entity) ?? true) }?.index ?? -1
    }
  }

  func attach(_ context: NSManagedObjectContext) {
    let address = ObjectLifetime.address(of: context)
    state.withLock { _ = $0.contexts.insert(address) }
  }

  /// Removes a context from `contexts`; called from the context's `deinit`.
  func detach(_ context: NSManagedObjectContext) {
    let address = ObjectLifetime.address(of: context)
    state.withLock { _ = $0.contexts.remove(address) }
  }

  /// The living contexts that are connected to the coordinator.
  var contexts: [NSManagedObjectContext] {
    let alive = state.withLock { state in state.contexts.map(ObjectLifetime.retain) }
    return alive.compactMap { ObjectLifetime.consume($0, as: NSManagedObjectContext.self) }
  }

  // MARK: Adding

  func add(_ specification: StoreSpecification) throws -> NSPersistentStore {
    // Stores are added one at a time, because a store's index is its position in the list.
    let store: NSPersistentStore = try queue.sync {
      if let url = specification.url, url.path != NSPersistentStoreDescription.memory.path,
        persistentStore(for: url) != nil
      {
        throw StoreOpener.alreadyAdded(url, remedy: "Use persistentStore(for:) to get it.")
      }
      let index = state.withLock { $0.stores.count }
      let store = try makeStore(specification, index: index)
      state.withLock { $0.stores.append(store) }
      return store
    }
    didAdd(store)
    return store
  }

  // MARK: Removing

  /// Replaces `store` with `new`, or removes it if `new` is nil; returns false if `store` is not in the
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

/// Numbers the coordinators of the process.
enum CoordinatorNumber {
  private static let last = Atomic<UInt32>(0)
  static func next() -> UInt32 { last.add(1, ordering: .relaxed).newValue }
}
