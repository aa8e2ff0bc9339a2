// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Collects the objects that a file contains, in any order, and checks the links between them.
///
/// No two objects of a file have the same number.
struct ContentBuilder {
  let model: ModelDefinition
  private let store: Int
  private var batch = SaveBatch()
  /// Number → index of the entity.
  private var entities: [Int64: Int32] = [:]
  /// Entity → the chunk into which its next row is written.
  private var open: [Int: RowChunk] = [:]
  private var links: [Link] = []

  /// A reference in the file, which is checked after all objects have been added.
  private struct Link {
    let owner: Int64
    let entity: Int32
    let slot: Int32
    let member: Int64
    /// The place of the reference in the file, such as a line or byte number.
    let place: Int
  }

  init(model: ModelDefinition, store: Int) {
    self.model = model
    self.store = store
  }

  /// Adds an object without values, and returns its row.
  ///
  /// - Throws: `ContentFault` if the number is not a valid object number, or if another object has it.
  mutating func add(_ entity: EntityDefinition, number: Int64) throws -> ChunkRow {
    guard number > 0, let key = ObjectKey(store: store, entity: entity.index, number: number) else {
      throw ContentFault("\(number) is not a valid object number")
    }
    if entities.updateValue(Int32(entity.index), forKey: number) != nil {
      throw ContentFault("two objects have the number \(number)")
    }
    if open[entity.index]?.isFull ?? true {
      // The first chunk of an entity is small, because many entities have only a few objects.
      let capacity = open[entity.index] == nil ? 16 : 512
      open[entity.index] = RowChunk(layout: entity.rowLayout, capacity: capacity)
    }
    guard let chunk = open[entity.index] else { throw ContentFault("an object has no row") }
    let row = chunk.appendRow()
    batch.inserts.append(SaveBatch.Insert(key: key, chunk: chunk, row: row))
    return (chunk, row)
  }

  /// Sets the destination of a to-one of the object that was added last.
  mutating func setReference(
    _ row: ChunkRow,
    _ property: PropertyDefinition,
    to number: Int64,
    at place: Int
  ) throws {
    guard let relationship = property.relationship, let owner = batch.inserts.last?.key else {
      return
    }
    guard let key = ObjectKey(store: store, entity: relationship.destination, number: number) else {
      throw ContentFault("\(number) is not a valid object number", place)
    }
    row.chunk.setKey(row.row, property.slot, key)
    links.append(link(owner, property, number, at: place))
  }

  /// Sets the members of a to-many of the object that was added last.
  mutating func setMembers(
    _ property: PropertyDefinition,
    to numbers: [Int64],
    at place: Int
  ) throws {
    guard let relationship = property.relationship, let owner = batch.inserts.last?.key,
      !property.isTransient, !numbers.isEmpty
    else { return }
    var members: [ObjectKey] = []
    for number in numbers {
      guard let key = ObjectKey(store: store, entity: relationship.destination, number: number)
      else { throw ContentFault("\(number) is not a valid object number", place) }
      members.append(key)
      links.append(link(owner, property, number, at: place))
    }
    // If the inverse is a to-one, the rows of the members contain the links.
    let inverse = relationship.inverse.map {
      model.entities[relationship.destination].properties[$0]
    }
    if inverse?.isToOne != true {
      batch.links.append(
        SaveBatch.LinkChange(owner: owner, slot: property.slot, added: members, removed: [])
      )
    }
    if relationship.isOrdered {
      batch.orders.append(
        SaveBatch.OrderChange(owner: owner, slot: property.slot, members: members)
      )
    }
  }

  private func link(
    _ owner: ObjectKey,
    _ property: PropertyDefinition,
    _ member: Int64,
    at place: Int
  ) -> Link {
    Link(
      owner: owner.number,
      entity: Int32(owner.entity),
      slot: Int32(property.slot),
      member: member,
      place: place
    )
  }

  /// Returns the objects as the inserts of a batch, after all references have been checked.
  ///
  /// - Throws: `ContentFault` if a reference leads to an object that is missing from the file, or to an
  ///   object whose entity is neither the relationship's destination nor a subentity of the destination.
  func content() throws -> SaveBatch {
    for link in links {
      let property = model.entities[Int(link.entity)].properties[Int(link.slot)]
      guard let destination = property.relationship.map({ model.entities[$0.destination] }) else {
        continue
      }
      let owner = "\(property.name) of the \(model.entities[Int(link.entity)].name) \(link.owner)"
      guard let entity = entities[link.member] else {
        throw ContentFault(
          "\(owner) refers to the object \(link.member), which is missing",
          link.place
        )
      }
      if !destination.family.contains(Int(entity)) {
        throw ContentFault(
          "\(owner) refers to the object \(link.member) of entity \(model.entities[Int(entity)].name), not "
            + destination.name,
          link.place
        )
      }
    }
    return batch
  }
}

/// The reason why the content of a file is not valid.
struct ContentFault: Error {
  let reason: String
  /// The line or the byte offset in the file; nil if unknown.
  let place: Int?

  init(_ reason: String, _ place: Int? = nil) {
    self.reason = reason
    self.place = place
  }
}
