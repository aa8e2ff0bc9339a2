// SPDX-License-Identifier: Apache-2.0

/// Finds the superclasses of classes in the target and in other modules.
extension TypeResolver {
  /// Returns the superclass of a class; nil if the class has no superclass, or if the superclass is not
  /// found.
  func superclass(of type: NominalType) -> NominalType? {
    guard type.kind == .class else { return nil }
    guard let declaration = type.declaration else {
      return generatedClasses[type.name].flatMap { name in
        guard type.module == target.module else { return nil }
        let scope = Scope(type: nil, file: "", module: target)
        // The command that generates the model's classes reports a superclass that does not exist.
        guard case .nominal(let found)? = try? lookUp(name, in: scope) else { return nil }
        return found
      }
    }
    guard let first = declaration.inherited.first else { return nil }
    let module = module(of: declaration)
    let scope = Scope(type: declaration.parent, file: declaration.file, module: module)
    // A type that is not found can be a protocol of another package. If it is a superclass, the planner
    // reports it.
    guard case .nominal(let found, _)? = try? resolve(first, in: scope), found.kind == .class else {
      return nil
    }
    return found
  }

  /// Returns whether the class is `NSManagedObject` or a direct or indirect subclass.
  func isManaged(_ type: NominalType) -> Bool {
    var next: NominalType? = type
    var depth = 0
    while let current = next, depth < 100 {
      if current.module == "CoreData", current.name == "NSManagedObject" { return true }
      next = superclass(of: current)
      depth += 1
    }
    return false
  }

  /// Returns whether a class is the other class or a direct or indirect subclass of it.
  func isSubclass(_ type: NominalType, of other: NominalType) -> Bool {
    var next: NominalType? = type
    var depth = 0
    while let current = next, depth < 100 {
      if current.identity == other.identity { return true }
      next = superclass(of: current)
      depth += 1
    }
    return false
  }

  /// Returns whether `name` refers, in the target, to the other class or to one of its subclasses.
  func isClass(named name: String, below other: NominalType) -> Bool {
    let scope = Scope(type: nil, file: "", module: target)
    // An unknown class is not a subclass.
    guard case .nominal(let type)? = try? lookUp(name, in: scope) else { return false }
    return isSubclass(type, of: other)
  }

  /// Returns the module whose sources contain a declaration; the target if no module's sources contain it.
  func module(of declaration: TypeDeclaration) -> ModuleSources {
    let found = ([target] + dependencies.values).first { sources in
      sources.types(named: declaration.name).contains { $0 === declaration }
    }
    return found ?? target
  }
}
