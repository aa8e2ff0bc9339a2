// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// Checks the key paths of a request before any row is read.
///
/// An empty store thus rejects the same requests as a store with rows.
struct KeyPathCheck {
  let model: ModelDefinition
  let entity: EntityDefinition
  /// Whether the key paths occur in a condition, in which a store cannot evaluate transformable attributes.
  var isCondition = false

  /// Checks the key paths of a fetch.
  ///
  /// - Throws: `.invalidRequest` for an unknown key, a to-many as a column or sort key, and an invalid
  ///   expression; `.inexpressible` for key paths and expressions that a store cannot evaluate.
  func check(_ description: FetchDescription) throws {
    if let condition = description.condition { try forConditions.check(condition) }
    var names: Set<String> = []
    if case .dictionaries(let shape) = description.shape {
      for column in shape.columns {
        try check(column.term)
        names.insert(column.name)
        if case .keyPath(let path) = column.term, try leadsToMany(path) {
          throw StoreError(
            .invalidRequest,
            "Invalid to-many relationship in setPropertiesToFetch: \(path) of entity \(entity.name) leads "
              + "through a to-many relationship; use an aggregate, such as @count"
          )
        }
      }
      for term in shape.groupBy { try check(term) }
      if let having = shape.having { try check(having, besides: names) }
    }
    try check(order: description.order.filter { !names.contains($0.keyPath) })
  }

  var forConditions: KeyPathCheck {
    KeyPathCheck(model: model, entity: entity, isCondition: true)
  }

  func check(order: [SortKey]) throws {
    for key in order {
      if case .opaque = key.comparison {
        throw StoreError(
          .inexpressible,
          "unsupported NSSortDescriptor (comparator blocks are not supported)"
        )
      }
      if try leadsToMany(key.keyPath) {
        throw StoreError(
          .invalidRequest,
          "to-many key not allowed here: \(key.keyPath) of entity \(entity.name) is a sort key; sort "
            + "by an attribute, a to-one or a collection operator such as @count"
        )
      }
    }
  }

  /// Checks a key path, and returns whether the value of the key path is a collection.
  private func leadsToMany(_ path: String) throws -> Bool {
    try check(path)
    return model.leadsToMany(path, from: entity)
  }

  /// Checks that a store can read every property of a key path.
  ///
  /// - Throws: `.invalidRequest` for an unknown key; `.inexpressible` for a property that is not stored, a
  ///   key that only objects in memory have or, in a condition, a transformable attribute.
  func check(_ path: String) throws {
    var current = entity
    let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for (index, key) in parts.enumerated() {
      if ManagedKeys.isSelf(key) || key == ManagedKeys.objectID { continue }
      if key == "@count" { return }
      if key.hasPrefix("@") { continue }
      guard let property = current.property(named: key) else {
        if key == ManagedKeys.entity, Self.isSupported(Array(parts[(index + 1)...])) { return }
        if key == ManagedKeys.entity {
          throw unreadable(path, "an entity description, of which a store can read only the name")
        }
        if ManagedKeys.state.contains(key) {
          throw unreadable(path, "the key \(key), which only objects in memory have")
        }
        throw StoreError.unknownKeyPath(path, in: entity, named: entity.name, of: model)
      }
      if let obstacle = obstacle(property, of: current) { throw unreadable(path, obstacle) }
      guard let relationship = property.relationship else { return }
      current = model.entities[relationship.destination]
    }
  }

  private func unreadable(_ path: String, _ obstacle: String) -> StoreError {
    StoreError(
      .inexpressible,
      "a store cannot evaluate keypath \(path) of entity \(entity.name), because the key path leads to "
        + obstacle
    )
  }

  /// Returns why a store cannot read the property, as a part of an error text; nil if the store can read it.
  private func obstacle(_ property: PropertyDefinition, of owner: EntityDefinition) -> String? {
    let isTransformable = isCondition && property.attribute?.type == .transformable
    guard property.isTransient || property.isFetched || isTransformable else { return nil }
    let name = "\(owner.name).\(property.name)"
    if property.isTransient {
      return "the transient property \(name), whose values are not stored"
    }
    return isTransformable
      ? "the transformable attribute \(name), whose content a store cannot read in a condition"
      : "the fetched property \(name), which only objects in memory have"
  }

  /// Returns whether a store can evaluate a key path in which `keys` follow the key `entity`.
  private static func isSupported(_ keys: [String]) -> Bool {
    keys.isEmpty || keys.count == 1 && ManagedKeys.ofEntities.contains(keys[0])
  }

  func check(_ condition: Condition, besides names: Set<String> = []) throws {
    if case .opaque = condition {
      throw StoreError(
        .inexpressible,
        "Problem with subpredicate BLOCKPREDICATE: a store cannot evaluate a block"
      )
    }
    try condition.forEachChild { try check($0, besides: names) }
  }

  private func check(_ node: TreeNode, besides names: Set<String>) throws {
    switch node {
    case .term(let term): try check(term, besides: names)
    case .condition(let condition): try check(condition, besides: names)
    }
  }

  private func check(_ term: Term, besides names: Set<String> = []) throws {
    switch term {
    case .keyPath(let path): if !names.contains(path) { try check(path) }
    // Key paths in the inner fetch start at that fetch's own entity.
    case .fetch: break
    case .opaque:
      throw StoreError(
        .inexpressible,
        "a store cannot evaluate a block expression; evaluate the block with the fetched objects"
      )
    case .unusable(let reason): throw StoreError(.invalidRequest, reason)
    default: try term.forEachChild { try check($0, besides: names) }
    }
  }
}
