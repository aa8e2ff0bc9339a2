// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// The stores of a model, for any number of contexts.
///
/// Safe on any thread: each store serialises its saves and reads beside them.
/// Source: documented, “NSPersistentStoreCoordinator”.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  // Unchecked: what changes is behind the lock.
  let frozen: FrozenModel
  /// Tells the IDs of this coordinator's stores from those of others; from 1.
  let number = CoordinatorNumber.next()
  private let state = Mutex(State())
  private let queue = ContextQueue(.private, label: "NSPersistentStoreCoordinator")

  // Unchecked: guarded by the lock.
  private struct State: @unchecked Sendable {
    /// By index; nil where the store was removed, so that keys keep their meaning.
    var stores: [NSPersistentStore?] = []
    /// Addresses of the living contexts, unretained: a weak reference would make every retain of a
    /// context dear, and each fetched object costs one (docs/decisions/0001-identity-map.md).
    var contexts: Set<UInt> = []
    var mergesBatchChanges = false
    var name: String?
  }

  /// A coordinator without stores.
  ///
  /// The model cannot be changed from now on; a broken one stops the program.
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

  /// The model of all the stores.
  public let managedObjectModel: NSManagedObjectModel
  /// A name for logs; nil at first.
  open var name: String? {
    get { state.withLock(\.name) }
    set { state.withLock { $0.name = newValue } }
  }
  /// Whether all contexts merge what batch requests change, those that do not ask for it too; false at
  /// first.
  ///
  /// Not in Apple's framework.
  ///
  /// See `NSManagedObjectContext.automaticallyMergesBatchChanges`.
  open var automaticallyMergesBatchChanges: Bool {
    get { state.withLock(\.mergesBatchChanges) }
    set { state.withLock { $0.mergesBatchChanges = newValue } }
  }
  /// The stores, in the order of adding.
  open var persistentStores: [NSPersistentStore] {
    state.withLock { $0.stores.compactMap { $0 } }
  }

  // MARK: Stores

  /// Adds the store at `storeURL`, made where there is none.
  ///
  /// - Throws: 134000 for an unknown type, 134100 where the store has another model, 134080 and file
  ///   errors where it cannot be opened.
  @discardableResult
  open func addPersistentStore(
    ofType storeType: String,
    configurationName configuration: String?,
    at storeURL: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try add(storeType, configuration, storeURL, options)
  }

  /// Adds the store at `storeURL`, made where there is none; as the older spelling.
  @discardableResult
  open func addPersistentStore(
    type: NSPersistentStore.StoreType,
    configuration: String? = nil,
    at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try add(type.rawValue, configuration, storeURL, options)
  }

  /// Adds what `storeDescription` describes, and calls `block` when it is done.
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

  /// Removes a store; its objects cannot be read any more.
  open func remove(_ store: NSPersistentStore) throws {
    // Destroying or replacing its file has removed it.
    if store.isGone { return }
    guard exchange(store, for: nil) else { throw Self.stranger }
    didRemove(store)
  }

  /// Empties the store at `url` and lets go of it where it is one of this coordinator's; its file stays,
  /// without a table.
  ///
  /// A damaged file is emptied too; where there is none there is an empty one after it. Its large values
  /// go. Stores of the in-memory type have nothing to destroy.
  /// - Throws: 134000 for an unknown type, 134090 where others keep the file locked, 4 (`fileNoSuchFile`)
  ///   where there is no folder, 134091 for `/dev/null`. Source: documented; what tests of others show
  ///   for missing files; chosen for open stores.
  open func destroyPersistentStore(
    at url: URL,
    ofType storeType: String,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try destroy(url, storeType, options)
  }

  /// Empties the store at `url`; as the older spelling.
  open func destroyPersistentStore(
    at url: URL,
    type storeType: NSPersistentStore.StoreType,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try destroy(url, storeType.rawValue, options)
  }

  /// Puts a copy of the store at `sourceURL`, its log and large values included, in the place of the one at
  /// `destinationURL`, which this coordinator lets go of where it is one of its own.
  ///
  /// - Throws: 134000 for an unknown type, 260 where there is no source, 259 where it is no store,
  ///   134090 where others keep a file locked; the destination is whole then.
  open func replacePersistentStore(
    at destinationURL: URL,
    destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL,
    sourceOptions: [AnyHashable: Any]? = nil,
    ofType storeType: String
  ) throws {
    try replace(destinationURL, destinationOptions, sourceURL, sourceOptions, storeType)
  }

  /// Puts a copy of a store in the place of another; as the older spelling.
  open func replacePersistentStore(
    at destinationURL: URL,
    destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL,
    sourceOptions: [AnyHashable: Any]? = nil,
    type sourceType: NSPersistentStore.StoreType
  ) throws {
    try replace(destinationURL, destinationOptions, sourceURL, sourceOptions, sourceType.rawValue)
  }

  /// Saves `store` as a new one at `URL`, which takes its place here; the old one's file stays.
  ///
  /// The new store has a UUID of its own and no history; a store that lies there is overwritten. Objects
  /// of contexts belong to the new store from then on.
  /// - Throws: 134091 unless both are SQLite stores; what adding a store throws.
  @discardableResult
  open func migratePersistentStore(
    _ store: NSPersistentStore,
    to URL: URL,
    options: [AnyHashable: Any]? = nil,
    withType storeType: String
  ) throws -> NSPersistentStore {
    try migrate(store, URL, options, storeType)
  }

  /// Saves `store` as a new one at `storeURL`; as the older spelling.
  @discardableResult
  open func migratePersistentStore(
    _ store: NSPersistentStore,
    to storeURL: URL,
    options: [AnyHashable: Any]? = nil,
    type storeType: NSPersistentStore.StoreType
  ) throws -> NSPersistentStore {
    try migrate(store, storeURL, options, storeType.rawValue)
  }

  /// The metadata of a store that need not be open, its type and UUID among them.
  ///
  /// Nothing in the file changes.
  /// - Throws: 134000 for an unknown type, 260 for a missing file, 259 where it is no store.
  open class func metadataForPersistentStore(
    ofType storeType: String,
    at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadata(storeType, url)
  }

  /// The metadata of a store that need not be open; as the older spelling.
  open class func metadataForPersistentStore(
    type storeType: NSPersistentStore.StoreType,
    at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadata(storeType.rawValue, storeURL)
  }

  /// Replaces the metadata of a store that are the application's own; written at once.
  ///
  /// - Throws: as `metadataForPersistentStore(ofType:at:options:)`; 134090 where others keep the file locked.
  open class func setMetadata(
    _ metadata: [String: Any]?,
    forPersistentStoreOfType storeType: String,
    at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try setMetadata(metadata, storeType, url, options)
  }

  /// Replaces the metadata of a store; as the older spelling.
  open class func setMetadata(
    _ metadata: [String: Any]?,
    type storeType: NSPersistentStore.StoreType,
    at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try setMetadata(metadata, storeType.rawValue, storeURL, options)
  }

  /// The store at `URL`; nil where there is none.
  open func persistentStore(for URL: URL) -> NSPersistentStore? {
    persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
  }

  /// Where the store's file is; `/dev/null` for a store without one.
  open func url(for store: NSPersistentStore) -> URL {
    store.url ?? NSPersistentStoreDescription.memory
  }

  /// The store's metadata.
  open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

  /// Replaces the metadata that are the application's own; Apple's keys are kept.
  ///
  /// Written at once, not with the next save (DEVIATIONS.md). Where they cannot be, as in a store that is
  /// only read, the standard error says so and nothing changes.
  open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    store.writeMetadata(metadata)
  }

  // MARK: IDs

  /// The ID that `url` writes out; nil where none of the stores has the UUID.
  ///
  /// Asks no store for a row.
  open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
    guard url.scheme == "x-coredata", let uuid = url.host, url.pathComponents.count == 3,
      let entity = frozen.definition.entity(named: url.pathComponents[1]),
      url.lastPathComponent.first == "p", let number = Int64(url.lastPathComponent.dropFirst()),
      let store = persistentStores.first(where: { $0.identifier == uuid }),
      let key = ObjectKey(store: store.index, entity: entity.index, number: number)
    else { return nil }
    return NSManagedObjectID(key, frozen, self)
  }

  /// The key by which the coordinator's stores know the object of an ID; nil where none of them has it.
  ///
  /// An ID of another coordinator's store is translated by the store's UUID and the entity's name.
  func localKey(_ id: NSManagedObjectID) -> ObjectKey? {
    if id.coordinatorNumber == number || id.coordinatorNumber == 0 { return id.key }
    return managedObjectID(forURIRepresentation: id.uriRepresentation())?.key
  }

  /// The ID that a URI's text writes out; nil as for `managedObjectID(forURIRepresentation:)`.
  open func managedObjectID(for string: String) -> NSManagedObjectID? {
    URL(string: string).flatMap(managedObjectID(forURIRepresentation:))
  }

  // MARK: Requests

  /// What `request` gives in `context`: the array of a fetch, the result object of any other request.
  ///
  /// Call it on the context's queue.
  /// - Throws: 134091 for a request that the stores cannot carry out, 134070 for a context of another
  ///   coordinator; what the request throws.
  @discardableResult
  open func execute(
    _ request: NSPersistentStoreRequest,
    with context: NSManagedObjectContext
  ) throws -> Any {
    try carryOut(request, context)
  }

  // MARK: Work on the coordinator's queue

  /// Runs `block` on the coordinator's own queue, later.
  open func perform(_ block: @escaping @Sendable () -> Void) { queue.async(block) }

  /// Runs `block` on the coordinator's own queue and waits for it.
  open func performAndWait<T>(_ block: () throws -> T) rethrows -> T { try queue.sync(block) }
}

