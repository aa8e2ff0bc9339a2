// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// A scratchpad of objects: fetch, change, save.
///
/// ```swift
/// let context = container.newBackgroundContext()
/// try await context.perform {
///   let team = Team(context: context)
///   team.teamName = "Iceland"
///   try context.save()
/// }
/// ```
/// Use it and its objects on its queue only. Source: documented, “NSManagedObjectContext”.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  // Unchecked: everything but `perform…` and what is atomic is confined to the queue.
  let queue: ContextQueue
  private var settings = ContextSettings()
  @exclusivity(unchecked) private var connection: ContextConnection?
  /// What the fault that the next initialiser makes starts with; see `FaultMaker`.
  @exclusivity(unchecked) var seed: FaultMaker.Seed?
  let reporter = ChangeReporter()
  let related = RelatedContexts()
  /// Which rules a save checks now, and whether it does.
  var validation = SaveValidation()
  var undoing: ContextUndo?
  var moment = ReadingMoment.newest

  // MARK: Making

  /// A context whose work runs on the main queue, or on a queue of its own.
  public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
    concurrencyType = ct
    queue = ContextQueue(
      ct == .mainQueueConcurrencyType ? .main : .private,
      label: "NSManagedObjectContext"
    )
    super.init()
    queue.belong(to: self)
  }

  /// A context whose work runs on the main queue, or on a queue of its own.
  public convenience init(_ type: ConcurrencyType) {
    self.init(
      concurrencyType: type == .mainQueue
        ? .mainQueueConcurrencyType : .privateQueueConcurrencyType
    )
  }

  deinit {
    related.expireTicket()
    guard let connection else { return }
    connection.coordinator.detach(self)
    connection.graph.releasePrefetched()
    connection.registry.abandon()
  }

  /// The context that this one reads from and saves to, instead of a coordinator's stores.
  ///
  /// Its unsaved changes are seen here; a save of this context makes them unsaved changes there. Set it
  /// once, before the first use, to a context that has a coordinator or a parent; nil stops the program.
  /// Source: documented, “parent”; docs/decisions/0005-child-contexts.md.
  open var parent: NSManagedObjectContext? {
    get { parentSource?.parent }
    set {
      guard let newValue else { Misuse.parentIsNil() }
      if let connection, connection.registry.count > 0 { Misuse.contextIsInUse("parent") }
      connection?.coordinator.detach(self)
      connection = ContextConnection(
        parent: newValue,
        sharing: newValue.connected,
        owner: self
      )
      applySettings()
      graph.recordsUndo = undoing != nil
      newValue.adopt(child: self)
    }
  }

  /// Which queue the context's work runs on.
  public let concurrencyType: NSManagedObjectContextConcurrencyType

  /// The coordinator of the context's stores; that of a child is its parent's.
  ///
  /// Set it once, before the first use; nil stops the program.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    get { connection?.coordinator }
    set {
      guard let newValue else { Misuse.coordinatorIsNil() }
      if let connection, connection.registry.count > 0 { Misuse.contextIsInUse("coordinator") }
      connection?.coordinator.detach(self)
      connection = ContextConnection(newValue, owner: self)
      applySettings()
      graph.recordsUndo = undoing != nil
      newValue.attach(self)
    }
  }

  // MARK: Settings

  /// A name for logs; nil at first.
  open var name: String? {
    get { settings.name }
    set {
      settings.name = newValue
      queue.rename(newValue)
    }
  }
  /// The author that the history records for this context's saves; nil at first.
  open var transactionAuthor: String? {
    get { settings.transactionAuthor }
    set { settings.transactionAuthor = newValue }
  }
  /// The application's own values.
  public var userInfo: NSMutableDictionary { settings.userInfo }
  /// What happens when a row has changed since it was read, or would not be unique.
  ///
  /// The error policy at first; a value that is not an `NSMergePolicy` counts as the error policy.
  open var mergePolicy: Any {
    get { settings.mergePolicy }
    set { settings.mergePolicy = newValue }
  }
  /// Whether saves of other contexts of the coordinator are merged automatically; false at first.
  open var automaticallyMergesChangesFromParent: Bool {
    get { related.incoming.followsSaves.load(ordering: .relaxed) }
    set { related.incoming.followsSaves.store(newValue, ordering: .relaxed) }
  }
  /// Whether the changes of batch requests are merged automatically; false at first.
  ///
  /// Not in Apple's framework.
  ///
  /// On Apple's systems a program asks for the IDs of a batch's rows and merges them with
  /// `mergeChanges(fromRemoteContextSave:into:)`. Here the store reports every row that a batch has
  /// inserted, changed or deleted, also by delete rules, and the context merges them as it merges a save,
  /// results controllers included: before `execute(_:)` returns in the context that executes the request,
  /// in a block on its queue in the others. A child merges what its parent merges. The batch costs a key
  /// for each row, and the context reads the new and changed rows.
  open var automaticallyMergesBatchChanges: Bool {
    get { related.incoming.followsBatches.load(ordering: .relaxed) }
    set { related.incoming.followsBatches.store(newValue, ordering: .relaxed) }
  }
  /// Whether deletions reach other objects when pending changes are processed, or only at the save.
  open var propagatesDeletesAtEndOfEvent: Bool {
    get { settings.propagatesDeletesAtEndOfEvent }
    set { settings.propagatesDeletesAtEndOfEvent = newValue }
  }
  /// Whether a fault whose row vanished reads as nil instead of stopping the program; true at first.
  open var shouldDeleteInaccessibleFaults: Bool {
    get { settings.shouldDeleteInaccessibleFaults }
    set { settings.shouldDeleteInaccessibleFaults = newValue }
  }
  /// How many seconds old a row at hand may be when a fault takes its values from it; −1 at first.
  ///
  /// A negative number means any age. From 0 on a fault that fires asks the store, so values are never
  /// older than asked for; a refresh always asks the store.
  open var stalenessInterval: TimeInterval {
    get { settings.stalenessInterval }
    set {
      settings.stalenessInterval = newValue
      applySettings()
    }
  }
  /// Whether the context keeps every object alive, not only those with unsaved changes; false at
  /// first.
  open var retainsRegisteredObjects: Bool {
    get { settings.retainsRegisteredObjects }
    set {
      settings.retainsRegisteredObjects = newValue
      applySettings()
    }
  }

  /// Records how to undo changes; nil at first, and then nothing is recorded.
  ///
  /// Each event, from one processing of pending changes to the next, is a group. A save does not clear
  /// it; a rollback and a reset do. Source: documented, “undoManager”.
  open var undoManager: UndoManager? {
    get { undoing?.manager }
    set { setUndoManager(newValue) }
  }

  // MARK: The moment that is read

  /// Names the moment of the stores that the context reads; nil where it reads the newest.
  ///
  /// `NSQueryGenerationToken.current` until the first read after it was set, and after a save, a merge or
  /// a reset; nil in a child context. Source: documented, “queryGenerationToken”.
  open var queryGenerationToken: NSQueryGenerationToken? { generationToken }

  /// Pins what the context reads to one moment: with `.current` to that of the next read, with another
  /// context's token to that context's, with nil to none.
  ///
  /// Fetches, faults and counts then show nothing that is saved later. A save, a merge and a reset take
  /// the context on to the newest moment; objects that it has keep their values until
  /// `refreshAllObjects()`. A save meets the newest rows. Stores that keep no moments, in memory or
  /// without a write-ahead log, are read as they are.
  /// - Throws: `NSCoreDataError` (134060) in a child context, for a token of another coordinator, and for
  ///   a decoded one whose moment is gone.
  /// - Complexity: the next read opens a connection to each store.
  open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
    try setGeneration(generation)
  }

  // MARK: Unsaved objects

  /// Whether there is anything to save.
  open var hasChanges: Bool { connection?.graph.hasChanges ?? false }
  /// The objects whose rows the next save inserts.
  open var insertedObjects: Set<NSManagedObject> {
    checkQueue("insertedObjects")
    return managedSet(connection?.graph.inserted)
  }
  /// The objects of the store with something set since the last save.
  open var updatedObjects: Set<NSManagedObject> {
    checkQueue("updatedObjects")
    return managedSet(connection?.graph.updated)
  }
  /// The objects whose rows the next save deletes.
  open var deletedObjects: Set<NSManagedObject> {
    checkQueue("deletedObjects")
    return managedSet(connection?.graph.deleted)
  }
  /// Every object that the context knows, faults included.
  open var registeredObjects: Set<NSManagedObject> {
    checkQueue("registeredObjects")
    return managedSet(connection?.registry.objects)
  }

  private func managedSet(_ objects: [GraphObject]?) -> Set<NSManagedObject> {
    Set((objects ?? []).map(Self.managed))
  }

  // MARK: Inserting and deleting

  /// Inserts an object that is in no context; the next save writes it.
  open func insert(_ object: NSManagedObject) { adopt(object) }

  /// Deletes the object with the next save; a new object is forgotten.
  open func delete(_ object: NSManagedObject) {
    checkQueue("delete(_:)", object)
    guard object.registry === connection?.registry else { return }
    graph.delete(object)
  }

  /// Chooses the store of a new object; by default it is the first writable one that holds its entity.
  ///
  /// An object that is not new and one of another context, a store of another coordinator, and one that
  /// does not hold the entity stop the program. Source: documented, “assign(_:to:)”.
  open func assign(_ object: Any, to store: NSPersistentStore) {
    assignStore(of: object, store)
  }

  /// Lets the next save find out whether an unchanged object's row has changed, as if it were written.
  ///
  /// Source: documented, “detectConflicts(for:)”.
  open func detectConflicts(for object: NSManagedObject) {
    checkQueue("detectConflicts(for:)", object)
    guard object.registry === connection?.registry else { return }
    graph.watch(object)
  }

  // MARK: Looking up

  /// The context's object of that ID: a fault where it is not registered.
  ///
  /// Never asks the store.
  open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
    checkQueue("object(with:)", objectID)
    guard let key = localKey(objectID) else { Misuse.storeNotReachable(objectID) }
    return object(for: key)
  }

  /// The object of that ID if the context knows it already.
  open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    checkQueue("registeredObject(for:)", objectID)
    return localKey(objectID).flatMap { connection?.registry.object(for: $0) }.map(Self.managed)
  }

  /// The object of that ID, realised.
  ///
  /// - Throws: `NSManagedObjectReferentialIntegrityError` (133000) where the store has no such object.
  /// - Complexity: at most one statement.
  open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    try existing(objectID)
  }

  /// Permanent IDs for new objects, before their save.
  open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    try makePermanent(objects)
  }

  // MARK: Changes

  /// Ends the change event: propagates deletions, and reports what changed since the last call.
  open func processPendingChanges() { endChangeEvent() }

  /// Undoes the last group of the undo manager; nothing without one.
  open func undo() {
    checkQueue("undo()")
    undoManager?.undo()
  }

  /// Redoes what was undone last; nothing without an undo manager.
  open func redo() {
    checkQueue("redo()")
    undoManager?.redo()
  }

  /// Writes the unsaved changes, all or none of them.
  ///
  /// - Throws: a validation error (1550…1690); 133020 and 133021 for conflicts that the merge policy
  ///   leaves; what the store says. The objects are then as they were before, except after 134040, where
  ///   some stores keep their parts.
  open func save() throws { try saveChanges() }

  /// Drops the unsaved changes.
  open func rollback() { rollBackChanges() }

  /// Forgets every object.
  ///
  /// Objects that are still held have no context any more.
  open func reset() { forgetAllObjects() }

  /// Reads the object's values again: without merging it becomes a fault and loses its changes.
  open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    refreshValues(of: object, merging: flag)
  }

  /// Refreshes every object, keeping unsaved changes.
  open func refreshAllObjects() { refreshEverything() }

  /// Asked when a fault fires whose row is gone: true makes the object a deleted one without values,
  /// false stops the program.
  ///
  /// Not asked where the call can throw instead. `property` is nil where it is not known.
  /// Source: documented, “shouldHandleInaccessibleFault(_:for:triggeredByProperty:)”.
  open func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject,
    for oid: NSManagedObjectID,
    triggeredByProperty property: NSPropertyDescription?
  ) -> Bool {
    shouldDeleteInaccessibleFaults
  }

  /// Merges what another context has saved.
  open func mergeChanges(fromContextDidSave notification: Notification) {
    mergeNotification(notification)
  }

  /// Merges into several contexts what was saved elsewhere, such as by another process.
  ///
  /// The keys are those of the notifications, the values sets or arrays of IDs, of objects or of IDs'
  /// URIs. Parents come before their children; each context works on its own queue.
  /// Source: documented, “mergeChanges(fromRemoteContextSave:into:)”.
  open class func mergeChanges(
    fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
    into contexts: [NSManagedObjectContext]
  ) {
    mergeRemoteChanges(changeNotificationData, into: contexts)
  }

  // MARK: Fetching

  /// The objects, IDs, dictionaries or the count that `request` describes.
  ///
  /// - Throws: `NSCocoaErrorDomain` errors: an unknown entity or key, what the store cannot do, or what
  ///   the store says.
  /// - Complexity: one statement, however many rows.
  open func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] { try results(of: request) }

  /// How many objects `fetch` would give.
  open func count<T>(for request: NSFetchRequest<T>) throws -> Int { try countResults(of: request) }

  /// Executes a request of any kind; a batch request changes rows without the context's objects.
  ///
  /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` (134091) for a request that the context or
  ///   its stores cannot carry out; what the request throws.
  ///
  /// Source: documented, “execute(_:)”.
  @discardableResult
  open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    try carryOut(request)
  }
}

extension NSManagedObjectContext {
  /// Returns the object of the graph as the managed object that it is.
  static func managed(_ object: GraphObject) -> NSManagedObject {
    // Unsafe: this module creates every `GraphObject` as an `NSManagedObject`, so the downcast cannot fail.
    unsafeDowncast(object, to: NSManagedObject.self)
  }

  var graph: ObjectGraph { connected.graph }
  package var registry: ObjectRegistry { connected.registry }
  package var coordinator: NSPersistentStoreCoordinator? { connection?.coordinator }
  var parentSource: ParentSource? { connection?.parent }
  package var frozenModel: FrozenModel? { connection?.model }
  var isConnected: Bool { connection != nil }
  /// New objects' keys → the stores that were chosen for them.
  var assignedStores: [ObjectKey: Int] {
    get { connected.assignedStores }
    set { connected.assignedStores = newValue }
  }
  /// For blocks on the queue that do not keep the context alive.
  var ticket: ContextTicket { related.ticket(of: self) }

  /// Gives the graph the settings that it reads.
  private func applySettings() {
    connection?.graph.faulting.ignoresRowsAtHand = stalenessInterval >= 0
    connection?.graph.keepsObjects = retainsRegisteredObjects
  }

  private var connected: ContextConnection {
    guard let connection else { Misuse.contextHasNoModel(entityName: "") }
    return connection
  }

  // MARK: Making faults

  /// The maker of this context's faults.
  var faultMaker: FaultMaker {
    let connected = connected
    if let known = connected.faultMaker { return known }
    let made = FaultMaker(self, connected.model, connected.registry)
    connected.faultMaker = made
    return made
  }

  /// What the fault that is being made starts with, once.
  @inline(__always)
  func takeSeed() -> FaultMaker.Seed? {
    guard let taken = seed else { return nil }
    seed = nil
    return taken
  }
}
