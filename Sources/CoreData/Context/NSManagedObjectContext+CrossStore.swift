// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

extension NSManagedObjectContext {
  /// Refuses relationships that lead from one store to another: a row has no place for them.
  ///
  /// - Throws: 133010 with the object, the relationship and what it leads to.
  /// - Complexity: O(new and changed objects) where the coordinator has several stores.
  ///
  /// Source: documented, “NSManagedObjectExternalRelationshipError”.
  func checkCrossings(_ stores: StoreAssignment) throws {
    guard let coordinator, coordinator.persistentStores.count > 1 else { return }
    for object in graph.inserted + graph.updated {
      let store = stores.index(for: object)
      let changed = object.key.isTemporary ? nil : object.detail?.changed
      for property in object.entityDefinition.properties
      where property.relationship != nil && !property.isTransient
        && changed?.contains(property.slot) != false
      {
        let destination = newDestinations(of: object, property)
          .first { stores.index(for: $0) != store }
        if let destination { throw crossing(object, property, destination) }
      }
    }
  }

  private func newDestinations(
    of object: GraphObject,
    _ property: PropertyDefinition
  ) -> [NSManagedObject] {
    if property.isToOne {
      return [Self.managed(object).reference(property.slot)].compactMap(\.self)
    }
    let position = graph.toManyPosition(object, property.slot)
    return objects(for: Array(object.detail?.toManys[position]?.added ?? []))
  }

  private func crossing(
    _ object: GraphObject,
    _ property: PropertyDefinition,
    _ destination: NSManagedObject
  ) -> NSError {
    coreDataError(
      NSManagedObjectExternalRelationshipError,
      "A relationship leads to an object in another store.",
      "\(object.entityDefinition.name).\(property.name) leads to an object of the entity "
        + "\(destination.entityDefinition.name) in another store; a fetched property can.",
      userInfo: [
        NSValidationObjectErrorKey: Self.managed(object), NSValidationKeyErrorKey: property.name,
        NSValidationValueErrorKey: destination,
      ]
    )
  }
}
