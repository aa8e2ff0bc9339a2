// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// Checks the key paths of a request before a row is read.
///
/// An empty store thus rejects the same requests as a store with rows.
struct KeyPathCheck {
  let model: ModelDefinition
  let entity: EntityDefinition
  /// Whether the key paths are those of a condition; in a store, a condition cannot read transformables.
  var isCondition = false

  /// Checks the key paths of a fetch.
  ///
  /// - Throws: `.invalidRequest` with the key path and the entity.
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
            "Invalid to-many relationship in setPropertiesToFetch: \(path)"
          )
        }
      }
      for term in shape.groupBy { try check(term) }
      if let having = shape.having { try check(having, besides: names) }
    }
    try check(order: description.order.filter { !names.contains($0.keyPath) })
  }

  /// A copy of this check for the key paths of a condition.
  var forConditions: KeyPathCheck {
    KeyPathCheck(model: model, entity: entity, isCondition: true)
  }

  func check(order: [SortKey]) throws {
    for key in order {
      if case .opaque = key.comparison {
        throw StoreError(
          .unsayable,
          "unsupported NSSortDescriptor (comparator blocks are not supported)"
        )
      }
      if try leadsToMany(key.keyPath) {
        throw StoreError(.invalidRequest, "to-many key not allowed here: \(key.keyPath)")
      }
    }
  }

  /// Returns whether the path has many values, because it leads to or through a to-many.
  ///
  /// - Throws: `.invalidRequest` for a key that its entity does not have.
  func leadsToMany(_ path: String) throws -> Bool {
    var current = entity
    var isMany = false
    let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for (index, key) in parts.enumerated() {
      if ["self", "SELF", "objectID"].contains(key) { continue }
      if key == "@count" { return false }
      if key.hasPrefix("@") {
        isMany = key.hasPrefix("@distinct") || key.hasPrefix("@union")
        continue
      }
      guard let property = current.property(named: key) else {
        if key == ManagedKeys.entity {
          if Self.isKnown(Array(parts[(index + 1)...])) { return isMany }
          throw StoreError(.unsayable, "keypath \(path) leads to a property that is not stored")
        }
        if ManagedKeys.state.contains(key) {
          throw StoreError(.unsayable, "keypath \(path) leads to a property that is not stored")
        }
        throw StoreError.unknownKeyPath(path, in: entity, named: entity.name, of: model)
      }
      guard property.slotHoldsValue, !isCondition || !property.isTransformable else {
        throw StoreError(.unsayable, "keypath \(path) leads to a property that is not stored")
      }
      guard let relationship = property.relationship else { return isMany }
      isMany = isMany || relationship.isToMany
      current = model.entities[relationship.destination]
    }
    return isMany
  }

  /// Returns whether a store can evaluate the keys after `entity` in a key path; an empty list is the entity
  /// itself.
  private static func isKnown(_ keys: [String]) -> Bool {
    keys.isEmpty || keys.count == 1 && ManagedKeys.ofEntities.contains(keys[0])
  }

  func check(_ condition: Condition, besides names: Set<String> = []) throws {
    switch condition {
    case .constant: break
    case .and(let parts), .or(let parts): for part in parts { try check(part, besides: names) }
    case .not(let part): try check(part, besides: names)
    case .comparison(let comparison):
      try check(comparison.left, besides: names)
      try check(comparison.right, besides: names)
    case .opaque:
      throw StoreError(
        .unsayable,
        "Problem with subpredicate BLOCKPREDICATE: a store cannot evaluate a block"
      )
    }
  }

  private func check(_ term: Term, besides names: Set<String> = []) throws {
    switch term {
    case .keyPath(let path): if !names.contains(path) { _ = try leadsToMany(path) }
    case .function(_, let arguments):
      for argument in arguments { try check(argument, besides: names) }
    case .message(_, let receiver, let arguments):
      for part in [receiver] + arguments { try check(part, besides: names) }
    case .aggregate(let members): for member in members { try check(member, besides: names) }
    case .subquery(let collection, _, let condition):
      try check(collection, besides: names)
      try check(condition, besides: names)
    case .keyPathOf(let base, _): try check(base, besides: names)
    case .setOperation(_, let left, let right):
      try check(left, besides: names)
      try check(right, besides: names)
    case .ternary(let condition, let yes, let no):
      try check(condition, besides: names)
      try check(yes, besides: names)
      try check(no, besides: names)
    case .opaque:
      throw StoreError(.unsayable, "a store cannot evaluate a block expression")
    case .unusable(let reason): throw StoreError(.invalidRequest, reason)
    default: break
    }
  }
}

extension PropertyDefinition {
  fileprivate var isTransformable: Bool { attribute?.type == .transformable }

  /// Whether a store has values of the property: transient and fetched properties only exist in objects.
  fileprivate var slotHoldsValue: Bool {
    if isTransient { return false }
    if case .fetched = kind { return false }
    return true
  }
}
