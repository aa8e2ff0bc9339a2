// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// An object in memory with the values that the store gave for its row.
final class LawObject: KeyedObject {
  let objectKey: ObjectKey?
  var values: [String: Value]
  init(_ key: ObjectKey, _ values: [String: Value]) {
    objectKey = key
    self.values = values
  }
  func keyedValue(_ key: String) throws -> Value {
    if key == "objectID" { return objectKey.map(Value.key) ?? .null }
    guard let value = values[key] else { throw UnknownKey(key: key, owner: "object") }
    return value
  }
}

/// A random model with random rows in a store, and the same rows as objects in memory.
final class LawWorld {
  let subject: LawStore
  let model: ModelDefinition
  /// By entity index, concrete entities alone.
  private(set) var objects: [[LawObject]] = []
  private var serial: Int64 = 0

  init(_ random: inout LawRandom, _ make: (ModelDraft) throws -> LawStore) throws {
    let draft = LawModel.make(&random)
    model = try ModelDefinition(draft)
    subject = try make(draft)
    try fill(&random)
    try read()
  }

  deinit {
    // Objects refer to each other in circles.
    for object in objects.joined() { object.values = [:] }
    subject.store.close()
  }

  /// The objects that a fetch of the entity is about.
  func candidates(_ entity: EntityDefinition, subentities: Bool) -> [LawObject] {
    subentities ? entity.family.flatMap { objects[$0] } : objects[entity.index]
  }

  // MARK: Rows

  private func fill(_ random: inout LawRandom) throws {
    var batch = SaveBatch()
    var keys: [[ObjectKey]] = []
    for entity in model.entities {
      let count = entity.isAbstract ? 0 : 6 + random.below(7)
      keys.append((0..<count).map { _ in temporaryKey(entity) })
    }
    var serial: Int64 = 0
    for entity in model.entities {
      for key in keys[entity.index] {
        serial += 1
        var values: [String: Value] = ["serial": .int(serial)]
        for property in entity.properties where property.isStored && property.name != "serial" {
          if random.chance(25) { continue }
          if let attribute = property.attribute {
            values[property.name] = LawValues.value(attribute.type, &random)
          } else if let target = target(property, keys, &random), isFree(property) {
            values[property.name] = .key(target)
          }
        }
        let chunk = try row(entity, values)
        batch.inserts.append(SaveBatch.Insert(key: key, chunk: chunk, row: 0))
      }
    }
    link(&batch, keys, &random)
    _ = try subject.store.save(batch)
  }

  private func temporaryKey(_ entity: EntityDefinition) -> ObjectKey {
    serial += 1
    return .temporary(entity: entity.index, number: serial)
  }

  /// A chunk of one row with these values.
  private func row(_ entity: EntityDefinition, _ values: [String: Value]) throws -> RowChunk {
    let chunk = RowChunk(layout: entity.rowLayout, capacity: 1)
    let row = chunk.appendRow()
    for (name, value) in values {
      guard let slot = entity.slotByName[name], chunk.setValue(row, slot, value) else {
        throw UnknownKey(key: name, owner: entity.name)
      }
    }
    return chunk
  }

  /// Both sides of a one-to-one need the same pairs, so only the side that is named first is set.
  private func isFree(_ property: PropertyDefinition) -> Bool {
    guard let relationship = property.relationship, let inverse = relationship.inverse else {
      return true
    }
    return model.entities[relationship.destination].properties[inverse].isToMany
  }

  private func target(
    _ property: PropertyDefinition,
    _ keys: [[ObjectKey]],
    _ random: inout LawRandom
  ) -> ObjectKey? {
    guard let relationship = property.relationship else { return nil }
    let family = model.entities[relationship.destination].family
    let all = family.flatMap { keys[$0] }
    return all.isEmpty ? nil : random.pick(all)
  }

  /// Members of the many-to-many relationships.
  private func link(_ batch: inout SaveBatch, _ keys: [[ObjectKey]], _ random: inout LawRandom) {
    for entity in model.entities {
      for slot in entity.toManySlots where entity.properties[slot].name.hasPrefix("r") {
        guard let relationship = entity.properties[slot].relationship else { continue }
        let all = model.entities[relationship.destination].family.flatMap { keys[$0] }
        for owner in keys[entity.index] {
          let members = all.filter { _ in random.chance(15) }
          if members.isEmpty { continue }
          batch.links.append(
            SaveBatch.LinkChange(owner: owner, slot: slot, added: members, removed: [])
          )
          if relationship.isOrdered {
            batch.orders.append(
              SaveBatch.OrderChange(owner: owner, slot: slot, members: members.reversed())
            )
          }
        }
      }
    }
  }

  // MARK: Objects

  /// The stored values that are not null, by row.
  private func rows(
    _ description: FetchDescription
  ) throws -> [(key: ObjectKey, values: [String: Value])] {
    guard case .rows(let rows) = try subject.store.fetch(description) else { return [] }
    var result: [(key: ObjectKey, values: [String: Value])] = []
    rows.forEach { key, chunk, row in
      var values: [String: Value] = [:]
      for property in model.entities[key.entity].properties where property.isStored {
        let value = chunk.value(row, property.slot)
        if !value.isNull { values[property.name] = value }
      }
      result.append((key, values))
    }
    return result
  }

  private func read() throws {
    var byKey: [ObjectKey: LawObject] = [:]
    objects = Array(repeating: [], count: model.entities.count)
    for entity in model.entities where entity.parent == nil {
      for row in try rows(FetchDescription(entity: entity.index)) {
        var values = row.values
        for property in model.entities[row.key.entity].properties where values[property.name] == nil
        {
          values[property.name] = Value.null
        }
        values["entity"] = .object(KeyedEntity(model.entities[row.key.entity]))
        let object = LawObject(row.key, values)
        byKey[row.key] = object
        objects[row.key.entity].append(object)
      }
    }
    for entity in model.entities where !objects[entity.index].isEmpty {
      let owners = objects[entity.index]
      for property in entity.properties {
        guard let relationship = property.relationship else { continue }
        if !relationship.isToMany {
          for owner in owners {
            if case .key(let key)? = owner.values[property.name] {
              owner.values[property.name] = byKey[key].map { .object($0) } ?? .null
            }
          }
          continue
        }
        let members = try subject.store.members(
          of: owners.compactMap(\.objectKey),
          slot: property.slot
        )
        for (owner, keys) in zip(owners, members) {
          owner.values[property.name] = .collection(
            ValueCollection(
              relationship.isOrdered ? .orderedSet : .set,
              keys.compactMap { byKey[$0] }.map { .object($0) }
            )
          )
        }
      }
    }
  }
}
