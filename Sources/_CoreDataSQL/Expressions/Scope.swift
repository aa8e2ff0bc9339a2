// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// One table in a statement, and the tables that key paths join to it.
final class Scope {
  let entity: EntityDefinition
  let alias: String
  /// The scope of the statement that encloses this subselect; nil for an outermost scope.
  let parent: Scope?
  /// The variable of the subquery that iterates over the scope's rows.
  var variable: String?
  private(set) var joins: [SQL] = []
  private var joined: [String: (alias: String, entity: EntityDefinition)] = [:]
  fileprivate unowned let compiler: ConditionCompiler

  /// The alias of a statement's main table; it is fixed, because `RowSource.selection` contains it.
  static let rootAlias = "t0"

  init(root entity: EntityDefinition, compiler: ConditionCompiler) {
    self.entity = entity
    self.compiler = compiler
    parent = nil
    alias = Self.rootAlias
  }

  /// Creates the scope of a subselect's table, with a new alias.
  init(_ entity: EntityDefinition, compiler: ConditionCompiler, parent: Scope? = nil) {
    self.entity = entity
    self.compiler = compiler
    self.parent = parent
    alias = compiler.nextAlias()
  }

  var layout: Layout { compiler.layout }

  var source: SQL {
    let table = compiler.layout.entities[entity.index].table
    let first = SQL([.text("\(table) AS \(alias)")])
    return ([first] + joins).joined(separator: " ")
  }

  /// Joins the table at the end of `path`, unless the table is already joined for this path; returns the
  /// alias and the entity of the table.
  func join(
    _ column: PropertyColumn,
    of alias: String,
    path: String
  ) -> (alias: String, entity: EntityDefinition) {
    if let known = joined[path] { return known }
    let destination = compiler.layout.model.entities[column.destination]
    let table = compiler.layout.entities[destination.index].table
    let new = compiler.nextAlias()
    joins.append(
      SQL([
        .text(
          "LEFT JOIN \(table) AS \(new) ON \(alias).\(column.name) = \(new).\(compiler.columns.key)"
        )
      ])
    )
    joined[path] = (new, destination)
    return (new, destination)
  }

  /// The outermost scope, to which SELF and key paths without a variable refer, even within subqueries.
  var root: Scope { parent?.root ?? self }

  enum Resolution {
    case attribute(alias: String, column: PropertyColumn)
    /// A to-one, or the object itself if `column` is nil.
    case object(alias: String, column: PropertyColumn?, entity: EntityDefinition)
    case members(MemberSource)
    /// The entity of an object or, if `isName` is true, the entity's name.
    case entity(alias: String, entity: EntityDefinition, isName: Bool)
  }

  /// Returns what a key path refers to, and joins the tables of the to-ones that the key path follows.
  ///
  /// - Throws: `StoreError.invalidRequest` for an unknown key; `.inexpressible` for a key path that SQL
  ///   cannot express.
  func resolve(_ keyPath: String) throws -> Resolution {
    let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return try resolve(keys, keyPath)
  }

