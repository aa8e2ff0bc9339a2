// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// The model of the scenarios: items (and gadgets, a subentity) with photos, categories with a unique code and an
/// ordered list of items, tags.
enum ShopModel {
  /// Returns a new model; version 2 adds an attribute to items, and an entity.
  static func make(_ version: Int = 1) -> NSManagedObjectModel {
    let item = entity("Item", photographed + [attribute("name", .stringAttributeType)])
    if version == 2 {
      let note = attribute("note", .stringAttributeType)
      note.defaultValue = "new"
      item.properties.append(note)
    }
    let gadget = entity("Gadget", [attribute("weight", .doubleAttributeType)])
    let category = entity(
      "Category",
      photographed + [
        attribute("code", .stringAttributeType), attribute("title", .stringAttributeType),
      ]
    )
    category.uniquenessConstraints = [["code"]]
    let tag = entity("Tag", [attribute("label", .stringAttributeType)])
    item.subentities = [gadget]
    link((item, "category", false), (category, "items", true))
    link((item, "tags", true), (tag, "items", true))
    link((category, "ranking", true), (item, "rankings", true), ordered: true)
    let model = NSManagedObjectModel()
    model.entities = [item, gadget, category, tag]
    if version == 2 {
      model.entities.append(entity("Brand", [attribute("name", .stringAttributeType)]))
    }
    return model
  }

  /// A photo of `photoSize` bytes, each of which is the low byte of `number`; none for the size 0.
  private static var photographed: [NSPropertyDescription] {
    let photo = attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    return [
      attribute("number", .integer64AttributeType), attribute("photoSize", .integer64AttributeType),
      photo,
    ]
  }

  private static func entity(
    _ name: String,
    _ properties: [NSPropertyDescription]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }

  private typealias End = (entity: NSEntityDescription, name: String, isMany: Bool)

  private static func link(_ first: End, _ second: End, ordered: Bool = false) {
    func side(_ end: End, to other: End) -> NSRelationshipDescription {
      let side = NSRelationshipDescription()
      side.name = end.name
      side.destinationEntity = other.entity
      side.minCount = 0
      side.maxCount = end.isMany ? 0 : 1
      side.deleteRule = .nullifyDeleteRule
      return side
    }
    let (one, other) = (side(first, to: second), side(second, to: first))
    one.isOrdered = ordered
    one.inverseRelationship = other
    other.inverseRelationship = one
    first.entity.properties.append(one)
    second.entity.properties.append(other)
  }

  // MARK: Objects

  static func photo(_ number: Int, _ size: Int) -> Data? {
    size == 0 ? nil : Data(repeating: UInt8(truncatingIfNeeded: number), count: size)
  }

  static func setPhoto(_ object: NSManagedObject, _ number: Int, _ size: Int) {
    object.setValue(number, forKey: "number")
    object.setValue(size, forKey: "photoSize")
    object.setValue(photo(number, size), forKey: "photo")
  }
}
