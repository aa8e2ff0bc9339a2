// SPDX-License-Identifier: Apache-2.0

extension ModelReader {
  static func relationship(_ element: MarkupElement, in owner: Location) throws -> PropertyDraft {
    var location = owner
    let name = try required("name", of: element, in: owner)
    location.property = name
    var relationship = RelationshipDraft(
      destination: try required("destinationEntity", of: element, in: location),
      inverse: element["inverseName"].flatMap { $0.isEmpty ? nil : $0 }
    )
    if relationship.inverse != nil, let entity = element["inverseEntity"],
      entity != relationship.destination
    {
      throw location.error(
        "its inverse belongs to “\(entity)”, but its destination is “\(relationship.destination)”",
        at: element
      )
    }
    try readCounts(element, into: &relationship, in: location)
    relationship.isOrdered = try flag("ordered", of: element, in: location)
    relationship.deleteRule = try deleteRule(element, in: location)
    var property = PropertyDraft(name: name, kind: .relationship(relationship))
    try readCommon(element, into: &property, in: location)
    return property
  }

  private static func readCounts(
    _ element: MarkupElement,
    into relationship: inout RelationshipDraft,
    in location: Location
  ) throws {
    let isToMany = try flag("toMany", of: element, in: location)
    relationship.maxCount = try count("maxCount", of: element, in: location) ?? (isToMany ? 0 : 1)
    relationship.minCount = try count("minCount", of: element, in: location) ?? 0
    if relationship.maxCount > 0, relationship.minCount > relationship.maxCount {
      throw location.error(
        "minCount \(relationship.minCount) is greater than maxCount \(relationship.maxCount)",
        at: element
      )
    }
  }

  private static func deleteRule(
    _ element: MarkupElement,
    in location: Location
  ) throws -> DeleteRule {
    switch element["deletionRule"] {
    case nil, "Nullify"?: .nullify
    case "Cascade"?: .cascade
    case "Deny"?: .deny
    case "No Action"?: .noAction
    case let rule?:
      throw location.error(
        "the deletionRule “\(rule)” is unknown; use Nullify, Cascade, Deny or No Action",
        at: element
      )
    }
  }

  static func fetchedProperty(
    _ element: MarkupElement,
    in owner: Location
  ) throws -> PropertyDraft {
    var location = owner
    let name = try required("name", of: element, in: owner)
    location.property = name
    guard let request = element.children(named: "fetchRequest").first else {
      throw location.error("the fetched property has no <fetchRequest>", at: element)
    }
    let fetched = FetchedPropertyDefinition(
      entityName: try required("entity", of: request, in: location),
      predicateFormat: request["predicateString"]
    )
    var property = PropertyDraft(name: name, kind: .fetched(fetched))
    try readCommon(element, into: &property, in: location)
    return property
  }
}
