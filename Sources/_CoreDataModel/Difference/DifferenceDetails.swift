// SPDX-License-Identifier: Apache-2.0

/// What differs between two entities or two properties, in words.
package struct DifferenceDetails: Sendable {
  /// All of it: `type String → Date`.
  package private(set) var texts: [String]
  /// The part of `texts` that changes the entity's version hash.
  package private(set) var hashed: [String] = []
  /// Why a store cannot follow by itself; nil where it can.
  package var obstacle: String?

  var isEmpty: Bool { texts.isEmpty }

  init(_ texts: [String] = []) { self.texts = texts }

  mutating func add(_ text: String, isHashed: Bool = false) {
    texts.append(text)
    if isHashed { hashed.append(text) }
  }

  mutating func compare(
    _ label: String,
    _ before: String?,
    _ after: String?,
    isHashed: Bool = false
  ) {
    if before == after { return }
    add("\(label) \(before ?? "none") → \(after ?? "none")", isHashed: isHashed)
  }
}

/// Types of properties in words.
package enum TypeText {
  /// For narrow places: `Int64`, `String?`, `[Player]`.
  package static func short(_ property: PropertyDefinition, in model: ModelDefinition) -> String {
    switch property.kind {
    case .attribute(let attribute):
      let name =
        attribute.type == .composite
        ? attribute.compositeName ?? "Composite"
        : attribute.type.traits.modelFileName.replacing("Integer ", with: "Int")
          .replacing("Object ID", with: "ObjectID")
      return property.isOptional ? name + "?" : name
    case .relationship(let relationship):
      let name = model.entities[relationship.destination].name
      return relationship.isToMany ? "[\(name)]" : property.isOptional ? name + "?" : name
    case .fetched(let fetched): return "fetched [\(fetched.entityName)]"
    }
  }
}
