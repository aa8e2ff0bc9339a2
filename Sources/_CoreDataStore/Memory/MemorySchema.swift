// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The model of an in-memory store, with a number for each to-many.
///
/// Transient to-manys have no number. An inherited to-many has the same number as in the superentity.
struct MemorySchema: Sendable {
  struct Relation: Sendable {
    /// The number of the inverse to-many; nil if the inverse is a to-one or does not exist.
    var inverse: Int?
    /// Whether the inverse is a to-one; if so, the members are the rows that refer to the owner.
    var followsToOne: Bool
    let memberRoot: Int
    let ownerRoot: Int
  }

  let model: ModelDefinition
  let constraints: UniquenessConstraints
  private(set) var relations: [Relation] = []
  /// Entity → slot → the number of the to-many; nil for a transient to-many, and for any other property.
  private var numbers: [[Int?]]
  /// Entity → slot of a to-one → the number of the to-many that is its inverse; nil for any other property.
  private var backlinks: [[Int?]]
  /// Root entity → the index of the counter that assigns the numbers of its hierarchy's objects.
  let counters: [Int]
  /// Entity → the slots that a row has for transient properties, whose values are not stored.
  let transientSlots: [[Int]]

  /// Creates the schema of a store with this model.
  ///
  /// If `sharesNumbers` is true, all hierarchies share one counter, so that no two objects of the store have
  /// the same number.
  init(_ model: ModelDefinition, sharesNumbers: Bool = false) {
    self.model = model
    counters = model.entities.map { sharesNumbers ? 0 : $0.root }
    constraints = UniquenessConstraints(model)
    let empty = model.entities.map { [Int?](repeating: nil, count: $0.properties.count) }
    numbers = empty
    backlinks = empty
    transientSlots = model.entities.map { entity in
      entity.properties.filter { !$0.isStored && entity.rowLayout.kinds[$0.slot] != .none }
        .map(\.slot)
    }
    numberRelations()
    linkInverses()
  }

  /// Returns the number of a to-many; nil for a transient to-many, and for any other property.
  func relation(_ entity: Int, _ slot: Int) -> Int? { numbers[entity][slot] }
  /// Returns the number of the to-many that is the inverse of a to-one; nil if the inverse is not a to-many.
  func backlink(_ entity: Int, _ slot: Int) -> Int? { backlinks[entity][slot] }

  /// Returns the error text for a primary key, store index or entity index that exceeds the limits of an
  /// object key.
  func keyFailure(store: Int, entity: Int, number: Int64) -> String {
    let root = model.entities[model.entities[entity].root].name
    return number > ObjectKey.maximumNumber
      ? "the hierarchy of entity \(root) has no primary keys left: all \(ObjectKey.maximumNumber) have been "
        + "assigned; move the objects to a new store"
      : "an object ID cannot hold the store index \(store) or the entity index \(entity): the greatest store "
        + "index is 255, and the greatest entity index is 16383; add fewer stores to one coordinator, or "
        + "divide the model"
  }

  private mutating func numberRelations() {
    for entity in model.entities {
      for slot in entity.toManySlots where !entity.properties[slot].isTransient {
        let property = entity.properties[slot]
        if property.declaringEntity != entity.index {
          numbers[entity.index][slot] = numbers[property.declaringEntity][slot]
        } else if let relationship = property.relationship {
          numbers[entity.index][slot] = relations.count
          relations.append(
            Relation(
              followsToOne: false,
              memberRoot: model.entities[relationship.destination].root,
              ownerRoot: entity.root
            )
          )
        }
      }
    }
  }

  private mutating func linkInverses() {
    for entity in model.entities {
      for slot in entity.toManySlots {
        let property = entity.properties[slot]
        guard let number = numbers[entity.index][slot], property.declaringEntity == entity.index,
          let relationship = property.relationship, let inverse = relationship.inverse
        else { continue }
        let other = model.entities[relationship.destination].properties[inverse]
        if other.isToMany {
          relations[number].inverse = numbers[other.declaringEntity][other.slot]
        } else {
          relations[number].followsToOne = true
          for member in model.entities[other.declaringEntity].family {
            backlinks[member][other.slot] = number
          }
        }
      }
    }
  }
}
