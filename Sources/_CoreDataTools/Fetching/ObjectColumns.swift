// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The columns that are shown for the objects of an entity.
package struct ObjectColumns {
  /// The content of one column.
  package enum Source: Sendable {
    case id
    case entity
    /// The value of the persistent attribute or to-one with this slot.
    case slot(Int)
    /// The number of members of the to-many with this slot.
    case count(Int)
    /// The IDs of the members of the to-many with this slot.
    case members(Int)
    /// The value of a key path.
    case path(String)
  }

  package let names: [String]
  package let sources: [Source]
  let entity: EntityDefinition
  /// The relationship key paths that columns use; `ObjectReader` prefetches them.
  let prefetchedPaths: [String]

  /// Creates columns for each object's ID, attributes, to-ones and to-manys, without transient properties.
  ///
  /// An entity with subentities also has a column for each object's entity. The column of a to-many contains
  /// the number of members, or their IDs if `listsMembers` is true. The column of the ID is named `id`, or
  /// `$id` if the entity has a property named `id`. The column of the entity is named `entity`, or `$entity`
  /// if the entity has a property named `entity`.
  package init(of entity: EntityDefinition, listsMembers: Bool = false) {
    var names = [Self.name("id", of: entity)]
    var sources: [Source] = [.id]
    if !entity.children.isEmpty {
      names.append(Self.name("entity", of: entity))
      sources.append(.entity)
    }
    let isFirst = { (property: PropertyDefinition) in property.attribute != nil ? 0 : 1 }
    let ordered = entity.properties.enumerated().sorted {
      (isFirst($0.element), $0.offset) < (isFirst($1.element), $1.offset)
    }
    for property in ordered.map(\.element) where !property.isTransient {
      if property.isStored {
        names.append(property.name)
        sources.append(.slot(property.slot))
      } else if property.isToMany {
        names.append(property.name)
        sources.append(listsMembers ? .members(property.slot) : .count(property.slot))
      }
    }
    self.names = names
    self.sources = sources
    self.entity = entity
    prefetchedPaths = []
  }

  /// Returns the longest prefix of a key path that consists of persistent relationships; nil if there is
  /// none.
  private static func relationships(
    of path: String,
    from entity: EntityDefinition,
    in model: ModelDefinition
  ) -> String? {
    var current = entity
    var steps: [String] = []
    for step in path.split(separator: ".").map(String.init) {
      guard let property = current.property(named: step), !property.isTransient,
        let relationship = property.relationship
      else { break }
      steps.append(step)
      current = model.entities[relationship.destination]
    }
    return steps.isEmpty ? nil : steps.joined(separator: ".")
  }

  private static func name(_ name: String, of entity: EntityDefinition) -> String {
    entity.property(named: name) == nil ? name : "$" + name
  }

  /// Creates columns from names that the user gives: properties, key paths, `$id` and `$entity`.
  ///
  /// `id` and `objectID` also mean `$id`, and `entity` means `$entity`, unless the entity has a property of
  /// that name. The values of a to-many are the IDs of its members; a key path such as `members.@count` gives
  /// their number.
  /// - Throws: `ToolError` for an unknown name; the hint suggests known names.
  package init(keyPaths: [String], of entity: EntityDefinition, in model: ModelDefinition) throws {
    names = keyPaths
    self.entity = entity
    prefetchedPaths = Set(
      keyPaths.compactMap { Self.relationships(of: $0, from: entity, in: model) }
    )
    .sorted()
    sources = try keyPaths.map { path in
      switch path {
      case "$id": return .id
      case "$entity": return .entity
      case "id", "objectID": if entity.property(named: path) == nil { return .id }
      case "entity": if entity.property(named: path) == nil { return .entity }
      default: break
      }
      try NameCheck(model: model, entity: entity).check(path)
      guard let property = entity.property(named: path) else {
        if path.hasSuffix(".@count"), let many = entity.property(named: String(path.dropLast(7))),
          many.isToMany, !many.isTransient
        {
          return .count(many.slot)
        }
        return .path(path)
      }
      if property.isStored { return .slot(property.slot) }
      if property.isToMany, !property.isTransient { return .members(property.slot) }
      return .path(path)
    }
  }
}
