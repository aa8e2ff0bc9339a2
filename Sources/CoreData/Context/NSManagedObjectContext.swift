// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// An object space in which managed objects are fetched, changed and saved.
///
/// ```swift
/// let context = container.newBackgroundContext()
/// try await context.perform {
///   let team = Team(context: context)
///   team.teamName = "Iceland"
///   try context.save()
/// }
/// ```
/// Use the context and its objects only on the context's queue.
///
/// Source: documented, “NSManagedObjectContext”.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  // Unchecked: the program must use the context on the context's queue; `perform…` and the atomic properties
  // are thread-safe.
  let queue: ContextQueue
  @exclusivity(unchecked) private var settings = ContextSettings()
  @exclusivity(unchecked) private var connection: ContextConnection?
  /// The initial state of the fault that is being created; see `FaultMaker`.
  @exclusivity(unchecked) var faultState: FaultMaker.InitialState?
  let reporter = ChangeReporter()
  let related = RelatedContexts()
  var validation = SaveValidation()
  var undoing: ContextUndo?
  @exclusivity(unchecked) var readGeneration = ReadGeneration.newest

  // MARK: Creating

  /// Creates a context whose work runs on the main queue or on a private queue.
  public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
    concurrencyType = ct
    queue = ContextQueue(
      ct == .mainQueueConcurrencyType ? .main : .private,
      label: "NSManagedObjectContext"
    )
    super.init()
    queue.setOwner(self)
  }

  /// Creates a context whose work runs on the main queue or on a private queue.
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
    connection.registry.detach()
  }

  /// The context that this one reads from and saves to, instead of a coordinator's stores; nil for a context
  /// without a parent.
  ///
  /// The parent's unsaved changes are visible in this context, and a save of this context makes its changes
  /// unsaved changes of the parent. Set the parent before the first use. The program stops if the property is
  /// set to nil or to a context with neither a coordinator nor a parent, or while this context has objects.
  ///
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
      newValue.addChild(self)
    }
  }

  /// The type of the queue on which the context's work runs.
  public let concurrencyType: NSManagedObjectContextConcurrencyType

  /// The coordinator of the context's stores or, in a child context, the parent's coordinator; nil until the
  /// coordinator or the parent is set.
  ///
  /// Set the coordinator before the first use. The program stops if the property is set to nil, or while the
  /// context has objects.
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

  /// The name of the context, for use in logs and reports; nil by default.
  open var name: String? {
    get { settings.name }
    set {
      settings.name = newValue
      queue.setName(newValue)
    }
  }
  /// The author that persistent history records for the changes of this context; nil by default.
  ///
  /// The changes of a child context are recorded with the author of its outermost parent.
  open var transactionAuthor: String? {
    get { settings.transactionAuthor }
    set { settings.transactionAuthor = newValue }
  }
  /// A dictionary for the application's own values; the context does not use it.
  public var userInfo: NSMutableDictionary { settings.userInfo }
  /// The policy for the conflicts of a save: a row was changed or deleted after the context read it, or a
  /// uniqueness constraint is violated.
  ///
  /// Defaults to the error policy. A value that is not an `NSMergePolicy` counts as the error policy.
  open var mergePolicy: Any {
    get { settings.mergePolicy }
    set { settings.mergePolicy = newValue }
  }
  /// Whether saves of the parent or of other contexts of the coordinator are merged automatically; false
  /// by default.
  open var automaticallyMergesChangesFromParent: Bool {
    get { related.incoming.mergesSaves.load(ordering: .relaxed) }
    set { related.incoming.mergesSaves.store(newValue, ordering: .relaxed) }
  }
  /// Whether the changes of batch requests are merged automatically; false by default.
  ///
  /// Not in Apple's framework.
  ///
  /// On Apple's systems a program requests the IDs of a batch's rows and merges them with
  /// `mergeChanges(fromRemoteContextSave:into:)`. Here the store reports every row that a batch inserts,
  /// updates or deletes, including rows changed by delete rules, and the context merges these changes like a
  /// save. If the context that executes the request has no parent, its merge ends before `execute(_:)`
  /// returns; in every other context the merge runs later, in a block on the context's queue. A child with
  /// this setting merges what its parent merges.
  open var automaticallyMergesBatchChanges: Bool {
    get { related.incoming.mergesBatches.load(ordering: .relaxed) }
    set { related.incoming.mergesBatches.store(newValue, ordering: .relaxed) }
  }
  /// Whether deletions are propagated when pending changes are processed, instead of only at the save;
  /// true by default.
  open var propagatesDeletesAtEndOfEvent: Bool {
    get { settings.propagatesDeletesAtEndOfEvent }
    set { settings.propagatesDeletesAtEndOfEvent = newValue }
  }
  /// Whether a fault without a row becomes a deleted object with nil values instead of stopping the
  /// program; true by default.
  open var shouldDeleteInaccessibleFaults: Bool {
    get { settings.shouldDeleteInaccessibleFaults }
    set { settings.shouldDeleteInaccessibleFaults = newValue }
  }
  /// The maximum age, in seconds, of a cached row that a fault may use when it fires; −1 by default.
  ///
  /// A negative number means any age. With 0 or more, a firing fault never uses a cached row: it reads the
  /// store or, in a child context, the parent context.
  open var stalenessInterval: TimeInterval {
    get { settings.stalenessInterval }
    set {
      settings.stalenessInterval = newValue
      applySettings()
    }
  }
  /// Whether the context retains every registered object, not only those with unsaved changes; false by
  /// default.
  open var retainsRegisteredObjects: Bool {
    get { settings.retainsRegisteredObjects }
    set {
      settings.retainsRegisteredObjects = newValue
      applySettings()
    }
  }

  /// The manager that registers undo actions for changes; nil by default.
  ///
  /// Without a manager no changes are recorded. Each event with changes, from one processing of pending
  /// changes to the next, registers one undo action. A rollback and a reset remove all actions from the
  /// manager; a save keeps them.
  ///
  /// Source: documented, “undoManager”.
  open var undoManager: UndoManager? {
    get { undoing?.manager }
    set { setUndoManager(newValue) }
  }

  // MARK: Query generations

  /// The token of the query generation to which the context is pinned; nil if the context is not pinned, and
  /// in a child context.
  ///
  /// After `setQueryGenerationFrom(.current)` the value is `NSQueryGenerationToken.current` until the next
  /// read creates a generation. A save, a merge or a reset moves a pinned context to the newest generation.
  ///
  /// Source: documented, “queryGenerationToken”.
  open var queryGenerationToken: NSQueryGenerationToken? { generationToken }

  /// Pins the context's reads to a query generation.
  ///
  /// `.current` pins the context to the generation of its next read, another context's token pins the context
  /// to that context's generation, and nil unpins the context. Data saved after the generation is invisible
  /// to the fetches, faults and counts of a pinned context. A save, a merge and a reset move the context to
  /// the newest generation; realised objects keep their values until they are refreshed. Saves check for
  /// conflicts with the newest rows. Stores that do not support query generations (in-memory stores, and
  /// stores without a write-ahead log) are read in their current state.
  /// - Throws: `NSCoreDataError` (134060) in a child context, for a token of another coordinator, for a token
  ///   other than `.current` in a context without a coordinator, and for a decoded token whose generation did
  ///   not exist when the token was decoded.
  /// - Complexity: after `.current`, the next read opens a connection to each store that supports query
  ///   generations.
  open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
    try setGeneration(generation)
  }

  // MARK: Unsaved objects

  /// Whether the context has unsaved changes.
  open var hasChanges: Bool { connection?.graph.hasChanges ?? false }
  /// The objects that the next save inserts.
  open var insertedObjects: Set<NSManagedObject> {
    checkQueue("insertedObjects")
    return managedSet(connection?.graph.inserted)
  }
  /// The saved objects with a property that was set or changed since the last save, except deleted objects.
  open var updatedObjects: Set<NSManagedObject> {
    checkQueue("updatedObjects")
    return managedSet(connection?.graph.updated)
  }
  /// The objects that the next save deletes.
  open var deletedObjects: Set<NSManagedObject> {
    checkQueue("deletedObjects")
    return managedSet(connection?.graph.deleted)
  }
  /// Every registered object, including faults.
  open var registeredObjects: Set<NSManagedObject> {
    checkQueue("registeredObjects")
    return managedSet(connection?.registry.objects)
  }

  private func managedSet(_ objects: [GraphObject]?) -> Set<NSManagedObject> {
    Set((objects ?? []).map(Self.managed))
  }

  // MARK: Inserting and deleting

  /// Inserts an object that is not in a context; the next save inserts the object's row.
  ///
  /// Does nothing if the object is already in this context. Stops the program if the object is in another
  /// context, or if the context's model does not have the object's entity.
  open func insert(_ object: NSManagedObject) { insertUnmanaged(object) }

  /// Marks the object for deletion by the next save; a new object is removed from the context instead.
  ///
  /// Does nothing if the object is in no context. Stops the program if it is in another context.
  open func delete(_ object: NSManagedObject) {
    checkQueue("delete(_:)", object)
    guard object.registry === connection?.registry else {
      if object.isManaged { Misuse.objectOfOtherContext(object, "delete") }
      return
    }
    graph.delete(object)
  }

  /// Assigns a new object to a store.
  ///
  /// By default an object is saved in the first writable store whose configuration contains the object's
  /// entity.
  ///
  /// Stops the program if the object is not a new object of this context with a temporary ID, if the store
  /// does not belong to the context's coordinator, or if the store's configuration does not contain the
  /// entity.
  ///
  /// Source: documented, “assign(_:to:)”.
  open func assign(_ object: Any, to store: NSPersistentStore) {
    assignStore(of: object, store)
  }

  /// Includes an unchanged object in the conflict detection of the next save, as if the object were changed.
  ///
  /// Does nothing if the object is not in this context.
  ///
  /// Source: documented, “detectConflicts(for:)”.
  open func detectConflicts(for object: NSManagedObject) {
    checkQueue("detectConflicts(for:)", object)
    guard object.registry === connection?.registry else { return }
    graph.watch(object)
  }

  // MARK: Objects by ID

  /// Returns the registered object with the given ID, or a new fault if there is none.
  ///
  /// Never reads the store. Stops the program if the context's coordinator does not know the ID's store or
  /// entity.
  open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
    checkQueue("object(with:)", objectID)
    guard let key = localKey(objectID) else { Misuse.storeNotReachable(objectID) }
    return object(for: key)
  }

  /// Returns the registered object with the given ID; nil if there is none.
  open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    checkQueue("registeredObject(for:)", objectID)
    return localKey(objectID).flatMap { connection?.registry.object(for: $0) }.map(Self.managed)
  }

  /// Returns the object with the given ID, and realises it if it is a fault.
  ///
  /// - Throws: `NSManagedObjectReferentialIntegrityError` (133000) if there is no such object, or if the
  ///   object is deleted in this context; the store's errors.
  /// - Complexity: at most one statement.
  open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    try existing(objectID)
  }

  /// Assigns permanent IDs to the given objects that are in this context and have temporary IDs; other
  /// objects are ignored.
  ///
  /// - Throws: `NSPersistentStoreOperationError` (134070) if no writable store can hold an object; the
  ///   store's errors.
  open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    try makePermanent(objects)
  }

  // MARK: Changes

  /// Ends the change event: propagates deletions if `propagatesDeletesAtEndOfEvent` is true, registers an
  /// undo action if there is an undo manager, and posts `NSManagedObjectContextObjectsDidChange`; does
  /// nothing without pending changes.
  open func processPendingChanges() { endChangeEvent() }

  /// Undoes the last undo group; does nothing without an undo manager.
  open func undo() {
    checkQueue("undo()")
    undoManager?.undo()
  }

  /// Redoes the last undone group; does nothing without an undo manager.
  open func redo() {
    checkQueue("redo()")
    undoManager?.redo()
  }

  /// Saves the unsaved changes to the stores or, in a child context, to the parent.
  ///
  /// - Throws: a validation error (1550…1690); `NSManagedObjectMergeError` (133020) and
  ///   `NSManagedObjectConstraintMergeError` (133021) for conflicts that the merge policy does not resolve;
  ///   `NSManagedObjectExternalRelationshipError` (133010) for a relationship to an object in another store;
  ///   `NSPersistentStoreOperationError` (134070) for an object that cannot be saved in any store; the errors
  ///   of the stores and of a custom merge policy. After `NSPersistentStoreIncompleteSaveError` (134040) some
  ///   stores have committed their part; after any other error nothing is saved.
  open func save() throws { try saveChanges() }

  /// Discards the unsaved changes, and removes all actions of the undo manager.
  open func rollback() { rollBackChanges() }

  /// Removes every object from the context, and all actions from the undo manager.
  ///
  /// Objects that the program still retains no longer have a context.
  open func reset() { resetAllObjects() }

  /// Turns the object into a fault, or reads its row again.
  ///
  /// If `flag` is true, the row is read again unless the object is a fault, and unsaved changes are kept.
  /// Otherwise the object becomes a fault, and its unsaved changes are lost. Does nothing if the object is
  /// inserted, deleted or in no context. Stops the program if the object is in another context.
  open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    refreshValues(of: object, merging: flag)
  }

  /// Refreshes every object that is neither inserted nor deleted; unsaved changes are kept.
  open func refreshAllObjects() { refreshEverything() }

  /// Called when a fault without a row fires.
  ///
  /// Returning true turns the fault into a deleted object without values; returning false stops the program.
  ///
  /// Not called if the call that fired the fault can throw an error instead. `property` is nil if the
  /// property that was read is not known.
  ///
  /// Source: documented, “shouldHandleInaccessibleFault(_:for:triggeredByProperty:)”.
  open func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject,
    for oid: NSManagedObjectID,
    triggeredByProperty property: NSPropertyDescription?
  ) -> Bool {
    shouldDeleteInaccessibleFaults
  }

  /// Merges the changes in the notification that another context posted after it had saved.
  open func mergeChanges(fromContextDidSave notification: Notification) {
    mergeNotification(notification)
  }

  /// Merges changes made elsewhere, for example by another process, into several contexts.
  ///
  /// The keys of the dictionary are those in the `userInfo` of notifications. The values are sets or arrays
  /// of objects, of IDs, or of the URIs of IDs. Parents merge before their children; each context merges on
  /// its own queue, and the call waits for the merges. Contexts without a coordinator are skipped.
  ///
  /// Source: documented, “mergeChanges(fromRemoteContextSave:into:)”.
  open class func mergeChanges(
    fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
    into contexts: [NSManagedObjectContext]
  ) {
    mergeRemoteChanges(changeNotificationData, into: contexts)
  }

  // MARK: Fetching

  /// Returns the objects, IDs, dictionaries or count that `request` describes.
  ///
  /// - Throws: an error of `NSCocoaErrorDomain`, for example for an unknown entity or key, for a request that
  ///   a store does not support, for a result that is not a `T`, or if a store cannot be read.
  /// - Complexity: one statement for each store that can hold the entity, however many rows match; further
  ///   statements for prefetched relationships, and for what the store cannot evaluate.
  open func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] { try results(of: request) }

  /// Returns the number of results of the request.
  ///
  /// For a request with `countResultType`, this is the number of matching objects, not 1.
  open func count<T>(for request: NSFetchRequest<T>) throws -> Int { try countResults(of: request) }

  /// Executes a request of any type.
  ///
  /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` (134091) if the context or its stores
  ///   cannot execute the request; the request's own errors.
  ///
  /// Source: documented, “execute(_:)”.
  @discardableResult
  open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    try executeRequest(request)
  }
}

extension NSManagedObjectContext {
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
  var assignedStores: [ObjectKey: Int] {
    get { connected.assignedStores }
    set { connected.assignedStores = newValue }
  }
  /// A reference for queued blocks that must not keep the context alive.
  var ticket: ContextTicket { related.ticket(of: self) }

  private func applySettings() {
    connection?.graph.faulting.alwaysReadsRows = stalenessInterval >= 0
    connection?.graph.keepsObjects = retainsRegisteredObjects
  }

  private var connected: ContextConnection {
    guard let connection else { Misuse.contextHasNoCoordinator(self) }
    return connection
  }

  // MARK: Creating faults

  var faultMaker: FaultMaker {
    let connected = connected
    if let known = connected.faultMaker { return known }
    let made = FaultMaker(self, connected.model, connected.registry)
    connected.faultMaker = made
    return made
  }

  /// Returns the initial state of the fault that is being created, and clears it; nil if no fault is being
  /// created.
  @inline(__always)
  func consumeFaultState() -> FaultMaker.InitialState? {
    guard let taken = faultState else { return nil }
    faultState = nil
    return taken
  }
}
