// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

final class MemorySnapshot: Sendable {
  let state: MemoryState
  let schema: MemorySchema

  init(state: MemoryState, schema: MemorySchema) {
    self.state = state
    self.schema = schema
  }

  func object(_ root: Int, _ number: Int64) -> MemoryObject? {
    state.location(root, number).map {
      MemoryObject(self, root: root, number: number, location: $0)
    }
  }
}

/// A row as an object that predicates and sort keys can read.
final class MemoryObject: KeyedObject {
  let snapshot: MemorySnapshot
  let root: Int
  let number: Int64
  let location: MemoryState.Location

  init(_ snapshot: MemorySnapshot, root: Int, number: Int64, location: MemoryState.Location) {
    self.snapshot = snapshot
    self.root = root
    self.number = number
    self.location = location
  }

  var objectKey: ObjectKey? { snapshot.state.key(root, number) }

  func keyedValue(_ key: String) throws -> Value {
    let entity = snapshot.schema.model.entities[Int(location.entity)]
    guard let slot = entity.slotByName[key] else {
      if key == "objectID" { return objectKey.map(Value.key) ?? .null }
      if key == ManagedKeys.entity { return .object(KeyedEntity(entity)) }
      throw UnknownKey(key: key, owner: entity.name)
    }
    let property = entity.properties[slot]
    guard let relationship = property.relationship else {
      let value = snapshot.state.chunk(root, location).value(Int(location.row), slot)
      if let attribute = property.attribute, attribute.type == .composite,
        case .data(let record) = value
      {
        return CompositeRecord.dictionary(record, attribute.elements)
      }
      return value
    }
    let destination = snapshot.schema.model.entities[relationship.destination].root
    if relationship.isToMany { return collection(slot, destination, relationship.isOrdered) }
    let chunk = snapshot.state.chunk(root, location)
    if chunk.isNull(Int(location.row), slot) { return .null }
    let number = chunk.key(Int(location.row), slot).number
    return snapshot.object(destination, number).map { .object($0) } ?? .null
  }

  private func collection(_ slot: Int, _ destination: Int, _ isOrdered: Bool) -> Value {
    let relation = snapshot.schema.relation(Int(location.entity), slot)
    let numbers = relation.flatMap { snapshot.state.members[$0][number] } ?? []
    let objects = numbers.compactMap { snapshot.object(destination, $0).map { Value.object($0) } }
    return .collection(ValueCollection(isOrdered ? .orderedSet : .set, objects))
  }
}
