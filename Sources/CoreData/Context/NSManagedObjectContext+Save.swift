// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// A save, step by step; nothing is changed before every store has taken its part.
extension NSManagedObjectContext {
  private static let willSaveLimit = 1000

  func saveChanges() throws {
    checkQueue("save()")
    guard isConnected else { return }
    NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self)
    callWillSave()
    guard graph.hasWork else {
      postSave(SavedObjects())
      return
    }
    try validateChanges()
    let saved = try writeChanges()
    tellHasChanges()
    for object in saved.inserted { object.didSave() }
    for object in saved.updated { object.didSave() }
    for object in saved.deleted { object.didSave() }
    postSave(saved)
  }

  /// `willSave` until no object changes any more, deletions propagated.
  private func callWillSave() {
    for round in 0... {
      if round == Self.willSaveLimit { Misuse.willSaveNeverSettles() }
      endChangeEvent()
      if !propagatesDeletesAtEndOfEvent {
        let summary = graph.processPendingChanges()
        registerUndoStep()
        report(summary)
      }
      for object in graph.inserted { Self.managed(object).willSave() }
      for object in graph.updated { Self.managed(object).willSave() }
      for object in graph.deleted { Self.managed(object).willSave() }
      if !graph.hasPendingEvent { return }
    }
  }

  /// All violations together, so that a form can show them at once.
  func validateChanges() throws {
    isValidatingSave = true
    defer { isValidatingSave = false }
    var errors: [NSError] = []
    func collect(_ check: () throws -> Void) {
      do { try check() } catch { errors.append(error as NSError) }
    }
    for object in graph.deleted { collect(Self.managed(object).validateForDelete) }
    for object in graph.inserted { collect(Self.managed(object).validateForInsert) }
    for object in graph.updated { collect(Self.managed(object).validateForUpdate) }
    try ValidationErrors.throwIfAny(errors)
  }

  // MARK: After the save

  /// The objects of a save, before the change groups are emptied.
  struct SavedObjects {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    /// The place behind the save in the stores' histories; nil where they have none.
    var historyToken: NSPersistentHistoryToken?
    init() {}
    init(_ graph: ObjectGraph) {
      inserted = graph.inserted.map(NSManagedObjectContext.managed)
      updated = graph.updated.map(NSManagedObjectContext.managed)
      deleted = graph.deleted.map(NSManagedObjectContext.managed)
    }
    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
    /// The keys of the objects.
    var keys: SavedKeys {
      SavedKeys(
        inserted: inserted.map(\.key),
        updated: updated.map(\.key),
        deleted: deleted.map(\.key)
      )
    }
  }

  private func postSave(_ saved: SavedObjects) {
    if !saved.inserted.isEmpty { tellObserversOfSave() }
    ContextNotification.didSave.post(self) {
      var info: [AnyHashable: Any] = [:]
      info.add(NSInsertedObjectsKey, saved.inserted)
      info.add(NSUpdatedObjectsKey, saved.updated)
      info.add(NSDeletedObjectsKey, saved.deleted)
      info[NSManagedObjectContextQueryGenerationKey] = newGenerationToken
      info[NSPersistentHistoryTokenKey] = saved.historyToken
      info[ContextNotification.changeTokenKey] = saved.historyToken
      return info
    }
    ContextNotification.didSaveObjectIDs.post(self) {
      var info: [AnyHashable: Any] = [:]
      for (key, objects) in [
        (NSInsertedObjectIDsKey, saved.inserted), (NSUpdatedObjectIDsKey, saved.updated),
        (NSDeletedObjectIDsKey, saved.deleted),
      ] where !objects.isEmpty {
        info[key] = Set(objects.map { id(of: $0) })
      }
      info[NSManagedObjectContextQueryGenerationKey] = newGenerationToken
      info[NSPersistentHistoryTokenKey] = saved.historyToken
      info[ContextNotification.changeTokenKey] = saved.historyToken
      return info
    }
    if parentSource == nil { coordinator?.didSave(saved, by: self) }
    tellChildren(saved)
  }

  /// The ID, also of an object that has left the context with its deletion.
  func id(of object: NSManagedObject) -> NSManagedObjectID {
    NSManagedObjectID(object.key, object.frozenModel, coordinator)
  }

  /// The ID of a key of this context's model, whether or not an object stands for it.
  func id(for key: ObjectKey) -> NSManagedObjectID {
    guard let model = frozenModel else { Misuse.contextHasNoModel(entityName: "") }
    return NSManagedObjectID(key, model, coordinator)
  }
}

/// Which store takes an entity's new objects, asked once for each entity.
final class StoreAssignment {
  private let context: NSManagedObjectContext
  private var known: [Int: Int] = [:]
  private var last = (entity: -1, store: -1)

  init(_ context: NSManagedObjectContext) { self.context = context }

  func index(for object: GraphObject) -> Int {
    let entity = object.key.entity
    if !object.key.isTemporary { return object.key.store }
    if let assigned = context.assignedStores[object.key] { return assigned }
    if last.entity == entity { return last.store }
    let store = known[entity] ?? context.storeIndex(for: object)
    known[entity] = store
    last = (entity, store)
    return store
  }
}
