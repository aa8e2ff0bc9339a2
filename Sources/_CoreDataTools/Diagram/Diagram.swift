// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The entities of a model and the lines between them, before anything has a place.
package struct Diagram: Sendable {
  /// One entity.
  package struct Box: Sendable {
    package let name: String
    package let isAbstract: Bool
    /// Own attributes, then own relationships.
    package let rows: [Row]
    /// Attributes among the rows.
    package let attributeCount: Int
  }

  /// One property in a box.
  package struct Row: Sendable {
    package let name: String
    /// Such as `String?`, `Player`, `[Player]`.
    package let type: String
    package let isTransient: Bool
    package let isUnique: Bool
  }

  /// How many objects may be at an end.
  package enum Count: Sendable, Equatable {
    case zeroOrOne, one, zeroOrMore, oneOrMore
    /// Nothing is known: there is no inverse.
    case unknown
  }

  /// Where a line meets a box; without a row at the title.
  package struct End: Sendable {
    package let box: Int
    package let row: Int?
    package let count: Count
  }

  /// One line: a relationship with its inverse, or a child and its parent (`to`).
  package struct Link: Sendable {
    package let from: End
    package let to: End
    package let isInheritance: Bool
    /// Names of the relationship and its inverse.
    package let name: String
  }

  package let boxes: [Box]
  package let links: [Link]

  /// The diagram of a model; boxes are its entities in their order.
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
      // A pair is drawn once, from the side that comes first.
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

  /// How many objects a relationship leads to.
  private static func count(_ property: PropertyDefinition) -> Count {
    if property.isToMany { return property.isOptional ? .zeroOrMore : .oneOrMore }
    return property.isOptional ? .zeroOrOne : .one
  }
}
