// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

extension StoreError {
  /// Returns an error for a key path with a key that is not a property, with the entity, the key and a
  /// suggestion.
  ///
  /// `name` is the store's name of the entity. Source: behaviour.md FR-20; the second half of the text is
  /// ours.
  package static func unknownKeyPath(
    _ keyPath: String,
    in entity: EntityDefinition,
    named name: String,
    of model: ModelDefinition
  ) -> StoreError {
    let found = "keypath \(keyPath) not found in entity \(name)"
    let missing = MissingKey(keyPath, in: entity, of: model)
    return StoreError(.invalidRequest, missing.map { "\(found): \($0.explanation)" } ?? found)
  }
}

/// The first key of a path that its entity does not have.
package struct MissingKey {
  /// What is wrong with the key, and what to do.
  package let explanation: String

  /// Finds the first missing key; nil if every key is known.
  package init?(_ keyPath: String, in entity: EntityDefinition, of model: ModelDefinition) {
    var current = entity
    var path: [String] = []
    for key in keyPath.split(separator: ".").map(String.init) {
      if key.hasPrefix("@") || ManagedKeys.isSelf(key) || key == ManagedKeys.objectID { continue }
      guard let property = current.property(named: key) else {
        explanation = Self.absent(key, in: current, at: path, of: model)
        return
      }
      path.append(key)
      guard let relationship = property.relationship else {
        let rest = keyPath.split(separator: ".").dropFirst(path.count).joined(separator: ".")
        if rest.isEmpty { return nil }
        explanation = Self.beyond(property, in: current, path.joined(separator: "."), rest)
        return
      }
      current = model.entities[relationship.destination]
    }
    return nil
  }

  private static func absent(
    _ key: String,
    in entity: EntityDefinition,
    at path: [String],
    of model: ModelDefinition
  ) -> String {
    let below = entity.family.map { model.entities[$0] }.filter { $0.property(named: key) != nil }
    if let owner = below.first {
      let objects = path.isEmpty ? "SELF" : path.joined(separator: ".")
      return "\(key) is a property of the subentity \(owner.name), not of \(entity.name); fetch "
        + "\(owner.name) instead, or fetch the \(owner.name) objects first and use '\(objects) IN %@'"
    }
    let names = entity.properties.map(\.name)
    let word = Array(key.lowercased())
    let nearest = names.min { distance(word, $0) < distance(word, $1) }
    if let nearest, distance(word, nearest) <= max(1, word.count / 3) {
      return "\(entity.name) has no property \(key) (did you mean \(nearest)?)"
    }
    if names.isEmpty { return "\(entity.name) has no property \(key), nor any other property" }
    let known = names.sorted().joined(separator: ", ")
    return "\(entity.name) has no property \(key); its properties are \(known)"
  }

  private static func distance(_ word: [Character], _ name: String) -> Int {
    FormatVocabulary.distance(word, Array(name.lowercased()))
  }

  private static func beyond(
    _ property: PropertyDefinition,
    in entity: EntityDefinition,
    _ path: String,
    _ rest: String
  ) -> String {
    let found =
      "\(property.name) of \(entity.name) is an attribute, and a store cannot follow a key path beyond it"
    return rest == "length" ? "\(found); use length:(\(path)) for the length of the string" : found
  }
}
