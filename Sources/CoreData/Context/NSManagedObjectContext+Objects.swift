// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// Objects by key and by ID; new objects, and the stores that take them.
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
    coreDataError(
      NSManagedObjectReferentialIntegrityError,
      "The store has no object \(id.uriRepresentation().absoluteString); it was deleted, or "
        + "never saved.",
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
    coreDataError(
      NSPersistentStoreOperationError,
      "No writable store of the coordinator takes objects of the entity “\(name)”; add one with "
        + "addPersistentStore or loadPersistentStores."
    )
  }
}
