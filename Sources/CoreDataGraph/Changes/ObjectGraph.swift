// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataStore

/// The objects of one context and their unsaved changes.
///
/// Knows no queue and no notification: the context calls it on its own thread.
/// Source: documented behaviour of `NSManagedObjectContext`; the layout is chosen
/// (docs/architecture.md).
package final class ObjectGraph {
  package let registry: ObjectRegistry
  package let model: ModelDefinition
  package unowned(unsafe) let host: any GraphHost

  /// Objects with unsaved changes, held strongly; an object that left a group keeps its place until
  /// the group is read, so check the flag.
  @exclusivity(unchecked) private var insertedObjects: [GraphObject] = []
  @exclusivity(unchecked) private var updatedObjects: [GraphObject] = []
  @exclusivity(unchecked) private var deletedObjects: [GraphObject] = []
  /// Objects touched since the last processing of pending changes.
  @exclusivity(unchecked) var event = ChangeEvent()
  @exclusivity(unchecked) var drafts: DraftRows
  /// By entity: the chunk that takes the rows of faults that fire one by one; empty before the first.
  @exclusivity(unchecked) var openRows: [RowChunk?] = []
  /// Rows that objects have left for newer ones since rows were compacted.
  @exclusivity(unchecked) var replacedRows = 0
  /// Deleted objects whose destinations were not told yet.
  var unpropagated: [GraphObject] = []
  /// Keys whose rows are gone while it is not known what leads to them.
  var lost: Set<ObjectKey> = []
  /// Where objects go that leave the context.
  let detachedRegistry: ObjectRegistry
  @exclusivity(unchecked) private var isSparse = false
  /// Whether a fault that fires asks the store although a row is at hand.
  @exclusivity(unchecked) package var ignoresRowsAtHand = false
  /// Every object of the context, where it keeps them alive; nil where it does not.
  @exclusivity(unchecked) var kept: [ObjectIdentifier: GraphObject]?
  /// Objects whose versions the next save checks although they are not changed.
  var watched: [GraphObject] = []
  private(set) lazy var constraints = UniquenessConstraints(model)
  private(set) lazy var linkSlots = LinkSlots(model)
  /// What undoing needs of the current event; nil where nothing is to be undone.
  var undoJournal: ChangeJournal? { didSet { isCapturing = undoJournal != nil || backup != nil } }
  /// Temporary keys that objects had → the keys that replaced them, and the order in which they did;
  /// recorded once there is a child or a parent.
  package internal(set) var permanentKeys: [ObjectKey: ObjectKey] = [:]
  package internal(set) var keyChanges: [(old: ObjectKey, new: ObjectKey)] = []
  package var recordsKeyChanges = false
  /// Keys that objects of undo steps had → keys that they have since they were saved.
  var aliases: [ObjectKey: ObjectKey] = [:]
  /// What a failing save needs to leave everything as it was; nil outside of conflicts.
  var backup: GraphBackup? { didSet { isCapturing = undoJournal != nil || backup != nil } }
  @exclusivity(unchecked) private(set) var isCapturing = false
  /// Faults of batched fetches.
  package var windows = FaultWindows()
  var prefetches = PrefetchLedger()

  package init(registry: ObjectRegistry, detached: ObjectRegistry, host: any GraphHost) {
    self.registry = registry
    detachedRegistry = detached
    self.host = host
    model = registry.model
    drafts = DraftRows(model: registry.model)
    registry.graph = self
  }

  // MARK: Unsaved objects

  package var inserted: [GraphObject] {
    compact()
    return insertedObjects
  }
  package var updated: [GraphObject] {
    compact()
    return updatedObjects
  }
  package var deleted: [GraphObject] {
    compact()
    return deletedObjects
  }
  /// Whether an object is deleted and not saved; true also while one that came back keeps its place.
  package var hasDeleted: Bool { !deletedObjects.isEmpty }
  package var hasChanges: Bool {
    if insertedObjects.isEmpty && updatedObjects.isEmpty && deletedObjects.isEmpty { return false }
    compact()
    return !(insertedObjects.isEmpty && updatedObjects.isEmpty && deletedObjects.isEmpty)
  }

  private func compact() {
    guard isSparse else { return }
    isSparse = false
    insertedObjects.removeAll { !$0.flags.contains(.inserted) }
    updatedObjects.removeAll { !$0.flags.contains(.updated) }
    deletedObjects.removeAll { !$0.flags.contains(.deleted) }
  }

  /// Takes the object out of its groups; the arrays are cleaned when they are read.
  func clearUnsaved(_ object: GraphObject) {
    if object.flags.isDisjoint(with: .unsaved) { return }
    object.flags.subtract(.unsaved)
    isSparse = true
  }

  /// Puts other objects into the groups; their flags say the same.
  func replaceUnsaved(
    _ inserted: [GraphObject],
    _ updated: [GraphObject],
    _ deleted: [GraphObject]
  ) {
    insertedObjects = inserted
    updatedObjects = updated
    deletedObjects = deleted
    isSparse = false
  }

  /// Forgets which objects are unsaved, after a save or a rollback has dealt with them.
  func clearAllUnsaved() {
    for object in insertedObjects { object.flags.subtract(.unsaved) }
    for object in updatedObjects { object.flags.subtract(.unsaved) }
    for object in deletedObjects {
      object.flags.subtract([.inserted, .updated, .deleted, .propagated])
    }
    insertedObjects = []
    updatedObjects = []
    deletedObjects = []
    isSparse = false
  }

  // MARK: Looking up

  /// The context's object for `key`, made as a fault where there is none.
  ///
  /// Runs no statement.
  package func object(for key: ObjectKey) -> GraphObject {
    if let object = registry.object(for: key) { return object }
    if key.isTemporary, let permanent = permanentKeys[key] { return self.object(for: permanent) }
    let object = host.makeObject(for: key)
    registry.register(object)
    keep(object)
    return object
  }

  // MARK: Inserting

  /// Takes a new object with a temporary key: default values, recorded as inserted.
  package func insert(_ object: GraphObject) {
    if object.chunk == nil {
      let place = drafts.newRow(entity: object.key.entity)
      object.place(at: place.chunk, row: place.row)
    }
    registry.register(object)
    keep(object)
    capture(object, isNew: true)
    markInserted(object)
  }

  func markInserted(_ object: GraphObject) {
    compactBeforeReturning(object)
    object.flags.insert(.inserted)
    object.flags.remove(.fault)
    insertedObjects.append(object)
    note(object, .insertedInEvent)
  }

  // MARK: Recording

  /// Makes the object's row its own to change, and records it as updated.
  func beginChange(_ object: GraphObject, slot: Int) {
    realize(object)
    if object.flags.contains(.unrecorded) { return }
    capture(object)
    if object.flags.contains(.inserted) {
      // A new object's row is its own, and everything in it is new.
      if object.detail != nil || !object.flags.contains(.insertedInEvent) {
        noteChange(ofNew: object, slot: slot)
      }
      note(object, .updatedInEvent)
      return
    }
    if object.flags.isDisjoint(with: [.updated, .deleted]) { appendUpdated(object) }
    let detail = object.madeDetail
    if detail.base == nil { takeRow(object, detail) }
    detail.changed.insert(slot)
    detail.untracked.remove(slot)
    detail.changedInEvent.insert(slot)
    note(object, .updatedInEvent)
  }

  /// Gives a stored object a row of its own; the former one stays as its base.
  func takeRow(_ object: GraphObject, _ detail: ObjectDetail) {
    guard let chunk = object.chunk else { return }
    detail.base = (chunk, object.rowIndex)
    detail.baseObjects = detail.objects
    let copy = drafts.copy(of: chunk, row: object.rowIndex, entity: object.key.entity)
    object.place(at: copy.chunk, row: copy.row)
  }

  private func noteChange(ofNew object: GraphObject, slot: Int) {
    let detail = object.madeDetail
    detail.untracked.remove(slot)
    if !object.flags.contains(.insertedInEvent) { detail.changedInEvent.insert(slot) }
  }

  /// Records the object as changed without touching a slot, as for the owner of a changed to-many.
  func beginRelationshipChange(_ object: GraphObject, slot: Int) {
    if object.flags.contains(.unrecorded) { return }
    capture(object)
    if object.flags.isDisjoint(with: .unsaved) { appendUpdated(object) }
    let detail = object.madeDetail
    detail.changed.insert(slot)
    detail.changedInEvent.insert(slot)
    note(object, .updatedInEvent)
  }

  func appendUpdated(_ object: GraphObject) {
    compactBeforeReturning(object)
    object.flags.insert(.updated)
    updatedObjects.append(object)
  }

  func markDeleted(_ object: GraphObject) {
    // Undoing brings the values back, also those of a row that is gone by then.
    if undoJournal != nil { realize(object) }
    capture(object)
    compactBeforeReturning(object)
    if object.flags.contains(.inserted) {
      object.flags.subtract([.inserted, .updated])
      object.flags.insert(.discarded)
      isSparse = true
    } else {
      if object.flags.contains(.updated) {
        object.flags.remove(.updated)
        isSparse = true
      }
      deletedObjects.append(object)
    }
    object.flags.insert(.deleted)
    note(object, .deletedInEvent)
  }

  /// An object that left a group and comes back must not be in it twice.
  private func compactBeforeReturning(_ object: GraphObject) {
    if isSparse { compact() }
  }

  func note(_ object: GraphObject, _ flag: ObjectFlags) {
    // Most notes repeat what is known: a setter after a setter of the same object.
    if object.flags.contains(flag) { return }
    if event.isEmpty { host.changesBegan() }
    event.note(object, flag)
  }
}