  func resolve(_ keys: [String], _ keyPath: String) throws -> Resolution {
    var place = (alias: alias, entity: entity)
    var path = ""
    for (index, key) in keys.enumerated() {
      let isLast = index == keys.count - 1
      if ManagedKeys.isSelf(key) || (key == ManagedKeys.objectID && isLast) {
        if isLast { return .object(alias: place.alias, column: nil, entity: place.entity) }
        continue
      }
      guard let property = place.entity.property(named: key) else {
        let rest = Array(keys[(index + 1)...])
        return try managed(key, rest, of: place, keyPath)
      }
      if property.isTransient {
        throw compiler.unsupported(
          "the key path \(keyPath), because \(place.entity.name).\(key) is transient"
        )
      }
      let rest = Array(keys[(index + 1)...])
      if property.isToMany {
        let isOptional = place.alias != alias
        return .members(
          try members(property, of: place, isOptional: isOptional, rest: rest, keyPath: keyPath)
        )
      }
      guard let column = compiler.layout.entities[place.entity.index].column(property.slot) else {
        throw compiler.unsupported(Self.unstored(keyPath, key, of: place.entity))
      }
      if let attribute = property.attribute {
        if isLast { return .attribute(alias: place.alias, column: column) }
        if let part = column.parts.first(where: { $0.element.path == rest }) {
          return .attribute(alias: place.alias, column: part.column)
        }
        if column.parts.contains(where: { $0.element.path.starts(with: rest) }) {
          throw compiler.unsupported(
            "the key path \(keyPath), which names several elements of a composite"
          )
        }
        if attribute.type == .transformable {
          throw compiler.unsupported(
            "the key path \(keyPath), which leads into a transformable value"
          )
        }
        throw compiler.unknown(keyPath, in: entity)
      }
      let destination = compiler.layout.model.entities[column.destination]
      if rest.allSatisfy({ ManagedKeys.isSelf($0) || $0 == ManagedKeys.objectID }) {
        return .object(alias: place.alias, column: column, entity: destination)
      }
      path += key + "."
      place = join(column, of: place.alias, path: path)
    }
    return .object(alias: place.alias, column: nil, entity: place.entity)
  }

  /// Resolves a key that is not a property; throws an error unless `entity` or `entity.name` is the rest of
  /// the key path.
  private func managed(
    _ key: String,
    _ rest: [String],
    of place: (alias: String, entity: EntityDefinition),
    _ keyPath: String
  ) throws -> Resolution {
    if key == ManagedKeys.entity {
      if rest.isEmpty || rest == ["name"] {
        return .entity(alias: place.alias, entity: place.entity, isName: !rest.isEmpty)
      }
      throw compiler.unsupported("the key path \(keyPath), a property of an entity description")
    }
    if ManagedKeys.state.contains(key) {
      throw compiler.unsupported("the key path \(keyPath), a state of objects in memory")
    }
    throw compiler.unknown(keyPath, in: entity)
  }

  private static func unstored(
    _ keyPath: String,
    _ key: String,
    of entity: EntityDefinition
  ) -> String {
    "the key path \(keyPath), because the store's file has no column for \(entity.name).\(key)"
  }

  private func members(
    _ property: PropertyDefinition,
    of place: (alias: String, entity: EntityDefinition),
    isOptional: Bool,
    rest: [String],
    keyPath: String
  ) throws -> MemberSource {
    guard let relationship = property.relationship,
      let layout = compiler.layout.entities[place.entity.index].members[property.slot]
    else { throw compiler.unsupported(Self.unstored(keyPath, property.name, of: place.entity)) }
    let path = MemberPath(
      ownerAlias: place.alias,
      ownerIsOptional: isOptional,
      members: layout,
      entity: compiler.layout.model.entities[relationship.destination],
      isOrdered: relationship.isOrdered,
      keyPath: keyPath,
      start: entity
    )
    return MemberSource(path: path, rest: rest.filter { !ManagedKeys.isSelf($0) })
  }
}

extension Scope {
  /// Returns the condition that a row belongs to the entity or, if `includesSubentities` is true, to one of
  /// its subentities; nil if the condition is true for every row of the table.
  func entityCondition(includesSubentities: Bool) -> SQL? {
    let entities = layout.entities
    guard entities[entity.index].sharesTable else { return nil }
    if !includesSubentities || entity.children.isEmpty {
      return
        "\(column: compiler.columns.entity, of: alias) = \(bind: .integer(entities[entity.index].number))"
    }
    if entity.parent == nil { return nil }
    let numbers = entity.family.map { SQL(bind: .integer(entities[$0].number)) }
    return "\(column: compiler.columns.entity, of: alias) IN (\(numbers.joined(separator: ", ")))"
  }
}
