// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// What the graph asks of its context.
extension NSManagedObjectContext: GraphHost {
  package func makeObject(for key: ObjectKey) -> GraphObject {
    faultMaker.refresh()
    return faultMaker.make(key)
  }

  package func loadRows(_ keys: [ObjectKey]) throws -> FetchedRows {
    if let parentSource { return try parentSource.rows(for: keys) }
    let stored = keys.filter { !$0.isTemporary }
    guard let first = stored.first, let origin = try origin(at: first.store) else {
      return FetchedRows()
    }
    return try origin.rows(for: stored)
  }

  package func loadRow(_ key: ObjectKey, into open: RowChunk?) throws -> LoadedRow? {
    if let parentSource { return try parentSource.row(for: key, into: open) }
    if key.isTemporary { return nil }
    return try origin(at: key.store)?.row(for: key, into: open)
  }

  package func loadMembers(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    if let parentSource { return try parentSource.members(of: owners, slot: slot) }
    guard let first = owners.first, !first.isTemporary, let origin = try origin(at: first.store)
    else { return [] }
    return try origin.members(of: owners, slot: slot)
  }

  package func loadRelated(of owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    if let parentSource { return try parentSource.related(to: owners, slot: slot) }
    guard let first = owners.first, !first.isTemporary, let origin = try origin(at: first.store)
    else { return RelatedRows(members: [], rows: FetchedRows()) }
    return try origin.related(to: owners, slot: slot)
  }

  package func objects(of rows: FetchedRows) -> [GraphObject] { register(rows) }

  package func rowVanished(_ object: GraphObject, slot: Int?) {
    let object = Self.managed(object)
    let property = slot.map { object.frozenModel.properties[object.key.entity][$0] }
    let id = object.objectID
    if !shouldHandleInaccessibleFault(object, for: id, triggeredByProperty: property) {
      Misuse.unfulfilledFault(object, missing(id))
    }
  }

  package func willChange(_ object: GraphObject, slot: Int) {
    Self.managed(object).tellWillChange(slot)
  }

  package func didChange(_ object: GraphObject, slot: Int) {
    Self.managed(object).tellDidChange(slot)
  }

  package func willReplaceValues(of object: GraphObject) {
    Self.managed(object).tellWillReplace()
  }

  package func didReplaceValues(of object: GraphObject) {
    Self.managed(object).tellDidReplace()
  }

  package func didRealize(_ object: GraphObject) {
    if let parentSource, !object.entityDefinition.transientSlots.isEmpty {
      let shared = parentSource.transientObjects(of: object.key)
      if !shared.isEmpty { object.madeDetail.objects.merge(shared) { own, _ in own } }
    }
    if graph.model.hasOpaqueTransientDefaults { Self.managed(object).takeTransientDefaults() }
    Self.managed(object).awakeFromFetch()
  }

  package func willDelete(_ object: GraphObject) { Self.managed(object).prepareForDeletion() }

  package func changesBegan() {
    reportHasChanges()
    // Work on a queue of one's own ends with processing; the main queue has no such end on Linux.
    guard queue.kind == .main, !reporter.isEndOfEventScheduled else { return }
    reporter.isEndOfEventScheduled = true
    queue.async { [ticket] in
      guard let context = ticket.context else { return }
      context.reporter.isEndOfEventScheduled = false
      context.processPendingChanges()
    }
  }

  package func faultFailed(_ object: GraphObject, _ error: any Error) -> Never {
    Misuse.unfulfilledFault(Self.managed(object), error)
  }
}

extension NSManagedObjectContext {
  /// The key by which this context knows the object of an ID; nil where its coordinator has no such store.
  func localKey(_ id: NSManagedObjectID) -> ObjectKey? {
    guard let coordinator else { return id.key }
    return coordinator.localKey(id)
  }

