// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The natural keys of a model's entities: attributes whose values identify an object independently of its
/// store.
package struct NaturalKeys: Sendable {
  /// A natural key: the attribute names, and the index of the entity in whose hierarchy their values are
  /// unique.
  package struct Key: Sendable, Hashable {
    package let names: [String]
    package let scope: Int
  }

  private var keys: [Int: Key] = [:]
  private let model: ModelDefinition

  /// Determines the natural keys of all entities.
  ///
  /// `given` contains keys that replace the default. Each has the form `Entity:attribute` or, for several
  /// attributes, `Entity:a+b`, and also applies to subentities. The default key of an entity is its first
  /// uniqueness constraint whose properties are all numbers, strings, Booleans, dates, UUIDs or URIs.
  /// - Throws: `ToolError` if a text in `given` does not have one of these forms, or names an unknown entity
  ///   or property, a property that is not an attribute, or an attribute whose type cannot be part of a key.
  package init(_ model: ModelDefinition, given: [String] = []) throws {
    self.model = model
    for constraint in UniquenessConstraints(model).all {
      let scope = model.entities[constraint.scope]
      let isUsable = constraint.slots.allSatisfy { slot in
        scope.properties[slot].attribute.map { NaturalKeys.isKeyType($0.type) } ?? false
      }
      if !isUsable { continue }
      for entity in scope.family where keys[entity] == nil {
        keys[entity] = Key(names: constraint.names, scope: constraint.scope)
      }
    }
    for text in given {
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw ToolError(
          "“\(text)” is not a natural key",
          hint: "Write a natural key as Entity:attribute or Entity:a+b."
        )
      }
      let entity = try model.entity(namedOrSuggested: parts[0])
      let names = try parts[1].split(separator: "+").map { given in
        let name = String(given)
        let property =
          try entity.property(namedNowOrBefore: name)
          ?? entity.property(namedOrSuggested: name)
        guard let type = property.attribute?.type else {
          throw ToolError(
            "\(entity.name).\(name) is not an attribute, so it cannot be part of a natural key",
            hint: "Name an attribute of \(entity.name)."
          )
        }
        guard Self.isKeyType(type) else {
          throw ToolError(
            "\(entity.name).\(name) is of type \(type.traits.modelFileName), so it cannot be part of a "
              + "natural key",
            hint: "Name an attribute that is a number, string, Boolean, date, UUID or URI."
          )
        }
        return property.name
      }
      for member in entity.family { keys[member] = Key(names: names, scope: entity.index) }
    }
  }

  private static func isKeyType(_ type: AttributeType) -> Bool {
    switch type {
    case .binaryData, .transformable, .composite, .undefined, .objectID: false
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date,
      .uuid, .uri:
      true
    }
  }

  /// Returns the natural key of the entity with the index `entity`; nil if it has no natural key.
  package func key(of entity: Int) -> Key? { keys[entity] }

  /// Returns the values of a natural key as one text; nil if a value is null.
  ///
  /// Equal values have equal texts.
  package static func text(_ values: [Value]) -> String? {
    var parts: [String] = []
    for value in values {
      if value.isNull { return nil }
      let text = JSONText.value(TransferValue.written(value))
      parts.append("\(text.utf8.count):\(text)")
    }
    return parts.joined()
  }
}
