// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL

extension LossCount {
  /// Returns notes for lost orders of relationships, for lost elements of composites, and for relationships
  /// that may lose links.
  func changes(in entity: EntityDefinition) throws -> [Note] {
    guard let source = mapping.sourceEntities[entity.index] else { return [] }
    return try entity.properties.flatMap { property -> [Note] in
      guard property.declaringEntity == entity.index,
        let old = mapping.source(of: property.slot, in: entity.index)
      else { return [] }
      let before = mapping.source.entities[source]
      if let relationship = property.relationship, let was = old.relationship {
        return try [
          lostOrder(of: old, was, in: before, isOrdered: relationship.isOrdered),
          doubt(old, was, relationship),
        ].compactMap(\.self)
      }
      guard let attribute = property.attribute, attribute.type == .composite else { return [] }
      return try lostElements(of: old, in: before, attribute)
    }
  }

  private func lostOrder(
    of property: PropertyDefinition,
    _ relationship: RelationshipDefinition,
    in entity: EntityDefinition,
    isOrdered: Bool
  ) throws -> Note? {
    guard relationship.isToMany, relationship.isOrdered, !isOrdered,
      let members = layout.entities[entity.index].members[property.slot],
      let order = members.orderColumn, schema.columns[members.table]?.contains(order) == true
    else { return nil }
    let condition = "\(order) IS NOT NULL AND \(members.ownerColumn) IS NOT NULL"
    let count = try self.count(members.table, condition)
    if count == 0 { return nil }
    return note(
      "\(owner(of: property)).\(property.name)",
      "the relationship is not ordered in the new model, so the order of "
        + "\(CellText.count(count, "object")) is lost",
      count: count
    )
  }

  /// Returns a note for a relationship that may lose links.
  ///
  /// If the relationship gets an inverse, links that the inverse lacks are lost. If the relationship becomes
  /// a to-many without an inverse, a member keeps only one owner.
  private func doubt(
    _ property: PropertyDefinition,
    _ old: RelationshipDefinition,
    _ new: RelationshipDefinition
  ) -> Note? {
    let text: String
    if old.inverse == nil, new.inverse != nil {
      text =
        "the relationship has an inverse in the new model, and links that the inverse does not have are lost"
    } else if new.inverse == nil, new.isToMany, old.inverse != nil || !old.isToMany {
      text =
        "the relationship is a to-many without an inverse in the new model, so an object keeps only one owner"
    } else {
      return nil
    }
    return Note(
      kind: .doubt,
      place: "\(owner(of: property)).\(property.name)",
      text: text,
      count: 0,
      examples: []
    )
  }

  private func lostElements(
    of property: PropertyDefinition,
    in entity: EntityDefinition,
    _ attribute: AttributeDefinition
  ) throws -> [Note] {
    guard let column = layout.entities[entity.index].column(property.slot) else { return [] }
    let paths = Set(attribute.elements.map(\.path))
    return try column.parts.filter { !paths.contains($0.element.path) }.compactMap { part in
      let name = ([owner(of: property), property.name] + part.element.path).joined(separator: ".")
      let entities = entity.family.map { mapping.source.entities[$0] }
      return try values(of: [part.column], in: entities, name)
    }
  }
}
