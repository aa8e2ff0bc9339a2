// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration
import _CoreDataModel

/// The keys of the classes in a project's sources and models.
package struct ClassKeys: Sendable {
  struct Problem: Error { let reason: String }

  private struct Property {
    /// The Objective-C name.
    let key: String
    /// The name of the class of the value or of its elements; nil if the class is not known.
    var className: String?
  }
  private struct Entry {
    var superclass: String?
    var properties: [String: Property] = [:]
  }

  /// The classes by name, such as `Shop.Item` for a nested class.
  private var classes: [String: Entry] = [:]
  /// The names of classes that are nested in other types, by their last component.
  private var nested: [String: [String]] = [:]
  /// The names of the entities of each class in the models.
  private var entities: [String: Set<String>] = [:]

  package init(sources: [SourceDeclarations], models: [ModelDefinition]) {
    for source in sources { for type in source.types { add(type) } }
    for model in models { add(model) }
    for name in classes.keys where name.contains(".") {
      nested[String(name.split(separator: ".").last ?? ""), default: []].append(name)
    }
  }

  private mutating func add(_ type: TypeDeclaration) {
    let name = Self.path(of: type)
    if type.kind != .typealias {
      var entry = classes[name] ?? Entry()
      if type.kind == .class, case .named(let components)? = type.inherited.first {
        entry.superclass = components.map(\.name).joined(separator: ".")
      }
      for property in type.properties {
        entry.properties[property.name] = Property(
          key: property.objectiveCName ?? property.name,
          className: property.type.flatMap(Self.elementName)
        )
      }
      for member in type.managed {
        guard case .property(let written) = member.kind else { continue }
        entry.properties[member.name] = Property(
          key: member.objectiveCName ?? member.name,
          className: Self.elementName(of: written)
        )
      }
      classes[name] = entry
    }
    for member in type.members { add(member) }
  }

  private mutating func add(_ model: ModelDefinition) {
    for entity in model.entities {
      guard let name = TypeNames.className(of: entity) else { continue }
      entities[name, default: []].insert(entity.name)
      var entry = classes[name] ?? Entry()
      for property in entity.properties {
        let destination = property.relationship.flatMap {
          TypeNames.className(of: model.entities[$0.destination])
        }
        var known = entry.properties[property.name] ?? Property(key: property.name)
        known.className = destination ?? known.className
        entry.properties[property.name] = known
      }
      if entry.superclass == nil {
        entry.superclass =
          entity.parent.flatMap { TypeNames.className(of: model.entities[$0]) } ?? "NSManagedObject"
      }
      classes[name] = entry
    }
  }

  /// Returns the name of a type, preceded by the names of the enclosing types, such as `Shop.Item`.
  static func path(of type: TypeDeclaration) -> String {
    type.parent.map { path(of: $0) + "." + type.name } ?? type.name
  }

  /// Returns the class name of a value, or of the elements of an array or set; nil for other types.
  private static func elementName(of type: TypeSyntax) -> String? {
    switch type {
    case .optional(let type), .array(let type), .existential(let type): elementName(of: type)
    case .named(let components):
      if let last = components.last, ["Set", "Array", "Optional"].contains(last.name),
        let argument = last.arguments.first
      {
        elementName(of: argument)
      } else {
        components.map(\.name).joined(separator: ".")
      }
    case .dictionary, .composition, .unsupported: nil
    }
  }

  // MARK: Look-up

  /// Returns the name under which a class is recorded; nil if no class or several nested classes match.
  private func known(_ name: String) -> String? {
    if classes[name] != nil { return name }
    if let paths = nested[name], paths.count == 1 { return paths[0] }
    return nil
  }

  /// Returns the name of the entity of a class; nil unless exactly one entity in the models has the class.
  package func entity(ofClass name: String) -> String? {
    guard let names = entities[name], names.count == 1 else { return nil }
    return names.first
  }

  /// Returns whether the class inherits from `NSManagedObject`, as far as the sources and models show.
  package func isManaged(_ name: String) -> Bool {
    var name: String? = name
    var steps = 0
    while let current = name, steps < 64 {
      if current == "NSManagedObject" || current == "CoreData.NSManagedObject" { return true }
      name = known(current).flatMap { classes[$0]?.superclass }
      steps += 1
    }
    return false
  }

  /// The names of the managed object classes, without the names of enclosing types.
  package var managedNames: Set<String> {
    Set(
      classes.keys.filter(isManaged).compactMap { $0.split(separator: ".").last.map(String.init) }
    )
  }

  private func property(_ name: String, of className: String) -> Property? {
    var current: String? = className
    var steps = 0
    while let name_ = current, let path = known(name_), let entry = classes[path], steps < 64 {
      if let property = entry.properties[name] { return property }
      current = entry.superclass
      steps += 1
    }
    return isManaged(className) ? Self.managedObjectKeys[name].map { Property(key: $0) } : nil
  }

  /// The keys of `NSManagedObject` by the names of its properties in Swift.
  ///
  /// Source: documented, “NSManagedObject”.
  private static let managedObjectKeys = [
    "objectID": "objectID", "entity": "entity", "managedObjectContext": "managedObjectContext",
    "hasChanges": "hasChanges", "isInserted": "inserted", "isUpdated": "updated",
    "isDeleted": "deleted", "isFault": "fault", "faultingState": "faultingState",
  ]

  /// Returns the string for `#keyPath` with these names in the body of `type`, which is nil outside of types.
  func keyPath(_ names: [String], in type: TypeDeclaration?) -> Result<String, Problem> {
    guard let (start, rest) = root(of: names, in: type) else {
      return .failure(
        Problem(reason: "neither the sources nor the models have a class \(names[0])")
      )
    }
    var className: String? = start
    var written = start
    var keys: [String] = []
    for name in rest {
      guard let owner = className, known(owner) != nil else {
        return .failure(
          Problem(reason: "neither the sources nor the models have the class of \(written)")
        )
      }
      guard let property = property(name, of: owner) else {
        return .failure(
          Problem(reason: "\(owner) has no property \(name) in the sources or models")
        )
      }
      keys.append(property.key)
      className = property.className
      written += "." + name
    }
    return .success(keys.joined(separator: "."))
  }

  /// Splits the names into a class and the properties that follow; nil if no class is found.
  private func root(of names: [String], in type: TypeDeclaration?) -> (String, ArraySlice<String>)?
  {
    let own = type.map(Self.path)
    if names[0] == "Self", let own { return names.count > 1 ? (own, names[1...]) : nil }
    for first in 0..<min(2, names.count) where names.count - first > 1 {
      for count in (1..<names.count - first).reversed() {
        let path = names[first..<first + count].joined(separator: ".")
        if let name = known(path) { return (name, names[(first + count)...]) }
      }
    }
    guard let own, property(names[0], of: own) != nil else { return nil }
    return (own, names[...])
  }
}
