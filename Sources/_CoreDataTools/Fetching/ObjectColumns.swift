// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The columns that objects of an entity are shown in.
package struct ObjectColumns {
  /// What one column shows.
  package enum Source: Sendable {
    case id
    case entity
    /// A stored attribute or a to-one.
    case slot(Int)
    /// The number of a to-many's members.
    case count(Int)
    /// The members of a to-many.
    case members(Int)
    /// Anything that key-value coding can say.
    case path(String)
  }

  package let names: [String]
  package let sources: [Source]
  let entity: EntityDefinition
  /// The relationships that paths lead through, to be read for many objects together.
  let prefetchedPaths: [String]

  /// The object's ID, its attributes, its to-ones, and the sizes of its to-manys.
  ///
  /// The actual entity is shown where there are sub-entities. `listsMembers` shows IDs for counts. Where a
  /// property is called `id` or `entity`, the object's own are `$id` and `$entity`.
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

  /// The leading steps of a path that are relationships; nil where there are none.
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

  /// What is not the entity's has a sign in front where the entity has a property of the same name.
  private static func name(_ name: String, of entity: EntityDefinition) -> String {
    entity.property(named: name) == nil ? name : "$" + name
  }

  /// The columns that are asked for: names of properties, key paths, `id` and `entity`, or `$id` and
  /// `$entity` where these are properties.
  ///
  /// A to-many gives the IDs of its members, `members.@count` their number.
  /// - Throws: `ToolError` with the nearest known name.
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
