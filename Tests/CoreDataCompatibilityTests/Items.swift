// SPDX-License-Identifier: Apache-2.0

import CoreDataCompatibility

/// A model with the entity Item, whose attributes are the text `name` and the number `rank`.
enum Items {
  static func model() -> NSManagedObjectModel {
    let item = NSEntityDescription()
    item.name = "Item"
    let name = NSAttributeDescription()
    name.name = "name"
    name.attributeType = .stringAttributeType
    name.isOptional = true
    let rank = NSAttributeDescription()
    rank.name = "rank"
    rank.attributeType = .integer64AttributeType
    rank.defaultValue = 0
    item.properties = [name, rank]
    let model = NSManagedObjectModel()
    model.entities = [item]
    return model
  }
}
