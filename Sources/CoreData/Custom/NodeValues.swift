// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// Copies values from managed objects to the nodes of an atomic store, and from nodes to rows.
struct NodeValues {
  private let store: NSAtomicStore

  init(_ store: NSAtomicStore) { self.store = store }

  /// Copies the values of an object to a node; relationships get only the destinations that have a node.
  func copy(_ object: NSManagedObject, to node: NSAtomicStoreCacheNode) {
    for (name, property) in object.entity.propertiesByName where !property.isTransient {
      switch property {
      case let relationship as NSRelationshipDescription:
        node.setValue(destinations(object.value(forKey: name), relationship), forKey: name)
      case is NSAttributeDescription: node.setValue(object.value(forKey: name), forKey: name)
      default: continue
      }
    }
  }

  private func destinations(_ value: Any?, _ relationship: NSRelationshipDescription) -> Any? {
    switch value {
    case let object as NSManagedObject: node(object)
    case let set as NSOrderedSet: NSMutableOrderedSet(array: set.array.compactMap(node))
    case let set as NSSet: NSMutableSet(array: set.allObjects.compactMap(node))
    default: nil
    }
  }

  private func node(_ object: Any) -> NSAtomicStoreCacheNode? {
    (object as? NSManagedObject).flatMap { store.cacheNode(for: $0.objectID) }
  }

  // MARK: Rows

  /// Returns a batch that inserts a row for each node, and the links between the objects.
  ///
  /// - Throws: `NSPersistentStoreOperationError` if a node has a temporary ID or the ID of another store, if
  ///   a property cannot have its value, or if a link leads to an object that has no node.
  func batch(
    of nodes: some Sequence<NSAtomicStoreCacheNode>,
    _ model: FrozenModel
  ) throws -> SaveBatch {
    var batch = SaveBatch()
    for node in nodes {
      let key = node.objectID.key
      guard node.objectID.coordinatorNumber == store.coordinatorNumber, key.store == store.index,
        !key.isTemporary
      else { throw fault("a node whose ID is temporary or belongs to another store", node) }
      let entity = model.definition.entities[key.entity]
      let place = RowChunk.single(entity.rowLayout)
      batch.inserts.append(.init(key: key, chunk: place.chunk, row: place.row))
      for property in entity.properties where !property.isTransient && !property.isFetched {
        guard let value = node.value(forKey: property.name), !(value is NSNull) else { continue }
        if property.attribute != nil {
          if !AttributeRow.write(value, property, to: place.chunk, place.row) {
            throw fault(
              "a value of the type \(type(of: value)) for \(entity.name).\(property.name)",
              node
            )
          }
        } else if property.isToOne {
          place.chunk.setKey(place.row, property.slot, try self.key(value, property, node))
        } else {
          try add(value, property, of: node, model.definition, to: &batch)
        }
      }
    }
    return batch
  }

  private func add(
    _ value: Any,
    _ property: PropertyDefinition,
    of node: NSAtomicStoreCacheNode,
    _ model: ModelDefinition,
    to batch: inout SaveBatch
  ) throws {
    let members = try Self.members(value).map { try key($0, property, node) }
    guard let relationship = property.relationship, !members.isEmpty else { return }
    let owner = node.objectID.key
    let inverse = relationship.inverse.map {
      model.entities[relationship.destination].properties[$0]
    }
    // If the inverse is a to-one, the rows of the members contain the links.
    if inverse?.isToOne != true {
      batch.links.append(.init(owner: owner, slot: property.slot, added: members, removed: []))
    }
    if relationship.isOrdered {
      batch.orders.append(.init(owner: owner, slot: property.slot, members: members))
    }
  }

  private static func members(_ value: Any) -> [Any] {
    switch value {
    case let set as NSOrderedSet: set.array
    case let set as NSSet: set.allObjects
    case let array as NSArray: array.map { $0 }
    case let array as [Any]: array
    case let set as Set<AnyHashable>: set.map(\.base)
    default: [value]
    }
  }

  private func key(
    _ value: Any,
    _ property: PropertyDefinition,
    _ node: NSAtomicStoreCacheNode
  ) throws -> ObjectKey {
    let id = (value as? NSAtomicStoreCacheNode)?.objectID ?? value as? NSManagedObjectID
    guard let id else {
      throw fault("a value of the type \(type(of: value)) for \(property.name)", node)
    }
    guard store.cacheNode(for: id) != nil else {
      throw fault(
        "a link in \(property.name) to the object \(id.uriRepresentation().absoluteString), which has no node",
        node
      )
    }
    return id.key
  }

  private func fault(_ text: String, _ node: NSAtomicStoreCacheNode) -> NSError {
    CustomStoreErrors.wrongResult(
      store,
      "load()",
      "\(text) (ID of the invalid node: \(node.objectID.uriRepresentation().absoluteString))"
    )
  }
}
