// SPDX-License-Identifier: Apache-2.0

extension MappingInference {
  /// Adds an obstacle for each reason why objects of `entity` cannot keep the values of `before` in `after`.
  mutating func check(
    _ after: PropertyDefinition,
    from before: PropertyDefinition,
    in entity: EntityDefinition
  ) {
    switch (before.kind, after.kind) {
    case (.attribute(let one), .attribute(let other)):
      check(after, one, other)
      checkValues(after, from: before, other, in: entity)
    case (.relationship(let one), .relationship(let other)): check(after, one, other)
    default:
      add(
        name(of: after),
        after.name,
        "an inferred mapping cannot convert \(Self.kind(of: before)) to \(Self.kind(of: after))"
      )
    }
  }

  private static func kind(of property: PropertyDefinition) -> String {
    property.attribute == nil ? "a relationship" : "an attribute"
  }

  // MARK: Attributes

  private mutating func check(
    _ property: PropertyDefinition,
    _ before: AttributeDefinition,
    _ after: AttributeDefinition
  ) {
    if !before.type.fits(after.type) {
      addTypes(of: property, from: before.type, to: after.type)
    }
    for element in after.elements {
      guard let source = before.elements.first(where: { $0.path == element.path }),
        !source.attribute.type.fits(element.attribute.type)
      else { continue }
      let path = element.path.joined(separator: ".")
      addTypes(
        of: property,
        element: "element \(path): ",
        from: source.attribute.type,
        to: element.attribute.type
      )
    }
  }

  private mutating func addTypes(
    of property: PropertyDefinition,
    element place: String = "",
    from before: AttributeType,
    to after: AttributeType
  ) {
    add(
      name(of: property),
      property.name,
      "\(place)an inferred mapping cannot convert the existing values from "
        + "\(before.traits.modelFileName) to \(after.traits.modelFileName)",
      remedy: "add an attribute with another name for the new type, or use a mapping model"
    )
  }

  private mutating func checkValues(
    _ after: PropertyDefinition,
    from before: PropertyDefinition,
    _ attribute: AttributeDefinition,
    in entity: EntityDefinition
  ) {
    guard before.isOptional, !after.isOptional, !entity.isAbstract, attribute.type != .composite,
      attribute.defaultValue.isNull, attribute.derivation == nil
    else { return }
    add(
      name(of: after),
      after.name,
      "the property is mandatory now and has no default value for existing rows without a value",
      remedy: "set a default value, keep the property optional, or use a mapping model"
    )
  }

  // MARK: Relationships

  private mutating func check(
    _ property: PropertyDefinition,
    _ before: RelationshipDefinition,
    _ after: RelationshipDefinition
  ) {
    if before.isToMany, !after.isToMany {
      add(
        name(of: property),
        property.name,
        "the relationship was to-many and is to-one now, and an inferred mapping cannot choose which of the "
          + "objects to keep"
      )
    }
    let family = new.entities[after.destination].family
    let lost = old.entities[before.destination].family.first { index in
      guard let destination = destinations[index] else { return false }
      return !old.entities[index].isAbstract && !family.contains(destination)
    }
    if let lost {
      add(
        name(of: property),
        property.name,
        "existing objects may refer to objects of \(old.entities[lost].name), which is neither the new "
          + "destination \(new.entities[after.destination].name) nor one of its subentities"
      )
    }
  }

  /// Adds an obstacle for each relationship whose new inverse does not correspond to its old inverse.
  ///
  /// `slots` has the form of `ModelMapping.sourceSlots`.
  mutating func checkInverses(_ slots: [[Int?]]) {
    for entity in new.entities {
      for property in entity.properties where property.declaringEntity == entity.index {
        guard let relationship = property.relationship, let inverse = relationship.inverse,
          let source = sources[entity.index], let slot = slots[entity.index][property.slot],
          let destination = sources[relationship.destination],
          let other = slots[relationship.destination][inverse],
          let was = old.entities[source].properties[slot].relationship?.inverse, was != other
        else { continue }
        let names = (
          old.entities[destination].properties[other].name,
          old.entities[destination].property(at: was)?.name ?? "another relationship"
        )
        add(
          entity.name,
          property.name,
          "the inverse was \(names.1) and is \(names.0) now, and an inferred mapping cannot merge the links "
            + "of two relationships"
        )
      }
    }
  }
}

extension EntityDefinition {
  fileprivate func property(at slot: Int) -> PropertyDefinition? {
    properties.indices.contains(slot) ? properties[slot] : nil
  }
}

extension AttributeType {
  /// Whether all stored values of this type are valid values of `other` without a conversion.
  ///
  /// True if the types are equal, if both are integers and `other` is wider, or if this type is Float and
  /// `other` is Double.
  ///
  /// Source: documented for equal types; this library's choice for wider types, which Apple's framework
  /// migrates in practice.
  package func fits(_ other: AttributeType) -> Bool {
    if self == other { return true }
    switch (self, other) {
    case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64),
      (.float, .double):
      return true
    default: return false
    }
  }
}
