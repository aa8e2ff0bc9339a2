// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A random model: inheritance, every attribute type, every kind of relationship.
struct LawModel {
  private var random: LawRandom
  private var entities: [EntityDraft] = []

  static func make(_ random: inout LawRandom) -> ModelDraft {
    var model = LawModel(random: random)
    model.build()
    random = model.random
    var draft = ModelDraft()
    draft.entities = model.entities
    return draft
  }

  private init(random: LawRandom) { self.random = random }

  private static let types: [(String, AttributeType)] = [
    ("small", .integer16), ("medium", .integer32), ("large", .integer64), ("real", .double),
    ("rough", .float), ("price", .decimal), ("name", .string), ("nick", .string),
    ("flag", .boolean),
    ("born", .date), ("died", .date), ("mark", .uuid), ("page", .uri), ("blob", .binaryData),
  ]

  private mutating func build() {
    for name in ["Alpha", "Beta", "Gamma"] {
      var properties = [Self.attribute("serial", .integer32), Self.attribute("name", .string)]
      for (name, type) in Self.types where name != "name" && random.chance(70) {
        properties.append(Self.attribute(name, type))
      }
      entities.append(Self.entity(name, properties))
    }
    entities.append(
      Self.entity(
        "AlphaChild",
        parent: "Alpha",
        [Self.attribute("extra", .string), Self.attribute("size", .integer32)]
      )
    )
    if random.chance(50) {
      entities.append(
        Self.entity("AlphaOther", parent: "Alpha", [Self.attribute("weight", .double)])
      )
    }
    if random.chance(30) { entities[0].isAbstract = true }
    for index in 0..<4 + random.below(3) { relate(index) }
  }

  /// Adds one relationship and mostly its inverse.
  private mutating func relate(_ index: Int) {
    let (first, second) = (random.below(entities.count), random.below(3))
    let (there, back) = ("r\(index)", "b\(index)")
    let (one, other) = (entities[first].name, entities[second].name)
    switch random.below(6) {
    case 0, 1:
      let ordered = random.chance(40)
      entities[first].properties.append(Self.toOne(there, other, inverse: back))
      entities[second].properties.append(
        Self.toMany(back, one, inverse: there, ordered: ordered)
      )
    case 2, 3:
      let (ordered, backOrdered) = (random.chance(30), random.chance(20))
      entities[first].properties.append(
        Self.toMany(there, other, inverse: back, ordered: ordered)
      )
      entities[second].properties.append(
        Self.toMany(back, one, inverse: there, ordered: backOrdered)
      )
    case 4:
      entities[first].properties.append(Self.toOne(there, other, inverse: back))
      entities[second].properties.append(Self.toOne(back, one, inverse: there))
    default:
      entities[first].properties.append(Self.toOne(there, other, inverse: nil))
    }
  }

  // MARK: Drafts

  private static func attribute(_ name: String, _ type: AttributeType) -> PropertyDraft {
    PropertyDraft(name: name, kind: .attribute(AttributeDefinition(type: type)))
  }

  private static func toOne(
    _ name: String,
    _ destination: String,
    inverse: String?
  ) -> PropertyDraft {
    PropertyDraft(
      name: name,
      kind: .relationship(RelationshipDraft(destination: destination, inverse: inverse))
    )
  }

  private static func toMany(
    _ name: String,
    _ destination: String,
    inverse: String?,
    ordered: Bool
  ) -> PropertyDraft {
    var draft = RelationshipDraft(destination: destination, inverse: inverse)
    draft.maxCount = 0
    draft.isOrdered = ordered
    return PropertyDraft(name: name, kind: .relationship(draft))
  }

  private static func entity(
    _ name: String,
    parent: String? = nil,
    _ properties: [PropertyDraft]
  ) -> EntityDraft {
    var entity = EntityDraft(name: name)
    entity.parent = parent
    entity.properties = properties
    return entity
  }
}
