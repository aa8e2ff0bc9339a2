// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

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

  /// The object's ID, its attributes, its to-ones, and the sizes of its to-manys.
  ///
  /// The actual entity is shown where there are sub-entities. `listsMembers` shows IDs for counts.
  package init(of entity: EntityDefinition, listsMembers: Bool = false) {
    var names = ["id"]
    var sources: [Source] = [.id]
    if !entity.children.isEmpty {
      names.append("entity")
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
  }

  /// The columns that are asked for: names of properties, key paths, `id` and `entity`.
  ///
  /// A to-many gives the IDs of its members, `members.@count` their number.
  /// - Throws: `ToolError` with the nearest known name.
  package init(keyPaths: [String], of entity: EntityDefinition, in model: ModelDefinition) throws {
    names = keyPaths
    sources = try keyPaths.map { path in
      switch path {
      case "id", "objectID": return .id
      case "entity" where entity.property(named: path) == nil: return .entity
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
