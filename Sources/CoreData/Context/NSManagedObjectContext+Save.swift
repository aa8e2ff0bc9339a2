// SPDX-License-Identifier: Apache-2.0

import CoreDataGraph
import CoreDataModel
import CoreDataStore
import Foundation

/// A save, step by step; nothing is changed before every store has taken its part.
extension NSManagedObjectContext {
  private static let willSaveLimit = 1000

  func saveChanges() throws {
    checkQueue("save()")
    guard isConnected else { return }
    NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self)
    settleChanges()
    guard graph.hasChanges else {
      postSave(SavedObjects())
      return
    }
    try validateChanges()
    let stores = StoreAssignment(self)
    let plan = graph.planSave { stores.index(for: $0) }
    let saved = SavedObjects(graph)
    let keys = try write(plan)
    graph.commit(plan, keys: keys)
    for object in saved.inserted { object.didSave() }
    for object in saved.updated { object.didSave() }
    for object in saved.deleted { object.didSave() }
    postSave(saved)
  }

  /// `willSave` until no object changes any more, deletions propagated.
  private func settleChanges() {
    for round in 0... {
      if round == Self.willSaveLimit { Misuse.willSaveNeverSettles() }
      processChanges()
      if !propagatesDeletesAtEndOfEvent { report(graph.processPendingChanges()) }
      for object in graph.inserted { Self.managed(object).willSave() }
      for object in graph.updated { Self.managed(object).willSave() }
      for object in graph.deleted { Self.managed(object).willSave() }
      if !graph.hasPendingEvent { return }
    }
  }

  /// All violations together, so that a form can show them at once.
  private func validateChanges() throws {
    var errors: [NSError] = []
    func collect(_ check: () throws -> Void) {
      do { try check() } catch { errors.append(error as NSError) }
    }
    for object in graph.deleted { collect(Self.managed(object).validateForDelete) }
    for object in graph.inserted { collect(Self.managed(object).validateForInsert) }
    for object in graph.updated { collect(Self.managed(object).validateForUpdate) }
    try ValidationErrors.throwIfAny(errors)
  }

  /// Writes each store's batch; returns the permanent keys of the new objects.
  private func write(_ plan: SavePlan) throws -> [Int: [ObjectKey]] {
    var keys: [Int: [ObjectKey]] = [:]
    // The order of the stores, so that a failure leaves the same ones written each time.
    for index in plan.batches.keys.sorted() {
      guard var batch = plan.batches[index] else { continue }
      guard let store = coordinator?.rowStore(at: index) else {
        throw noStore(plan.inserted[index]?.first ?? plan.updated.first ?? graph.deleted[0])
      }
      batch.author = transactionAuthor
      batch.contextName = name
      do {
        keys[index] = try store.save(batch).insertedKeys
      } catch let error as StoreError where error.code == .conflict {
        throw conflictError(error.keys, store)
      } catch {
        throw cocoaError(error)
      }
    }
    return keys
  }

  // MARK: After the save

  /// The objects of a save, before the change groups are emptied.
  struct SavedObjects {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    init() {}
    init(_ graph: ObjectGraph) {
      inserted = graph.inserted.map(NSManagedObjectContext.managed)
      updated = graph.updated.map(NSManagedObjectContext.managed)
      deleted = graph.deleted.map(NSManagedObjectContext.managed)
    }
    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
  }

  private func postSave(_ saved: SavedObjects) {
    ContextNotification.didSave.post(self) {
      var info: [AnyHashable: Any] = [:]
      info.add(NSInsertedObjectsKey, saved.inserted)
      info.add(NSUpdatedObjectsKey, saved.updated)
      info.add(NSDeletedObjectsKey, saved.deleted)
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
      return info
    }
    coordinator?.didSave(saved, by: self)
  }

  /// The ID, also of an object that has left the context with its deletion.
  func id(of object: NSManagedObject) -> NSManagedObjectID {
    NSManagedObjectID(
      key: object.key,
      entity: object.entity,
      store: coordinator?.store(at: object.key.store)
    )
  }

  /// The ID of a key of this context's model, whether or not an object stands for it.
  func id(for key: ObjectKey) -> NSManagedObjectID {
    guard let model = frozenModel else { Misuse.contextHasNoModel(entityName: "") }
    return NSManagedObjectID(
      key: key,
      entity: model.entities[key.entity],
      store: key.isTemporary ? nil : coordinator?.store(at: key.store)
    )
  }

  // MARK: Conflicts

  private func conflictError(_ keys: [ObjectKey], _ store: any RowStore) -> NSError {
    let stored = (try? store.rows(for: keys)) ?? FetchedRows()
    let conflicts = keys.compactMap { key -> NSMergeConflict? in
      guard let object = registry.object(for: key).map(Self.managed) else { return nil }
      return NSMergeConflict(object, stored: stored.place(of: key, registry))
    }
    return NSError(
      domain: NSCocoaErrorDomain,
      code: NSManagedObjectMergeError,
      userInfo: [
        NSPersistentStoreSaveConflictsErrorKey: conflicts,
        NSLocalizedDescriptionKey: "Could not merge changes: "
          + conflicts.map { "\($0.sourceObject.objectID.uriRepresentation().absoluteString)" }
          .joined(separator: ", ")
          + " changed in the store since it was read. Refresh the objects, or set another merge "
          + "policy.",
      ]
    )
  }
}

/// Which store takes an entity's new objects, asked once for each entity.
private final class StoreAssignment {
  private let context: NSManagedObjectContext
  private var known: [Int: Int] = [:]
  private var last = (entity: -1, store: -1)

  init(_ context: NSManagedObjectContext) { self.context = context }

  func index(for object: GraphObject) -> Int {
    let entity = object.key.entity
    if !object.key.isTemporary { return object.key.store }
    if last.entity == entity { return last.store }
    let store = known[entity] ?? context.storeIndex(for: object)
    known[entity] = store
    last = (entity, store)
    return store
  }
}

extension FetchedRows {
  /// Where the row of `key` is; nil where it is not among them.
  func place(of key: ObjectKey, _ registry: ObjectRegistry) -> (chunk: RowChunk, row: Int)? {
    var place: (chunk: RowChunk, row: Int)?
    forEach { found, chunk, row in
      if registry.identity(found) == registry.identity(key) { place = (chunk, row) }
    }
    return place
  }
}
