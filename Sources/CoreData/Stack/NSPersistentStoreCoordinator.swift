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
  /// The stores in the order in which they were added.
  open var persistentStores: [NSPersistentStore] {
    state.withLock { $0.stores.compactMap { $0 } }
  }

  // MARK: Stores

  /// Adds the store at `storeURL`; creates the file if it does not exist.
  ///
  /// - Throws: 134000 for an unknown type; 134100 if the store has another model; 134080 and file errors
  ///   if it cannot be opened.
  @discardableResult
  open func addPersistentStore(
    ofType storeType: String,
    configurationName configuration: String?,
    at storeURL: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try add(storeType, configuration, storeURL, options)
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
    try add(type.rawValue, configuration, storeURL, options)
  }

  /// Adds the described store, and calls `block` afterwards.
  open func addPersistentStore(
    with storeDescription: NSPersistentStoreDescription,
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    let work = Transfer { [self] in
      do {
        storeDescription.store = try add(
          storeDescription.type,
          storeDescription.configuration,
          storeDescription.url,
          storeDescription.options
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
  /// Afterwards the store's objects can no longer be read.
  open func remove(_ store: NSPersistentStore) throws {
    // Destroying or replacing the file has already removed the store.
    if store.isGone { return }
    guard exchange(store, for: nil) else { throw Self.stranger }
    didRemove(store)
  }

  /// Empties the store at `url`, and removes the store from this coordinator if it was added.
  ///
  /// The file remains, without tables.
  ///
  /// A damaged file is emptied too. If the file does not exist, an empty file is created. Files of external
  /// storage are deleted. In-memory stores are ignored.
  /// - Throws: 134000 for an unknown type; 134090 if other processes keep the file locked; 4
  ///   (`fileNoSuchFile`) if the folder does not exist; 134091 for `/dev/null`.
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
  /// - Throws: 134000 for an unknown type; 260 if the source does not exist; 259 if the source is not a
  ///   store; 134090 if other processes keep a file locked. After an error the destination is unchanged.
  open func replacePersistentStore(
    at destinationURL: URL,
    destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL,
    sourceOptions: [AnyHashable: Any]? = nil,
    ofType storeType: String
  ) throws {
    try replace(destinationURL, destinationOptions, sourceURL, sourceOptions, storeType)
  }

  /// Replaces a store with a copy of another store; the store type is given as a `StoreType`.
  open func replacePersistentStore(
    at destinationURL: URL,
    destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL,
    sourceOptions: [AnyHashable: Any]? = nil,
    type sourceType: NSPersistentStore.StoreType
  ) throws {
    try replace(destinationURL, destinationOptions, sourceURL, sourceOptions, sourceType.rawValue)
  }

  /// Saves `store` as a new store at `URL` and replaces it in this coordinator; the old file remains.
  ///
  /// The new store has its own UUID and no history. An existing store at `URL` is overwritten. Afterwards the
  /// objects of all contexts belong to the new store.
  /// - Throws: 134091 unless both are SQLite stores; the errors of adding a store.
  @discardableResult
  open func migratePersistentStore(
    _ store: NSPersistentStore,
    to URL: URL,
    options: [AnyHashable: Any]? = nil,
    withType storeType: String
  ) throws -> NSPersistentStore {
    try migrate(store, URL, options, storeType)
  }

  /// Saves `store` as a new store at `storeURL`; the store type is given as a `StoreType`.
  @discardableResult
  open func migratePersistentStore(
    _ store: NSPersistentStore,
    to storeURL: URL,
    options: [AnyHashable: Any]? = nil,
    type storeType: NSPersistentStore.StoreType
  ) throws -> NSPersistentStore {
    try migrate(store, storeURL, options, storeType.rawValue)
  }

  /// Returns the metadata of a store, including its type and UUID; the store need not be open.
  ///
  /// The file is not changed.
  /// - Throws: 134000 for an unknown type; 260 if the file does not exist; 259 if the file is not a store.
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
    try setMetadata(metadata, storeType, url, options)
  }

  /// Replaces the metadata of a store whose type is given as a `StoreType`.
  open class func setMetadata(
    _ metadata: [String: Any]?,
    type storeType: NSPersistentStore.StoreType,
    at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try setMetadata(metadata, storeType.rawValue, storeURL, options)
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

  /// Returns the ID with that URI, or nil if no store has the URI's UUID.
  ///
  /// Does not check whether the object exists.
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
  /// store.
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
    try carryOut(request, context)
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

  func rowStore(at index: Int) -> (any RowStore)? { index < 0 ? nil : store(at: index)?.rows }

  /// Returns the index of the first writable store that holds the entity; -1 if no writable store holds it.
  func storeIndex(forEntity entity: Int) -> Int {
    state.withLock { state in
      state.stores.compactMap { $0 }
        .first { !$0.isReadOnly && ($0.entities?.contains(entity) ?? true) }?.index ?? -1
    }
  }

  /// Returns the stores that hold objects of the entity or of its subentities.
  func stores(forEntity entity: EntityDefinition) -> [NSPersistentStore] {
    persistentStores.filter { store in
      store.entities.map { entities in entity.family.contains { entities.contains($0) } } ?? true
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

  private var contexts: [NSManagedObjectContext] {
    let alive = state.withLock { state in state.contexts.map(ObjectLifetime.retain) }
    return alive.compactMap { ObjectLifetime.consume($0, as: NSManagedObjectContext.self) }
  }

  /// Schedules a merge of a save in the other contexts that merge automatically.
  func didSave(
    _ saved: SavedObjects,
    by source: NSManagedObjectContext
  ) {
    if saved.isEmpty { return }
    let others = contexts.filter { $0 !== source }
    if others.isEmpty { return }
    let changed = (saved.updated + saved.deleted).map(\.key)
    for context in others { context.noteUnmerged(changed) }
    let merging = others.filter(\.automaticallyMergesChangesFromParent)
    if merging.isEmpty { return }
    let keys = saved.keys
    for context in merging { context.scheduleMerge(of: keys) }
  }

  /// Posts remote change notifications for this coordinator's writes to stores whose options request them.
  func didWrite(_ writes: [StoreWrite]) {
    for write in writes {
      store(at: write.store)?.remoteChanges.withLock { $0 }?.post(write.transaction)
    }
  }

  // MARK: Batches

  private var batchFollowers: [NSManagedObjectContext] {
    let all = automaticallyMergesBatchChanges
    return contexts.filter { all || $0.automaticallyMergesBatchChanges }
  }

  /// Whether any context merges the changes of batch requests.
  var hasBatchFollowers: Bool { !batchFollowers.isEmpty }

  /// Merges the outcome of a batch into the contexts that merge batch changes; called on the queue of
  /// `source`.
  func didCarryOut(_ outcome: BatchOutcome, by source: NSManagedObjectContext) {
    if outcome.inserted.isEmpty, outcome.updated.isEmpty, outcome.deleted.isEmpty { return }
    for context in contexts { context.noteUnmerged(outcome.updated + outcome.deleted) }
    for context in batchFollowers {
      if context === source {
        context.mergeBatch(outcome)
      } else {
        context.queue.async { context.mergeBatch(outcome) }
      }
    }
  }

  // MARK: Adding

  func add(
    _ type: String,
    _ configuration: String?,
    _ url: URL?,
    _ options: [AnyHashable: Any]?
  ) throws -> NSPersistentStore {
    // Stores are added one at a time, because a store's index is its position in the list.
    let store: NSPersistentStore = try queue.sync {
      if let url, url.path != "/dev/null", persistentStore(for: url) != nil {
        throw StoreOpener.alreadyAdded(url)
      }
      let index = state.withLock { $0.stores.count }
      let store = try makeStore(type, configuration, url, options, index)
      state.withLock { $0.stores.append(store) }
      return store
    }
    didAdd(store)
    return store
  }

  /// Opens or creates a store for an index of the list, without adding it.
  func makeStore(
    _ type: String,
    _ configuration: String?,
    _ url: URL?,
    _ options: [AnyHashable: Any]?,
    _ index: Int
  ) throws -> NSPersistentStore {
    let opener = try opener(type, configuration, url, options, index)
    let rows = try opener.open()
    if !managedObjectModel.isForTools {
      ModelWarnings.missingTransformers(of: frozen.definition)
      ModelWarnings.uncomputedAttributes(of: rows)
    }
    let store = NSPersistentStore(
      rows: rows,
      statements: opener.statements,
      index: index,
      configuration: configuration,
      entities: try entities(of: configuration),
      url: url,
      options: options,
      coordinator: self
    )
    if opener.postsRemoteChanges {
      let poster = RemoteChangePoster(store)
      store.remoteChanges.withLock { $0 = poster }
    }
    return store
  }

  func opener(
    _ type: String,
    _ configuration: String?,
    _ url: URL?,
    _ options: [AnyHashable: Any]?,
    _ index: Int
  ) throws -> StoreOpener {
    var opener = StoreOpener(
      type: type,
      url: url,
      options: options ?? [:],
      model: frozen.definition,
      index: index
    )
    opener.entities = try entities(of: configuration)
      .map { Set($0.map { frozen.definition.entities[$0].name }) }
    opener.isModelReconstructed = managedObjectModel.isReconstructed
    return opener
  }

  func didAdd(_ store: NSPersistentStore) {
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorStoresDidChange,
      object: self,
      userInfo: [NSAddedPersistentStoresKey: [store]]
    )
  }

  private func entities(of configuration: String?) throws -> Set<Int>? {
    guard let configuration, configuration != NSPersistentStore.wholeModel else { return nil }
    guard let entities = frozen.definition.configurations[configuration] else {
      let names = frozen.definition.configurations.keys.sorted().joined(separator: ", ")
      throw coreDataError(
        NSCoreDataError,
        "The model has no configuration named “\(configuration)”. "
          + (names.isEmpty
            ? "It defines no configurations; pass nil to use the whole model."
            : "Use one of its configurations (\(names)), or pass nil to use the whole model.")
      )
    }
    return Set(entities)
  }

  // MARK: Removing

  /// Replaces `store` with `new`, or removes it if `new` is nil; returns false if `store` is not in the
  /// list.
  func exchange(_ store: NSPersistentStore, for new: NSPersistentStore?) -> Bool {
    state.withLock { state in
      guard store.index < state.stores.count, state.stores[store.index] === store else {
        return false
      }
      state.stores[store.index] = new
      return true
    }
  }

  /// Closes a store that was removed from the list.
  func didRemove(_ store: NSPersistentStore) {
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorWillRemoveStore,
      object: store
    )
    store.leaveCoordinator()
    store.remoteChanges.withLock { $0 = nil }
    store.rows.close()
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorStoresDidChange,
      object: self,
      userInfo: [NSRemovedPersistentStoresKey: [store]]
    )
  }

  static var stranger: NSError {
    coreDataError(
      NSPersistentStoreOperationError,
      "The store does not belong to this coordinator. Use one of the coordinator's persistentStores."
    )
  }
}

/// Numbers the coordinators of the process.
enum CoordinatorNumber {
  private static let last = Atomic<UInt32>(0)
  static func next() -> UInt32 { last.add(1, ordering: .relaxed).newValue }
}
