// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

extension StoreError {
  /// Returns the error for a key path that cannot be followed.
  ///
  /// `name` is the entity's name as the error text shows it. If possible, the text then explains which key is
  /// at fault and how to avoid the error.
  /// Source: behaviour.md FR-20; the text after the name is this library's choice.
  package static func unknownKeyPath(
    _ keyPath: String,
    in entity: EntityDefinition,
    named name: String,
    of model: ModelDefinition
  ) -> StoreError {
    let missing = MissingKey(keyPath, in: entity, of: model)
    let parts = [missing?.limit ?? missing?.explanation, missing?.remedy].compactMap { $0 }
    let found = "keypath \(keyPath) not found in entity \(name)"
    return StoreError(
      .invalidRequest,
      parts.isEmpty ? found : "\(found): \(parts.joined(separator: "; "))"
    )
  }
}

/// The first key at which a key path cannot be followed.
///
/// Either the key is unknown, or it follows a property that is not a relationship.
package struct MissingKey {
  /// Why the key cannot be followed, with the most similar name for a misspelt key.
  package let explanation: String
  /// Why a store cannot follow the key; nil unless the key follows a fetched property or a non-composite
  /// attribute.
  let limit: String?
  /// Advice for a request to a store; nil if this type has no advice for the key.
  let remedy: String?

  /// Finds the first key of the path that cannot be followed; nil if every key can be followed.
  package init?(_ keyPath: String, in entity: EntityDefinition, of model: ModelDefinition) {
    var current = entity
    var path: [String] = []
    var leadsToMany = false
    let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for (index, key) in keys.enumerated() {
      if key.hasPrefix("@") || ManagedKeys.isSelf(key) || key == ManagedKeys.objectID { continue }
      guard let property = current.property(named: key) else {
        limit = nil
        let owners = current.family.map { model.entities[$0] }.filter {
          $0.property(named: key)?.declaringEntity == $0.index
        }
        if owners.isEmpty {
          explanation = Self.absent(key, in: current)
          remedy = nil
        } else {
          let names = owners.map(\.name)
          explanation = Self.below(key, current.name, names)
          remedy = Self.remedy(names, of: current.name, at: path, leadsToMany)
        }
        return
      }
      path.append(key)
      guard let relationship = property.relationship else {
        let rest = Array(keys[(index + 1)...])
        if rest.isEmpty { return nil }
        explanation = Self.beyond(property, in: current, rest)
        limit = Self.limit(property, of: current)
        remedy =
          property.attribute?.type == .string && rest == ["length"]
          ? "use length:(\(path.joined(separator: "."))) for the length of the string" : nil
        return
      }
      leadsToMany = leadsToMany || relationship.isToMany
      current = model.entities[relationship.destination]
    }
    return nil
  }

  private static func absent(_ key: String, in entity: EntityDefinition) -> String {
    if key.isEmpty { return "a key is empty; a key path has a name before and after each dot" }
    let names = entity.properties.map(\.name)
    let word = Array(key.lowercased())
    let nearest = names.min { distance(word, $0) < distance(word, $1) }
    if let nearest, distance(word, nearest) <= max(1, word.count / 3) {
      return "\(entity.name) has no property \(key) (did you mean \(nearest)?)"
    }
    if names.isEmpty { return "\(entity.name) has no property \(key): it has no properties" }
    let known = names.sorted().joined(separator: ", ")
    return "\(entity.name) has no property \(key); its properties are \(known)"
  }

  private static func distance(_ word: [Character], _ name: String) -> Int {
    FormatVocabulary.distance(word, Array(name.lowercased()))
  }

  // MARK: A property of subentities

  private static func below(_ key: String, _ entity: String, _ owners: [String]) -> String {
    "\(key) is a property of the \(owners.count == 1 ? "subentity" : "subentities") "
      + "\(owners.joined(separator: ", ")), not of \(entity)"
  }

  /// Returns advice for a key that only the subentities `owners` of `entity` have.
  ///
  /// `path` contains the keys that lead to `entity`; it is empty if the key path starts there.
  private static func remedy(
    _ owners: [String],
    of entity: String,
    at path: [String],
    _ leadsToMany: Bool
  ) -> String {
    let names = owners.joined(separator: " and ")
    let objects = path.isEmpty ? "SELF" : path.joined(separator: ".")
    let comparison =
      "fetch the \(names) objects first and compare with IN, as in "
      + "'\(leadsToMany ? "ANY " : "")\(objects) IN %@'"
    if !path.isEmpty { return "in a predicate, \(comparison)" }
    let other = owners.count == 1 ? names : "one of these subentities"
    return "in a request for \(entity), use \(other) as the entity; in a predicate, \(comparison)"
  }

  // MARK: A key after a property that is not a relationship

  private static func beyond(
    _ property: PropertyDefinition,
    in entity: EntityDefinition,
    _ rest: [String]
  ) -> String {
    if property.isFetched { return "\(property.name) of \(entity.name) is a fetched property" }
    guard let attribute = property.attribute, attribute.type == .composite else {
      return "\(property.name) of \(entity.name) is an attribute"
    }
    let elements = attribute.elements.map { $0.path.joined(separator: ".") }.sorted()
    return "the composite attribute \(property.name) of \(entity.name) has no element "
      + rest.joined(separator: ".")
      + (elements.isEmpty ? "" : "; its elements are \(elements.joined(separator: ", "))")
  }

  private static func limit(
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) -> String? {
    let name = "\(property.name) of \(entity.name)"
    if property.isFetched { return "a store cannot read the fetched property \(name)" }
    if property.attribute?.type == .composite { return nil }
    return "a store cannot follow keys after the attribute \(name)"
  }
}
