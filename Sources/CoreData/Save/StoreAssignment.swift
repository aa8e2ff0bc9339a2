// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

/// The stores to which a save writes its objects.
struct StoreAssignment {
  private let context: NSManagedObjectContext
  private let assigned: [ObjectKey: Int]
  /// The last entity of new objects, and its store.
  private var last: (entity: Int, store: Int)?
  /// The stores of the other entities.
  private var storeIndexes: [Int: Int] = [:]

  init(_ context: NSManagedObjectContext) {
    self.context = context
    assigned = context.assignedStores
  }

  /// Returns the index of the object's store; -1 for a new object whose entity no writable store holds.
  ///
  /// The store of a saved object may have been removed.
  mutating func index(for object: GraphObject) -> Int {
    let entity = object.key.entity
    if !object.key.isTemporary { return object.key.store }
    if !assigned.isEmpty, let store = assigned[object.key] { return store }
    if let last {
      if last.entity == entity { return last.store }
      storeIndexes[last.entity] = last.store
    }
    let store = storeIndexes[entity] ?? context.coordinator?.storeIndex(forEntity: entity) ?? -1
    last = (entity, store)
    return store
  }

  // MARK: Relationships between stores

  /// Checks that no new or changed relationship refers to an object in another store, because a row cannot
  /// store such a reference.
  ///
  /// Does nothing if the coordinator has fewer than two stores.
  /// - Throws: `NSManagedObjectExternalRelationshipError` if a relationship refers to an object in another
  ///   store; `NSPersistentStoreOperationError` if no writable store holds the entity of one of these two
  ///   objects.
  ///
  /// Source: documented, “NSManagedObjectExternalRelationshipError”.
  mutating func checkRelationships() throws {
    guard let coordinator = context.coordinator, coordinator.hasSeveralStores else { return }
    let graph = context.graph
    for object in graph.inserted + graph.updated {
      let store = index(for: object)
      let changed = object.key.isTemporary ? nil : object.detail?.changed
      for property in object.entityDefinition.properties
      where property.relationship != nil && !property.isTransient
        && changed?.contains(property.slot) != false
      {
        let destination = newDestinations(of: object, property).first { index(for: $0) != store }
        if let destination {
          if store < 0 { throw context.noStore(object) }
          if index(for: destination) < 0 { throw context.noStore(destination) }
          throw leadsElsewhere(object, property, destination)
        }
      }
    }
  }

  private func newDestinations(
    of object: GraphObject,
    _ property: PropertyDefinition
  ) -> [NSManagedObject] {
    if property.isToOne {
      return [NSManagedObjectContext.managed(object).reference(property.slot)].compactMap(\.self)
    }
    let position = context.graph.toManyPosition(object, property.slot)
    return context.objects(for: Array(object.detail?.toManys[position]?.added ?? []))
  }

  private mutating func place(of object: GraphObject) -> String {
    let index = index(for: object)
    return context.coordinator?.store(at: index).map { "the store \($0.locationInText)" }
      ?? "a store that was removed"
  }

  private mutating func leadsElsewhere(
    _ object: GraphObject,
    _ property: PropertyDefinition,
    _ destination: NSManagedObject
  ) -> NSError {
    coreDataError(
      NSManagedObjectExternalRelationshipError,
      "A relationship refers to an object in another store.",
      "\(object.entityDefinition.name).\(property.name) of an object in \(place(of: object)) refers to an "
        + "object of the entity \(destination.entityDefinition.name) in \(place(of: destination)). Assign "
        + "new objects to one store with assign(_:to:), or use a fetched property instead of the "
        + "relationship.",
      userInfo: [
        NSValidationObjectErrorKey: NSManagedObjectContext.managed(object),
        NSValidationKeyErrorKey: property.name,
        NSValidationValueErrorKey: destination,
      ]
    )
  }
}
