// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// Objects by key and by ID, insertion of new objects, and the assignment of stores.
extension NSManagedObjectContext {
  /// Returns this context's key for the object of an ID; nil if the context's coordinator does not have the
  /// ID's store.
  func localKey(_ id: NSManagedObjectID) -> ObjectKey? {
    guard let coordinator else { return id.key }
    return coordinator.localKey(id)
  }

  package func object(for key: ObjectKey) -> NSManagedObject {
    Self.managed(graph.object(for: key))
  }

  /// Returns the object's ID; works also for an object that has left the context after its deletion.
  func id(of object: NSManagedObject) -> NSManagedObjectID {
    NSManagedObjectID(object.key, object.frozenModel, coordinator)
  }

  /// Returns the ID of a key of this context's model, whether or not an object with that key is
  /// registered.
  func id(for key: ObjectKey) -> NSManagedObjectID {
    guard let model = frozenModel else { Misuse.contextHasNoModel(entityName: "") }
    return NSManagedObjectID(key, model, coordinator)
  }

  /// Returns the objects of several keys; the rows of unregistered objects are read together.
  ///
  /// - Complexity: one statement for each entity hierarchy and each block of a few hundred unregistered
  ///   keys.
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

  /// Returns this context's entity for an entity of another copy of the model; returns `entity` itself if
  /// the context's model has no equal entity.
  func counterpart(of entity: NSEntityDescription) -> NSEntityDescription {
    guard let frozenModel, entity.frozenForUse() !== frozenModel, let name = entity.name,
      let own = frozenModel.definition.entity(named: name)
    else { return entity }
    let counterpart = frozenModel.entities[own.index]
    return counterpart.versionHash == entity.versionHash ? counterpart : entity
  }

  /// Inserts a new object: sets default values, assigns a temporary ID, and calls `awakeFromInsert`.
  func insertNew(_ object: NSManagedObject) {
    checkQueue("insert(_:)", object)
    guard object.frozenModel === frozenModel else {
      Misuse.unknownEntity(object.entityDefinition.name)
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

  // MARK: Fetching by ID

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
    coreDataError(
      NSManagedObjectReferentialIntegrityError,
      "The store has no object with the ID \(id.uriRepresentation().absoluteString); it was deleted or "
        + "has never been saved.",
      userInfo: [NSAffectedObjectsErrorKey: [id]]
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

  /// The index of the store that holds the object.
  ///
  /// For a new object, the assigned store or, by default, the first writable store whose configuration has
  /// the entity.
  func storeIndex(for object: GraphObject) -> Int {
    object.key.isTemporary
      ? assignedStores[object.key] ?? coordinator?.storeIndex(forEntity: object.key.entity) ?? -1
      : object.key.store
  }

  func noStore(_ object: GraphObject) -> NSError {
    noStore(forEntityNamed: object.entityDefinition.name)
  }

  func noStore(forEntityNamed name: String) -> NSError {
    coreDataError(
      NSPersistentStoreOperationError,
      "No writable store of the coordinator contains the entity “\(name)”. Add one with "
        + "addPersistentStore or loadPersistentStores."
    )
  }
}
