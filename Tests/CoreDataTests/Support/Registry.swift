// SPDX-License-Identifier: Apache-2.0

import CoreData

/// A model with uniqueness constraints: cities by code, capitals below them, people by two names.
enum Registry {
  static func model() -> NSManagedObjectModel {
    let city = entity("City", [("code", .stringAttributeType), ("name", .stringAttributeType)])
    city.properties += [attribute("size", .integer64AttributeType)]
    city.uniquenessConstraints = [["code"]]
    let capital = entity("Capital", [("seal", .stringAttributeType)])
    capital.uniquenessConstraints = [["seal"], ["code"]]
    city.subentities = [capital]
    let person = entity(
      "Person",
      [("first", .stringAttributeType), ("last", .stringAttributeType)]
    )
    person.uniquenessConstraints = [["first", "last"]]
    let people = NSRelationshipDescription()
    people.name = "people"
    people.destinationEntity = person
    people.deleteRule = .cascadeDeleteRule
    people.maxCount = 0
    let home = NSRelationshipDescription()
    home.name = "home"
    home.destinationEntity = city
    home.maxCount = 1
    people.inverseRelationship = home
    home.inverseRelationship = people
    city.properties += [people]
    person.properties += [home]
    let model = NSManagedObjectModel()
    model.entities = [city, capital, person]
    return model
  }

  private static func entity(
    _ name: String,
    _ attributes: [(String, NSAttributeType)]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = attributes.map { attribute($0.0, $0.1) }
    return entity
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    return attribute
  }
}
