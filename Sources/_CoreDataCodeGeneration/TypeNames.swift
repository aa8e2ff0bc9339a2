// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The names of a model's Swift types: the types of attributes, as in Xcode's classes, and the entities'
/// classes.
package struct TypeNames {
  /// The type of an attribute and the library's functions that read and write it.
  struct Accessor: Equatable {
    let type: String
    let read: String
    let write: String
  }

  private let model: ModelDefinition
  /// The names of the model's classes; a system type with the same name must be qualified with its module.
  private let ownClasses: Set<String>

  init(model: ModelDefinition) {
    self.model = model
    ownClasses = Set(model.entities.compactMap { Self.className(of: $0) })
  }

  /// Returns the name of the entity's class without its module; nil if the model names no class, or names
  /// `NSManagedObject`.
  package static func className(of entity: EntityDefinition) -> String? {
    guard let name = withoutModule(entity.className), name != "NSManagedObject" else { return nil }
    return name
  }

  /// Returns the entity's class in source text; `NSManagedObject` if the model names no other class.
  func className(ofEntity index: Int) -> String {
    Self.className(of: model.entities[index]).map { SwiftName(text: $0).source }
      ?? system("NSManagedObject", in: "CoreData")
  }

  /// Returns the Swift source for the class of the entity `name`: `NSManagedObject` if there is no such
  /// entity, or if the model names no class for the entity.
  func className(ofEntityNamed name: String) -> String {
    model.indexByName[name].map(className(ofEntity:)) ?? system("NSManagedObject", in: "CoreData")
  }

  /// Returns the name of a type of another module, qualified if a class of the model has the same name.
  func system(_ name: String, in module: String) -> String {
    ownClasses.contains(name) ? "\(module).\(name)" : name
  }

  /// Returns the type and the accessor functions of an attribute's property.
  ///
  /// Source: observed, classes that Xcode 15 generates.
  func accessor(of attribute: AttributeDefinition) -> Accessor {
    if attribute.usesScalar, let scalar = attribute.type.traits.scalar {
      return accessor(of: scalar)
    }
    let type: String
    switch attribute.type {
    case .integer16, .integer32, .integer64, .double, .float, .boolean: return number
    case .decimal: type = system("NSDecimalNumber", in: "Foundation")
    case .string: type = system("String", in: "Swift")
    case .date: type = system("Date", in: "Foundation")
    case .binaryData: type = system("Data", in: "Foundation")
    case .uuid: type = system("UUID", in: "Foundation")
    case .uri: type = system("URL", in: "Foundation")
    case .objectID: type = system("NSManagedObjectID", in: "CoreData")
    case .composite: type = "[\(system("String", in: "Swift")): Any]"
    case .transformable, .undefined: return transformable(attribute)
    }
    if attribute.type == .objectID || attribute.type == .composite {
      return Accessor(type: "\(type)?", read: "_readTransformable", write: "_writeTransformable")
    }
    return Accessor(type: "\(type)?", read: "_read", write: "_write")
  }

  // Numbers have their own functions, because overloads for `NSNumber?` and `NSDecimalNumber?` that differ
  // only in their result type are ambiguous.
  private var number: Accessor {
    Accessor(
      type: "\(system("NSNumber", in: "Foundation"))?",
      read: "_readNumber",
      write: "_writeNumber"
    )
  }

  private func accessor(of scalar: AttributeScalar) -> Accessor {
    switch scalar {
    case .standard(let name):
      Accessor(type: system(name, in: "Swift"), read: "_read", write: "_write")
    case .interval:
      Accessor(
        type: system("TimeInterval", in: "Foundation"),
        read: "_readInterval",
        write: "_writeInterval"
      )
    }
  }

  private func transformable(_ attribute: AttributeDefinition) -> Accessor {
    let type =
      Self.withoutLeadingDot(attribute.customClassName)
      ?? system("NSObject", in: "Foundation")
    return Accessor(type: "\(type)?", read: "_readTransformable", write: "_writeTransformable")
  }

  /// Returns the name of a class without its module, such as `Team` for `.Team` and `Shop.Team`; nil if there
  /// is no name.
  ///
  /// The module is left out because generated code is in the module that contains the model.
  private static func withoutModule(_ name: String?) -> String? {
    guard let name = withoutLeadingDot(name) else { return nil }
    guard let dot = name.firstIndex(of: ".") else { return name }
    let rest = name[name.index(after: dot)...]
    return rest.isEmpty ? nil : String(rest)
  }

  private static func withoutLeadingDot(_ name: String?) -> String? {
    guard let name else { return nil }
    let rest = name.hasPrefix(".") ? String(name.dropFirst()) : name
    return rest.isEmpty ? nil : rest
  }
}
