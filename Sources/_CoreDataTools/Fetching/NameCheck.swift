// SPDX-License-Identifier: Apache-2.0

import CoreData
import _CoreDataModel
import _CoreDataPredicate

/// A check that the properties in key paths exist.
package struct NameCheck {
  private let model: ModelDefinition
  private let entity: EntityDefinition

  package init(model: ModelDefinition, entity: EntityDefinition) {
    self.model = model
    self.entity = entity
  }

  /// Checks the keys of a path, starting at the entity, up to and including the first key that is not a
  /// relationship.
  ///
  /// - Throws: `ToolError` for an unknown key; the hint suggests known names.
  package func check(_ path: String) throws {
    var current = entity
    for part in path.split(separator: ".").map(String.init) {
      if part.hasPrefix("@") { continue }
      if ["SELF", "self", "objectID", "entity"].contains(part) { return }
      let property: PropertyDefinition
      // Conditions can also use properties of subentities.
      if let below = current.family.lazy.compactMap({ model.entities[$0].property(named: part) })
        .first
      {
        property = below
      } else {
        property = try current.property(namedOrSuggested: part)
      }
      guard let relationship = property.relationship else { return }
      current = model.entities[relationship.destination]
    }
  }

  /// Checks the key paths that are the left or right side of a comparison, but not key paths inside other
  /// terms.
  ///
  /// - Throws: the error of `check(_:)`.
  package func check(predicate: NSPredicate?) throws {
    guard let condition = predicate?.condition else { return }
    try check(condition)
  }

  private func check(_ condition: Condition) throws {
    switch condition {
    case .and(let parts), .or(let parts): for part in parts { try check(part) }
    case .not(let part): try check(part)
    case .comparison(let comparison):
      for term in [comparison.left, comparison.right] {
        if case .keyPath(let path) = term { try check(path) }
      }
    case .constant, .opaque: break
    }
  }
}
