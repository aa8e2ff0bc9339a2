// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The objects of one context and their unsaved changes.
///
/// It has no queue and posts no notification: the context calls it on its own queue. Source: documented
/// behaviour of `NSManagedObjectContext`; the layout is chosen (docs/architecture.md).
package final class ObjectGraph {
  package let registry: ObjectRegistry
  /// The registry of objects that have left the context.
  let detachedRegistry: ObjectRegistry
  // Unsafe: the context owns the graph and is its host.
  package unowned(unsafe) let host: any GraphHost

  /// Objects with unsaved changes; these objects are retained.
  @exclusivity(unchecked) package internal(set) var unsaved = UnsavedObjects()
  /// Objects touched since the last processing of pending changes.
  @exclusivity(unchecked) var event = ChangeEvent()
  /// The chunks that the context writes rows into.
  @exclusivity(unchecked) var rows: ContextRows
  /// The state with which batched and prefetched faults get their rows.
  @exclusivity(unchecked) package var faulting = FaultLoading()
  /// Images of objects before their changes, for undoing and for a save that fails.
  @exclusivity(unchecked) var journals = ChangeJournals()
  /// Every registered object, if the context keeps its objects alive; nil if it does not.
  @exclusivity(unchecked) var retained: [ObjectIdentifier: GraphObject]?
  /// Deletions whose effects on other objects are still pending.
  var deletions = PendingDeletions()
  /// Objects whose versions the next save checks although they are not changed.
  var watched = WatchedVersions()
  /// The former keys of objects whose keys were replaced.
  var keys = KeyHistory()
  /// The session of the save that is resolving conflicts; nil while no save resolves conflicts.
  var merge: MergeSession?
  private(set) lazy var constraints = UniquenessConstraints(model)

  package init(registry: ObjectRegistry, detached: ObjectRegistry, host: any GraphHost) {
    self.registry = registry
    detachedRegistry = detached
    self.host = host
    rows = ContextRows(model: registry.model)
    registry.graph = self
  }

  package var model: ModelDefinition { registry.model }

  // MARK: Unsaved objects

  package var inserted: [GraphObject] { unsaved.inserted }
  package var updated: [GraphObject] { unsaved.updated }
  package var deleted: [GraphObject] { unsaved.deleted }
  /// Whether objects are deleted, apart from inserted objects that were deleted before a save.
  package var hasDeleted: Bool { unsaved.hasDeleted }
  package var hasChanges: Bool { !unsaved.isEmpty }

  /// Removes the object from its group, in amortised constant time.
  func clearUnsaved(_ object: GraphObject) { unsaved.remove(object) }

  /// Empties the groups of unsaved objects, after a save, a rollback or a reset.
  func clearAllUnsaved() {
    unsaved.removeAll()
    deletions.forgetLeftOut()
  }

  // MARK: Looking up

  /// Returns the registered object for `key`; if there is no such object, creates and registers a fault.
  ///
  /// If `key` is a temporary key that was replaced, the object of the permanent key is returned. Executes no
  /// statement.
  package func object(for key: ObjectKey) -> GraphObject {
    if let object = registry.object(for: key) { return object }
    if key.isTemporary, let permanent = keys.permanentKey(for: key) {
      return self.object(for: permanent)
    }
    let object = host.makeObject(for: key)
    registry.register(object)
    keep(object)
    return object
  }

  // MARK: Inserting

  /// Inserts a new object with a temporary key, and records it as inserted.
  ///
  /// An object without a row gets a row of default values.
  package func insert(_ object: GraphObject) {
    if object.chunk == nil {
      let place = rows.newRow(entity: object.key.entity)
      object.point(at: place.chunk, row: place.row)
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

  /// Prepares a change of the slot: fires a fault, gives a stored object a private copy of its row, and
  /// records the object as updated.
  ///
  /// A new object stays inserted. While `awakeFromFetch` runs for the object, nothing is recorded.
  func beginChange(_ object: GraphObject, slot: Int) {
    realize(object)
    if object.flags.contains(.unrecorded) { return }
    capture(object)
    if object.flags.contains(.inserted) {
      // A new object's row is its own, and everything in it counts as changed.
      if object.detail != nil || !object.flags.contains(.insertedInEvent) {
        noteChange(ofNew: object, slot: slot)
      }
      note(object, .updatedInEvent)
      return
    }
    if object.flags.isDisjoint(with: [.updated, .deleted]) { appendUpdated(object) }
    let detail = object.detailCreatingIfNeeded
    if detail.base == nil { copyRowBeforeWrite(object, detail) }
    detail.changed.insert(slot)
    detail.untracked.remove(slot)
    detail.changedInEvent.insert(slot)
    note(object, .updatedInEvent)
  }

  /// Gives a stored object a row of its own; the former row stays as the object's base.
  func copyRowBeforeWrite(_ object: GraphObject, _ detail: ObjectDetail) {
    guard let chunk = object.chunk else { return }
    detail.base = (chunk, object.rowIndex)
    detail.baseObjects = detail.objects
    let copy = rows.copy(of: chunk, row: object.rowIndex, entity: object.key.entity)
    object.point(at: copy.chunk, row: copy.row)
  }

  private func noteChange(ofNew object: GraphObject, slot: Int) {
    let detail = object.detailCreatingIfNeeded
    detail.untracked.remove(slot)
    if !object.flags.contains(.insertedInEvent) { detail.changedInEvent.insert(slot) }
  }

  /// Records a change of a to-many: an object without unsaved changes becomes an updated object.
  ///
  /// The object's row is not copied.
  func beginRelationshipChange(_ object: GraphObject, slot: Int) {
    if object.flags.contains(.unrecorded) { return }
    capture(object)
    if object.flags.isDisjoint(with: .unsaved) { appendUpdated(object) }
    let detail = object.detailCreatingIfNeeded
    detail.changed.insert(slot)
    detail.changedInEvent.insert(slot)
    note(object, .updatedInEvent)
  }

  func appendUpdated(_ object: GraphObject) { unsaved.update(object) }

  func markDeleted(_ object: GraphObject) {
    // Undoing the deletion restores the values, even if the row no longer exists at that time.
    if journals.undo != nil { realize(object) }
    capture(object)
    unsaved.delete(object)
    note(object, .deletedInEvent)
  }

  func note(_ object: GraphObject, _ flag: ObjectFlags) {
    // In most calls the flag is set already, because a program sets several properties of an object in turn.
    if object.flags.contains(flag) { return }
    if event.isEmpty { host.changesBegan() }
    event.note(object, flag)
  }
}
