// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The objects of one context and their unsaved changes.
///
/// The graph is confined to the context's queue and posts no notifications. `docs/architecture.md` describes
/// its design. Source: documented behaviour of `NSManagedObjectContext`.
package final class ObjectGraph {
  package let registry: ObjectRegistry
  let detachedRegistry: ObjectRegistry
  // Unsafe: the host is the context, which owns the graph.
  package unowned(unsafe) let host: any GraphHost

  /// The objects with unsaved changes; the graph retains these objects.
  @exclusivity(unchecked) package internal(set) var unsaved = UnsavedObjects()
  @exclusivity(unchecked) var event = ChangeEvent()
  @exclusivity(unchecked) var rows: ContextRows
  /// The state that determines how faults load their rows.
  @exclusivity(unchecked) package var faulting = FaultLoading()
  @exclusivity(unchecked) var journals = ChangeJournals()
  /// Every registered object, if the context keeps its objects alive; otherwise nil.
  @exclusivity(unchecked) var retained: [ObjectIdentifier: GraphObject]?
  @exclusivity(unchecked) var deletions = PendingDeletions()
  @exclusivity(unchecked) var watched = WatchedVersions()
  @exclusivity(unchecked) var keys = KeyHistory()
  var merge: MergeSession?
  /// As in the model; kept here because every fault that fires asks for it.
  let hasTransientAttributes: Bool
  private(set) lazy var constraints = UniquenessConstraints(model)

  package init(registry: ObjectRegistry, detached: ObjectRegistry, host: any GraphHost) {
    self.registry = registry
    detachedRegistry = detached
    self.host = host
    rows = ContextRows(model: registry.model)
    hasTransientAttributes = registry.model.hasTransientAttributes
    registry.graph = self
  }

  package var model: ModelDefinition { registry.model }

  // MARK: Unsaved objects

  package var inserted: [GraphObject] { unsaved.inserted }
  package var updated: [GraphObject] { unsaved.updated }
  package var deleted: [GraphObject] { unsaved.deleted }
  /// Whether `deleted` contains objects; takes constant time.
  package var hasDeleted: Bool { unsaved.hasDeleted }
  package var hasChanges: Bool { !unsaved.isEmpty }

  func clearUnsaved(_ object: GraphObject) { unsaved.remove(object) }

  func clearAllUnsaved() {
    unsaved.removeAll()
    deletions.forgetLeftOut()
  }

  // MARK: Looking up

  /// Returns the registered object for `key`; if there is no such object, creates and registers a fault.
  ///
  /// If `key` is a temporary key that was replaced, returns the object for the permanent key. Executes no
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

  /// Registers a new object under its key, and records the object as inserted.
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

  /// Prepares a change of an attribute or to-one: fires a fault, gives a stored object a row of its own, and
  /// records the change.
  ///
  /// An object without unsaved changes becomes an updated object. While `awakeFromFetch` runs for the object,
  /// nothing is recorded, and the row is not copied.
  func beginChange(_ object: GraphObject, slot: Int) {
    realize(object)
    if object.flags.contains(.unrecorded) { return }
    capture(object)
    if object.flags.contains(.inserted) {
      // An inserted object already has a row of its own, and a save writes all of its slots.
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

  /// Gives a stored object a row of its own, and makes the former row the object's base.
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

  /// Records a change of a to-many, without copying the row of the object.
  ///
  /// An object without unsaved changes becomes an updated object. While `awakeFromFetch` runs for the object,
  /// nothing is recorded.
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
    // Undoing the deletion needs the values. They are read now, because the row may no longer exist later.
    if journals.undo != nil { realize(object) }
    capture(object)
    unsaved.delete(object)
    note(object, .deletedInEvent)
  }

  func note(_ object: GraphObject, _ flag: ObjectFlags) {
    // Usually the flag is set already, because a program sets several properties of an object in turn.
    if object.flags.contains(flag) { return }
    if event.isEmpty { host.changesBegan() }
    event.note(object, flag)
  }
}
