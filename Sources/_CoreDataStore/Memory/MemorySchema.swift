// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A model in the form for an in-memory store, with a number for each to-many.
///
/// Transient to-manys have no number. An inherited to-many has the same number as in the superentity, and a
/// to-one with an inverse to-many has the number of that to-many.
struct MemorySchema: Sendable {
  struct Relation: Sendable {
    /// The number of the inverse to-many; nil if the inverse is a to-one, or if there is no inverse.
    var inverse: Int?
    /// Whether the inverse is a to-one; the members are then the rows that refer to the owner.
    var followsToOne: Bool
    let memberRoot: Int
    let ownerRoot: Int
  }

  let model: ModelDefinition
  let constraints: UniquenessConstraints
  private(set) var relations: [Relation] = []
  /// Entity → slot → number of the to-many; nil for other properties.
  private var numbers: [[Int?]]
  /// Entity → slot → number of the inverse to-many of a to-one; nil for other properties.
  private var backlinks: [[Int?]]
  /// Entity → slots of a row that are not stored.
  let transientSlots: [[Int]]

  init(_ model: ModelDefinition) {
    self.model = model
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

  /// Returns the number of the to-many; nil for a transient to-many and for all properties of other kinds.
  func relation(_ entity: Int, _ slot: Int) -> Int? { numbers[entity][slot] }
  /// Returns the number of the to-many whose inverse is this to-one; nil if the to-one has no inverse
  /// to-many.
  func backlink(_ entity: Int, _ slot: Int) -> Int? { backlinks[entity][slot] }

  /// Returns the text of the error for a primary key, store index or entity index that does not fit into an
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
