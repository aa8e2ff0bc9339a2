// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// Reads nodes and relationships of an incremental store into rows.
struct IncrementalReader {
  private let store: NSIncrementalStore
  private let model: FrozenModel
  private let context: NSManagedObjectContext
  /// The capacity of each chunk, in rows.
  private let capacity: Int
  /// The chunk into which the next row of an entity is written, by the index of the entity.
  private var open: [Int: RowChunk] = [:]
  private(set) var rows = FetchedRows()

  /// Creates a reader that reads at most `count` nodes.
  init(
    _ store: NSIncrementalStore,
    _ model: FrozenModel,
    _ context: NSManagedObjectContext,
    count: Int = 0
  ) {
    self.store = store
    self.model = model
    self.context = context
    capacity = min(max(1, count), 512)
  }

  private func id(_ key: ObjectKey) -> NSManagedObjectID {
    NSManagedObjectID(key: key, entity: model.entities[key.entity], store: store)
  }

  // MARK: Nodes

  /// Returns the node of an object; nil if the store has no such object.
  func node(of key: ObjectKey) throws -> NSIncrementalStoreNode? {
    do {
      return try store.newValuesForObject(with: id(key), with: context)
    } catch  where CustomStoreErrors.isMissingObject(error) {
      return nil
    }
  }

  /// Appends the values of a node as a row.
  ///
  /// Reads a to-one that the node omits with `newValue(forRelationship:forObjectWith:with:)`.
  /// - Throws: `NSPersistentStoreOperationError` if a value does not have the type of its property; errors of
  ///   the store's class.
  mutating func append(
    _ node: NSIncrementalStoreNode,
    of key: ObjectKey,
    version: Int64
  ) throws {
    let entity = model.definition.entities[key.entity]
    let chunk = chunk(for: entity)
    let row = chunk.appendRow()
    for property in entity.properties where property.isStored {
      let description = model.properties[entity.index][property.slot]
      var value = node.value(for: description)
      if property.isToOne {
        if value == nil { value = try destination(of: key, description) }
        guard let value, !(value is NSNull) else { continue }
        chunk.setKey(row, property.slot, try self.key(value, property, entity))
      } else if let value, !(value is NSNull) {
        guard AttributeRow.write(value, property, to: chunk, row) else {
          throw wrong(
            "newValuesForObject(with:with:)",
            "a value of the type \(type(of: value)) for \(entity.name).\(property.name), which is of the type "
              + "\(property.attribute?.type.traits.modelFileName ?? "")"
          )
        }
      }
    }
    chunk.setVersion(row, version)
    rows.append(key, chunk, row)
  }

  private mutating func chunk(for entity: EntityDefinition) -> RowChunk {
    if let chunk = open[entity.index], !chunk.isFull { return chunk }
    let chunk = RowChunk(layout: entity.rowLayout, capacity: capacity)
    open[entity.index] = chunk
    return chunk
  }

  // MARK: Relationships

  private func destination(
    of key: ObjectKey,
    _ description: NSPropertyDescription
  ) throws -> Any? {
    guard let relationship = description as? NSRelationshipDescription else { return nil }
    return try store.newValue(
      forRelationship: relationship,
      forObjectWith: id(key),
      with: context
    )
  }

  /// Returns the keys of the members of a to-many; an empty array if the store does not contain the owner.
  func members(of owner: ObjectKey, _ slot: Int) throws -> [ObjectKey] {
    let entity = model.definition.entities[owner.entity]
    let property = entity.properties[slot]
    if property.isTransient || owner.isTemporary { return [] }
    let found: Any?
    do {
      found = try destination(of: owner, model.properties[entity.index][slot])
    } catch  where CustomStoreErrors.isMissingObject(error) {
      return []
    }
    guard let found, !(found is NSNull) else { return [] }
    guard let members = Self.members(found) else {
      throw wrong(
        "newValue(forRelationship:forObjectWith:with:)",
        "a value of the type \(type(of: found)) for the to-many relationship \(entity.name).\(property.name). "
          + "Return an array or a set of IDs"
      )
    }
    var seen: Set<ObjectKey> = []
    return try members.map { try key($0, property, entity) }
      .filter { seen.insert($0).inserted }
  }

  private static func members(_ found: Any) -> [Any]? {
    switch found {
    case let array as [Any]: array
    case let array as NSArray: array.map { $0 }
    case let set as NSOrderedSet: set.array
    case let set as NSSet: set.allObjects
    case let set as Set<NSManagedObjectID>: Array(set)
    case let set as Set<AnyHashable>: set.map(\.base)
    default: nil
    }
  }

  private func key(
    _ value: Any,
    _ property: PropertyDefinition,
    _ entity: EntityDefinition
  ) throws -> ObjectKey {
    let id = value as? NSManagedObjectID ?? (value as? NSManagedObject)?.objectID
    guard let id, let key = context.localKey(id), key.store == store.index else {
      throw wrong(
        property.isToMany
          ? "newValue(forRelationship:forObjectWith:with:)" : "newValuesForObject(with:with:)",
        (id.map { "the ID \($0.uriRepresentation().absoluteString)" }
          ?? "a value of the type \(type(of: value))")
          + " for a destination of \(entity.name).\(property.name). Return IDs of this store"
      )
    }
    return key
  }

  private func wrong(_ method: String, _ fault: String) -> NSError {
    CustomStoreErrors.wrongResult(store, method, fault)
  }
}
