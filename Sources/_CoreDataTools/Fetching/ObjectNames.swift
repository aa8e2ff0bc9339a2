// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Replaces strings in a condition with object keys: in `SELF == 'Person/p1'`, the string becomes the
/// object's key.
///
/// This is necessary because format strings have no object literals, and a condition from the command line
/// has no arguments.
struct ObjectNames {
  let opened: OpenedStore
  let entity: EntityDefinition

  /// Returns the condition with strings replaced by object keys.
  ///
  /// - Throws: `ToolError` if a string that is compared with an object is not an object ID of this store.
  ///   Whether the object exists is not checked.
  func resolved(_ condition: Condition) throws -> Condition {
    try condition.mapComparisons { comparison in
      guard [.equal, .notEqual, .in].contains(comparison.relation) else { return }
      if isObject(comparison.left) {
        comparison.right = try named(comparison.right)
      } else if isObject(comparison.right) {
        comparison.left = try named(comparison.left)
      }
    }
  }

  /// Whether the value of a term is known to be an object, an object ID or a collection of objects.
  private func isObject(_ term: Term) -> Bool {
    switch term {
    case .evaluatedObject: return true
    case .keyPath(let path):
      var current = entity
      for key in path.split(separator: ".").map(String.init) {
        if key == "objectID" { return true }
        if ManagedKeys.isSelf(key) { continue }
        guard let relationship = current.property(named: key)?.relationship else { return false }
        current = opened.model.entities[relationship.destination]
      }
      return true
    default: return false
    }
  }

  private func named(_ term: Term) throws -> Term {
    switch term {
    case .constant(let constant):
      guard case .text(let text) = constant.value else { return term }
      return .constant(Constant(.key(try key(text))))
    case .aggregate(let members):
      let named = try members.map(named)
      let values = named.compactMap { member in
        if case .constant(let constant) = member { constant.value } else { nil }
      }
      guard values.count == named.count else { return .aggregate(named) }
      return .constant(Constant(.collection(ValueCollection(.array, values))))
    default: return term
    }
  }

  /// Returns the key for an ID such as `Person/p1`, or for an `x-coredata` URI.
  ///
  /// - Throws: `ToolError` if the text is not an object ID, or if the ID refers to another store or an
  ///   unknown entity, or has a primary key out of range.
  private func key(_ text: String) throws -> ObjectKey {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 || text.hasPrefix("x-coredata://") && parts.count == 5,
      let last = parts.last, last.first == "p", let number = Int64(last.dropFirst())
    else { throw ToolError("“\(text)” is not an object ID", hint: hint) }
    if parts.count == 5, parts[2] != opened.store.uuid {
      throw ToolError(
        "“\(text)” is the ID of an object in another store. The UUID of this store is "
          + opened.store.uuid,
        hint: hint
      )
    }
    let named = try opened.entity(named: parts[parts.count - 2])
    guard let key = ObjectKey(store: opened.store.index, entity: named.index, number: number) else {
      throw ToolError(
        "the primary key in the object ID “\(text)” is not in the range 0 to \(ObjectKey.maximumNumber)",
        hint: hint
      )
    }
    return key
  }

  private var hint: String {
    "Compare an object with an object ID in the form that fetch shows, such as '\(entity.name)/p1'."
  }
}

extension Condition {
  /// Returns the condition with `change` applied to its comparisons, but not to comparisons inside terms,
  /// such as in a subquery.
  func mapComparisons(_ change: (inout Comparison) throws -> Void) rethrows -> Condition {
    switch self {
    case .and(let parts): return .and(try parts.map { try $0.mapComparisons(change) })
    case .or(let parts): return .or(try parts.map { try $0.mapComparisons(change) })
    case .not(let part): return .not(try part.mapComparisons(change))
    case .comparison(var comparison):
      try change(&comparison)
      return .comparison(comparison)
    case .constant, .opaque: return self
    }
  }
}
