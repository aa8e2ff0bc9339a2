// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The objects of one context and their unsaved changes.
///
/// Knows no queue and no notification: the context calls it on its own thread.
/// Source: documented behaviour of `NSManagedObjectContext`; the layout is chosen
/// (docs/architecture.md).
package final class ObjectGraph {
  package let registry: ObjectRegistry
  package let model: ModelDefinition
  // Unsafe: the context owns the graph and is its host.
  package unowned(unsafe) let host: any GraphHost

  /// Objects with unsaved changes, held strongly.
  @exclusivity(unchecked) package private(set) var unsaved = UnsavedObjects()
  /// Objects touched since the last processing of pending changes.
  @exclusivity(unchecked) var event = ChangeEvent()
  @exclusivity(unchecked) var drafts: DraftRows
  /// By entity: the chunk that takes the rows of faults that fire one by one; empty before the first.
  @exclusivity(unchecked) var openRows: [RowChunk?] = []
  /// Rows that objects have left for newer ones since rows were compacted.
  @exclusivity(unchecked) var replacedRows = 0
  /// Deleted objects whose destinations were not told yet, and some that are not deleted any more.
  var unpropagated: [GraphObject] = []
  /// Keys whose rows are gone while it is not known what leads to them.
  var lost: Set<ObjectKey> = []
  /// Where objects go that leave the context.
  let detachedRegistry: ObjectRegistry
  /// Whether a fault that fires asks the store although a row is at hand.
  @exclusivity(unchecked) package var ignoresRowsAtHand = false
  /// Every object of the context, where it keeps them alive; nil where it does not.
  @exclusivity(unchecked) var kept: [ObjectIdentifier: GraphObject]?
  /// Objects whose versions the next save checks although they are not changed.
  var watched = ObjectList()
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

  package var inserted: [GraphObject] { unsaved.inserted }
  package var updated: [GraphObject] { unsaved.updated }
  package var deleted: [GraphObject] { unsaved.deleted }
  /// Whether a stored object is to be deleted.
  package var hasDeleted: Bool { unsaved.hasDeleted }
  package var hasChanges: Bool { !unsaved.isEmpty }

  /// Takes the object out of its groups, at a cost that does not grow with them.
  func clearUnsaved(_ object: GraphObject) { unsaved.remove(object) }

  /// Puts other objects into the groups; their flags say the same.
  func replaceUnsaved(
    _ inserted: [GraphObject],
    _ updated: [GraphObject],
    _ deleted: [GraphObject]
  ) {
    unsaved.replace(inserted: inserted, updated: updated, deleted: deleted)
  }

  /// Forgets which objects are unsaved, after a save or a rollback has dealt with them.
  func clearAllUnsaved() { unsaved.removeAll() }

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
    unsaved.insert(object)
    object.flags.remove(.fault)
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

  func appendUpdated(_ object: GraphObject) { unsaved.update(object) }

  func markDeleted(_ object: GraphObject) {
    // Undoing brings the values back, also those of a row that is gone by then.
    if undoJournal != nil { realize(object) }
    capture(object)
    unsaved.delete(object)
    note(object, .deletedInEvent)
  }

  func note(_ object: GraphObject, _ flag: ObjectFlags) {
    // Most notes repeat what is known: a setter after a setter of the same object.
    if object.flags.contains(flag) { return }
    if event.isEmpty { host.changesBegan() }
    event.note(object, flag)
  }
}