  package func object(for key: ObjectKey) -> NSManagedObject {
    Self.managed(graph.object(for: key))
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

  /// The objects of several keys; the rows of those that are not registered are read together.
  ///
  /// - Complexity: one statement for each hierarchy and block of some hundred unknown keys.
  func objects(for keys: [ObjectKey]) -> [NSManagedObject] {
    let registry = registry
    var known = registry.objects(for: keys)
    if known.isEmpty { known = Array(repeating: nil, count: keys.count) }
    let unknown = keys.indices.filter { known[$0] == nil && !keys[$0].isTemporary }
    // One fault costs its statement when it fires, so there is nothing to save; what cannot be read
    // together now is read when it fires too, and fails there with the object's name.
    guard unknown.count > 1, let rows = try? rows(unknown.map { keys[$0] }) else {
      return keys.indices.map { known[$0].map(Self.managed) ?? object(for: keys[$0]) }
    }
    // Holds the new faults until they are handed out.
    let faults = register(rows)
    for index in unknown { known[index] = registry.object(for: keys[index]) }
    return withExtendedLifetime(faults) {
      keys.indices.map { known[$0].map(Self.managed) ?? object(for: keys[$0]) }
    }
  }

  private func rows(_ keys: [ObjectKey]) throws -> FetchedRows {
    var all = FetchedRows()
    for (_, members) in Dictionary(grouping: keys, by: \.store) {
      let rows = try loadRows(members)
      all.keys += rows.keys
      all.runs += rows.runs
    }
    return all
  }

  // MARK: Inserting

  /// The entity of this context's model that an entity of another copy of the model stands for; an entity
  /// that has none here is given back.
  func counterpart(of entity: NSEntityDescription) -> NSEntityDescription {
    guard let frozenModel, entity.frozenForUse() !== frozenModel, let name = entity.name,
      let own = frozenModel.definition.entity(named: name)
    else { return entity }
    let counterpart = frozenModel.entities[own.index]
    return counterpart.versionHash == entity.versionHash ? counterpart : entity
  }

  /// A new object enters: default values, a temporary ID, `awakeFromInsert`.
  func insertNew(_ object: NSManagedObject) {
    checkQueue("insert(_:)", object)
    guard object.frozenModel === frozenModel else {
      Misuse.unknownEntity(object.entityDefinition.name)
    }
    object.registry = registry
    let isFresh = object.chunk == nil
    graph.insert(object)
    if isFresh { object.takeOpaqueDefaults() }
    object.awakeFromInsert()
  }

  func adopt(_ object: NSManagedObject) {
    checkQueue("insert(_:)", object)
    if object.registry === registry { return }
    if object.isManaged { Misuse.contextIsInUse("owner") }
    let kept = object.detail?.objects ?? [:]
    insertNew(object)
    for property in object.entityDefinition.properties {
      guard property.relationship != nil, let value = kept[property.slot] else { continue }
      object.detail?.objects[property.slot] = nil
      if property.isToMany {
        object.writeMembers(value as? [NSManagedObject] ?? [], slot: property.slot)
      } else if let destination = value as? NSManagedObject {
        object.chunk?.setNull(object.rowIndex, property.slot)
        object.writeReference(destination, slot: property.slot)
      }
    }
  }

  // MARK: Looking up

  func existing(_ id: NSManagedObjectID) throws -> NSManagedObject {
    checkQueue("existingObject(with:)", id)
    guard let key = localKey(id) else { throw missing(id) }
    let object = object(for: key)
    if object.isDeleted { throw missing(id) }
    do {
      guard try graph.tryRealize(object) else { throw missing(id) }
    } catch let error as StoreError {
      throw cocoaError(error)
    }
    return object
  }

  func missing(_ id: NSManagedObjectID) -> NSError {
    NSError(
      domain: NSCocoaErrorDomain,
      code: NSManagedObjectReferentialIntegrityError,
      userInfo: [
        NSAffectedObjectsErrorKey: [id],
        NSLocalizedDescriptionKey:
          "The store has no object \(id.uriRepresentation().absoluteString); it was deleted, or "
          + "never saved.",
      ]
    )
  }

  func makePermanent(_ objects: [NSManagedObject]) throws {
    checkQueue("obtainPermanentIDs(for:)")
    try makePermanentInParent(objects)
    let fresh = objects.filter { $0.registry === registry && $0.key.isTemporary }
    let stores = Dictionary(grouping: fresh) { storeIndex(for: $0) }
    for (index, members) in stores {
      guard let store = coordinator?.rowStore(at: index) else { throw noStore(members[0]) }
      do {
        let keys = try store.reserveKeys(for: members.map(\.key.entity))
        graph.makePermanent(members, keys)
      } catch {
        throw cocoaError(error)
      }
    }
  }

  /// The store that takes a new object: the first writable one whose configuration has the entity.
  func storeIndex(for object: GraphObject) -> Int {
    object.key.isTemporary
      ? assignedStores[object.key] ?? coordinator?.storeIndex(forEntity: object.key.entity) ?? -1
      : object.key.store
  }

  func noStore(_ object: GraphObject) -> NSError {
    noStore(forEntityNamed: object.entityDefinition.name)
  }

  func noStore(forEntityNamed name: String) -> NSError {
    NSError(
      domain: NSCocoaErrorDomain,
      code: NSPersistentStoreOperationError,
      userInfo: [
        NSLocalizedDescriptionKey:
          "No writable store of the coordinator takes objects of the entity "
          + "“\(name)”; add one with addPersistentStore or "
          + "loadPersistentStores."
      ]
    )
  }
}