extension NSPersistentStoreCoordinator {
  // MARK: For contexts

  func store(at index: Int) -> NSPersistentStore? {
    state.withLock { index < $0.stores.count ? $0.stores[index] : nil }
  }

  func rowStore(at index: Int) -> (any RowStore)? { index < 0 ? nil : store(at: index)?.rows }

  /// The first writable store that holds the entity; -1 where there is none.
  func storeIndex(forEntity entity: Int) -> Int {
    state.withLock { state in
      state.stores.compactMap { $0 }
        .first { !$0.isReadOnly && ($0.entities?.contains(entity) ?? true) }?.index ?? -1
    }
  }

  /// The stores that hold objects of the entity or of one below it.
  func stores(forEntity entity: EntityDefinition) -> [NSPersistentStore] {
    persistentStores.filter { store in
      store.entities.map { entities in entity.family.contains { entities.contains($0) } } ?? true
    }
  }

  func attach(_ context: NSManagedObjectContext) {
    let address = ObjectLifetime.address(of: context)
    state.withLock { _ = $0.contexts.insert(address) }
  }

  /// Called by the context's `deinit`.
  func detach(_ context: NSManagedObjectContext) {
    let address = ObjectLifetime.address(of: context)
    state.withLock { _ = $0.contexts.remove(address) }
  }

