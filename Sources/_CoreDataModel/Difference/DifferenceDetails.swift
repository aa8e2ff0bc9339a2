// SPDX-License-Identifier: Apache-2.0

/// The differences between two entities or two properties, as text.
package struct DifferenceDetails: Sendable {
  /// All differences; each is a text such as `type String → Date`.
  package private(set) var texts: [String]
  /// The differences that change, or may change, the entity's version hash.
  package private(set) var hashed: [String] = []

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

/// The text forms of property types.
package enum TypeText {
  /// Returns a short form of a property's type, such as `Int64`, `String?` or `[Player]`.
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
