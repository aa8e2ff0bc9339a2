// SPDX-License-Identifier: Apache-2.0

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
