// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Spells the Swift types of a model: those of attributes as Xcode does, and the entities' classes.
struct TypeNames {
  /// The type of an attribute and the run-time functions that read and write it.
  struct Accessor: Equatable {
    let type: String
    let read: String
    let write: String
  }

  private let model: ModelDefinition
  /// Names of classes of the model; a system type of the same name needs its module's name.
  private let ownClasses: Set<String>

  init(model: ModelDefinition) {
    self.model = model
    ownClasses = Set(model.entities.compactMap { Self.className(of: $0) })
  }

  /// The class that the model gives the entity, without a module; nil for the base class.
  static func className(of entity: EntityDefinition) -> String? {
    guard let name = withoutModule(entity.className), name != "NSManagedObject" else { return nil }
    return name
  }

  /// The entity's class as source text has it; `NSManagedObject` where the model names none.
  func className(ofEntity index: Int) -> String {
    Self.className(of: model.entities[index]).map { SwiftName(text: $0).source }
      ?? system("NSManagedObject", in: "CoreData")
  }

  /// The class of the entity of that name; `NSManagedObject` where there is no such entity.
  func className(ofEntityNamed name: String) -> String {
    model.indexByName[name].map(className(ofEntity:)) ?? system("NSManagedObject", in: "CoreData")
  }

  /// A type of another module, with that module's name only where a class of the model hides it.
  func system(_ name: String, in module: String) -> String {
    ownClasses.contains(name) ? "\(module).\(name)" : name
  }

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

  // Its own functions: by result type alone, `NSNumber?` and `NSDecimalNumber?` are ambiguous.
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

  /// `.Team` and `Shop.Team` are `Team`: generated code lives in the module that owns the model.
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
