// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

/// Types of properties in words.
package enum TypeText {
  /// As Xcode's editor names them: `Integer 64`, `String`.
  package static func name(_ type: AttributeType) -> String {
    switch type {
    case .undefined: "Undefined"
    case .integer16: "Integer 16"
    case .integer32: "Integer 32"
    case .integer64: "Integer 64"
    case .decimal: "Decimal"
    case .double: "Double"
    case .float: "Float"
    case .string: "String"
    case .boolean: "Boolean"
    case .date: "Date"
    case .binaryData: "Binary"
    case .uuid: "UUID"
    case .uri: "URI"
    case .transformable: "Transformable"
    case .objectID: "Object ID"
    case .composite: "Composite"
    }
  }

  /// For narrow places: `Int64`, `String?`, `[Player]`.
  package static func short(_ property: PropertyDefinition, in model: ModelDefinition) -> String {
    switch property.kind {
    case .attribute(let attribute):
      let name =
        attribute.type == .composite
        ? attribute.compositeName ?? "Composite"
        : Self.name(attribute.type).replacing("Integer ", with: "Int")
          .replacing("Object ID", with: "ObjectID")
      return property.isOptional ? name + "?" : name
    case .relationship(let relationship):
      let name = model.entities[relationship.destination].name
      return relationship.isToMany ? "[\(name)]" : property.isOptional ? name + "?" : name
    case .fetched(let fetched): return "fetched [\(fetched.entityName)]"
    }
  }

  /// `Nullify`, as Xcode's editor names it.
  package static func name(_ rule: DeleteRule) -> String {
    switch rule {
    case .noAction: "No Action"
    case .nullify: "Nullify"
    case .cascade: "Cascade"
    case .deny: "Deny"
    }
  }
}
