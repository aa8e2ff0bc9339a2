// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The contents of a model's diagram: boxes for entities, and lines between them, without positions.
package struct Diagram: Sendable {
  /// The box of one entity.
  package struct Box: Sendable {
    package let name: String
    package let isAbstract: Bool
    /// The properties that the entity itself declares: attributes and fetched properties first, then
    /// relationships.
    package let rows: [Row]
    /// The number of rows for attributes and fetched properties, which precede those for relationships.
    package let attributeCount: Int
  }

  /// One property in a box.
  package struct Row: Sendable {
    package let name: String
    /// The type of the property as the diagram shows it, such as `String?`, `Player` or `[Player]`.
    package let type: String
    package let isTransient: Bool
    package let isUnique: Bool
  }

  /// The multiplicity at an end of a line.
  package enum Count: Sendable, Equatable {
    case zeroOrOne, one, zeroOrMore, oneOrMore
    /// Not drawn: the line leads to a parent entity, or the relationship has no inverse.
    case unknown
  }

  /// The end of a line: a row of a box, or the box's title if `row` is nil.
  package struct End: Sendable {
    package let box: Int
    package let row: Int?
    package let count: Count
  }

  /// A line for a relationship and its inverse, if any, or a line from an entity to its parent.
  package struct Link: Sendable {
    package let from: End
    package let to: End
    package let isInheritance: Bool
    /// The names of the relationship and its inverse, if any; for a line to a parent, a phrase such as
    /// “Player is a Person”.
    package let name: String
  }

  package let boxes: [Box]
  package let links: [Link]

  /// Creates the diagram of a model, with the boxes in the order of the model's entities.
  package init(_ model: ModelDefinition) {
    var rows: [[String: Int]] = []
    boxes = model.entities.map { entity in
      let own = entity.properties.filter { $0.declaringEntity == entity.index }
      let attributes = own.filter { $0.relationship == nil }
      let relationships = own.filter { $0.relationship != nil }
      let unique = Set(entity.ownUniquenessConstraints.joined())
      let listed = attributes + relationships
      rows.append(
        Dictionary(listed.enumerated().map { ($1.name, $0) }) { first, _ in first }
      )
      return Box(
        name: entity.name,
        isAbstract: entity.isAbstract,
        rows: listed.map { property in
          Row(
            name: property.name,
            type: TypeText.short(property, in: model),
            isTransient: property.isTransient,
            isUnique: unique.contains(property.name)
          )
        },
        attributeCount: attributes.count
      )
    }
    links = model.entities.flatMap { Self.links(of: $0, in: model, rows: rows) }
  }

  private static func links(
    of entity: EntityDefinition,
    in model: ModelDefinition,
    rows: [[String: Int]]
  ) -> [Link] {
    var links: [Link] = []
    if let parent = entity.parent {
      links.append(
        Link(
          from: End(box: entity.index, row: nil, count: .unknown),
          to: End(box: parent, row: nil, count: .unknown),
          isInheritance: true,
          name: "\(entity.name) is a \(model.entities[parent].name)"
        )
      )
    }
    for property in entity.properties where property.declaringEntity == entity.index {
      guard let relationship = property.relationship else { continue }
      let destination = model.entities[relationship.destination]
      let inverse = relationship.inverse.map { destination.properties[$0] }
      let other = inverse?.declaringEntity ?? relationship.destination
      // A relationship and its inverse share one line, which starts at the relationship that comes first in
      // the model.
      if let inverse, (other, inverse.slot) < (entity.index, property.slot) { continue }
      links.append(
        Link(
          from: End(
            box: entity.index,
            row: rows[entity.index][property.name],
            count: inverse.map(count) ?? .unknown
          ),
          to: End(
            box: other,
            row: inverse.flatMap { rows[other][$0.name] },
            count: count(property)
          ),
          isInheritance: false,
          name: property.name + (inverse.map { " / \($0.name)" } ?? "")
        )
      )
    }
    return links
  }

  private static func count(_ property: PropertyDefinition) -> Count {
    if property.isToMany { return property.isOptional ? .zeroOrMore : .oneOrMore }
    return property.isOptional ? .zeroOrOne : .one
  }
}