  private var contexts: [NSManagedObjectContext] {
    let alive = state.withLock { state in state.contexts.map(ObjectLifetime.retain) }
    return alive.compactMap { ObjectLifetime.consume($0, as: NSManagedObjectContext.self) }
  }

  /// Tells the contexts that merge by themselves what one of them has saved.
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

  /// Tells of own writes to stores, where their options ask for it.
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

  /// Whether a context merges what batches change.
  var hasBatchFollowers: Bool { !batchFollowers.isEmpty }

  /// Tells the contexts that follow batches; the one that executed the request is on its queue.
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
    // Stores are added one at a time: the index is the place in the list.
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

  /// The store for a place in the list, opened or made, which is not there yet.
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
      throw coreDataError(
        NSCoreDataError,
        "The model has no configuration named “\(configuration)”; it has "
          + frozen.definition.configurations.keys.sorted().joined(separator: ", ") + "."
      )
    }
    return Set(entities)
  }

  // MARK: Removing

  /// Puts `new` in the place of `store`, or nothing; whether `store` was there.
  func exchange(_ store: NSPersistentStore, for new: NSPersistentStore?) -> Bool {
    state.withLock { state in
      guard store.index < state.stores.count, state.stores[store.index] === store else {
        return false
      }
      state.stores[store.index] = new
      return true
    }
  }

  /// Closes a store that has left the list.
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
      "The store is not one of this coordinator's."
    )
  }
}

/// Counts the coordinators of the process.
enum CoordinatorNumber {
  private static let last = Atomic<UInt32>(0)
  static func next() -> UInt32 { last.add(1, ordering: .relaxed).newValue }
}
