// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

extension NSManagedObjectContext {
  /// Returns the key that identifies the ID's object in this context; nil if the coordinator does not know
  /// the ID's store or entity.
  ///
  /// Without a coordinator, returns the ID's own key.
  func localKey(_ id: NSManagedObjectID) -> ObjectKey? {
    guard let coordinator else { return id.key }
    return coordinator.localKey(id)
  }

  package func object(for key: ObjectKey) -> NSManagedObject {
    Self.managed(graph.object(for: key))
  }

  /// Returns the object's ID; also works for an object that has left the context after its deletion.
  func id(of object: NSManagedObject) -> NSManagedObjectID {
    NSManagedObjectID(object.key, object.frozenModel, coordinator)
  }

  /// Returns the object ID for a key whose entity index refers to this context's model.
  ///
  /// The object need not be registered. Stops the program if the context has no coordinator.
  func id(for key: ObjectKey) -> NSManagedObjectID {
    guard let model = frozenModel else { Misuse.contextHasNoCoordinator(self) }
    return NSManagedObjectID(key, model, coordinator)
  }

  /// Returns the objects for the keys; if two or more saved objects are not registered, reads their rows
  /// together.
  ///
  /// - Complexity: at most one statement for each store, entity hierarchy and block of a few hundred
  ///   unregistered keys.
  func objects(for keys: [ObjectKey]) -> [NSManagedObject] {
    let registry = registry
    var known = registry.objects(for: keys)
    if known.isEmpty { known = Array(repeating: nil, count: keys.count) }
    let unknown = keys.indices.filter { known[$0] == nil && !keys[$0].isTemporary }
    // A single fault reads its row when it fires, so nothing is gained by reading the row now. If rows cannot
    // be read together now, each fault reads its own row when it fires, and the error then names the object's
    // ID.
    guard unknown.count > 1, let rows = try? rows(unknown.map { keys[$0] }) else {
      return keys.indices.map { known[$0].map(Self.managed) ?? object(for: keys[$0]) }
    }
    // The constant retains the new faults until they are returned.
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

  /// Returns this context's entity with the name and the version hash of `entity`; returns `entity` itself if
  /// the context's model has no such entity.
  func counterpart(of entity: NSEntityDescription) -> NSEntityDescription {
    guard let frozenModel, entity.frozenForUse() !== frozenModel, let name = entity.name,
      let own = frozenModel.definition.entity(named: name)
    else { return entity }
    let counterpart = frozenModel.entities[own.index]
    return counterpart.versionHash == entity.versionHash ? counterpart : entity
  }

  /// Inserts an object that is not in a context: assigns a temporary ID, sets default values unless the
  /// object already has values, and calls `awakeFromInsert`.
  ///
  /// Stops the program if the object's entity does not belong to the context's model.
  func insertNew(_ object: NSManagedObject) {
    checkQueue("insert(_:)", object)
    guard object.frozenModel === frozenModel else {
      guard let frozenModel else { Misuse.contextHasNoCoordinator(self) }
      let name = object.entityDefinition.name
      Misuse.entityOfOtherModel(
        name,
        isNameKnown: frozenModel.definition.entity(named: name) != nil
      )
    }
    object.registry = registry
    let isFresh = object.chunk == nil
    graph.insert(object)
    if isFresh { object.setDefaultObjects() }
    object.awakeFromInsert()
  }

  func insertUnmanaged(_ object: NSManagedObject) {
    checkQueue("insert(_:)", object)
    if object.registry === registry { return }
    if object.isManaged { Misuse.insertsObjectOfOtherContext(object) }
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

  // MARK: Fetching by ID

  func existing(_ id: NSManagedObjectID) throws -> NSManagedObject {
    checkQueue("existingObject(with:)", id)
    guard let key = localKey(id) else { throw missing(id) }
    let object = object(for: key)
    if object.isDeleted {
      throw noObject(
        "The object with the ID \(id.uriRepresentation().absoluteString) has been deleted in this context. "
          + "Save the deletion, or undo it with rollback().",
        id
      )
    }
    do {
      guard try graph.tryRealize(object) else { throw missing(id) }
    } catch let error as StoreError {
      throw cocoaError(error)
    }
    return object
  }

  /// Returns the error (133000) for an ID without a row, with the cause if it is known.
  func missing(_ id: NSManagedObjectID) -> NSError { noObject(causeOfAbsence(of: id), id) }

  private func noObject(_ text: String, _ id: NSManagedObjectID) -> NSError {
    coreDataError(
      NSManagedObjectReferentialIntegrityError,
      text,
      userInfo: [NSAffectedObjectsErrorKey: [id]]
    )
  }

  private func causeOfAbsence(of id: NSManagedObjectID) -> String {
    let uri = id.uriRepresentation().absoluteString
    guard let key = localKey(id) else {
      return
        "The ID \(uri) has no meaning in this context: the coordinator has no store with the UUID in the ID, "
        + "or the model has no entity with the name in the ID. Use a context whose coordinator has the store."
    }
    if key.isTemporary {
      return
        "The temporary ID \(uri) does not identify an object that this context can read. Save the object in "
        + "its own context, and use its permanent ID in other contexts."
    }
    if coordinator?.store(at: key.store) == nil {
      return
        "The store of the object with the ID \(uri) has been removed from the coordinator. Add the store "
        + "again, and get a new ID from this URI with managedObjectID(forURIRepresentation:)."
    }
    if parentSource != nil {
      return
        "Neither the parent context nor the store has an object with the ID \(uri): it was deleted or has "
        + "never been saved."
    }
    if case .pinned = readGeneration {
      return
        "The query generation to which the context is pinned has no object with the ID \(uri): the object "
        + "was deleted before or saved after the generation, or has never been saved. Call "
        + "setQueryGenerationFrom(nil) to read the newest data."
    }
    return "The store has no object with the ID \(uri): it was deleted or has never been saved."
  }

  func makePermanent(_ objects: [NSManagedObject]) throws {
    checkQueue("obtainPermanentIDs(for:)")
    try makePermanentInParent(objects)
    let fresh = objects.filter { $0.registry === registry && $0.key.isTemporary }
    let stores = Dictionary(grouping: fresh) { storeIndex(for: $0) }
    for (index, members) in stores {
      guard index >= 0, let store = coordinator?.store(at: index) else { throw noStore(members[0]) }
      do {
        let keys =
          try (store.rows as? any ContextualRows)?.permanentKeys(for: members)
          ?? store.rows.reserveKeys(for: members.map(\.key.entity))
        graph.makePermanent(members, keys)
      } catch {
        throw cocoaError(error)
      }
    }
  }

  /// Returns the index of the object's store.
  ///
  /// For a new object this is the assigned store or, by default, the first writable store whose configuration
  /// has the entity; −1 if there is no such store.
  func storeIndex(for object: GraphObject) -> Int {
    object.key.isTemporary
      ? assignedStores[object.key] ?? coordinator?.storeIndex(forEntity: object.key.entity) ?? -1
      : object.key.store
  }

  /// Returns the error (134070) for an object that cannot be saved in any store, with the cause.
  func noStore(_ object: GraphObject) -> NSError {
    let name = object.entityDefinition.name
    let isAssigned = object.key.isTemporary && assignedStores[object.key] != nil
    if !object.key.isTemporary || isAssigned {
      return coreDataError(
        NSPersistentStoreOperationError,
        isAssigned
          ? "The store to which a new \(name) object was assigned has been removed from the coordinator. "
            + "Assign the object to another store."
          : "The object \(Self.managed(object).objectID.uriRepresentation().absoluteString) cannot be saved, "
            + "because its store was removed from the coordinator. Discard the changes with rollback() or "
            + "reset()."
      )
    }
    let all = coordinator?.persistentStores ?? []
    let holding = all.filter { $0.entities?.contains(object.key.entity) ?? true }
    let cause =
      all.isEmpty
      ? "the coordinator has no stores. Add one with addPersistentStore or loadPersistentStores"
      : holding.isEmpty
        ? "no store of the coordinator has a configuration that contains the entity. Add a store with such a "
          + "configuration"
        : "every store of the coordinator that contains the entity is read-only. Add a writable store"
    return coreDataError(
      NSPersistentStoreOperationError,
      "A new object of the entity “\(name)” has no store to be saved in: \(cause)."
    )
  }
}
