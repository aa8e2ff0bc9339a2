// SPDX-License-Identifier: Apache-2.0

/// Finds the types to which names in source text refer.
///
/// Like the compiler, it searches the enclosing types and their superclasses, then the module, then the
/// modules that the file imports, and then the system's modules.
final class TypeResolver {
  /// The place where a name is used: the innermost enclosing type, if any, the file and the module.
  struct Scope {
    let type: TypeDeclaration?
    let file: String
    let module: ModuleSources
  }

  /// The reason why a type cannot be resolved, and in some cases what to do.
  ///
  /// The text completes a sentence of the caller's error text.
  struct Failure: Error {
    let reason: String
  }

  let target: ModuleSources
  let dependencies: [String: ModuleSources]
  /// Class name → superclass name, for each class that is generated from the target's models.
  let generatedClasses: [String: String]
  private var nominals: [ObjectIdentifier: NominalType] = [:]
  private var generated: [String: NominalType] = [:]

  init(
    target: ModuleSources,
    dependencies: [ModuleSources] = [],
    generatedClasses: [String: String] = [:]
  ) {
    self.target = target
    self.dependencies = Dictionary(dependencies.map { ($0.module, $0) }) { first, _ in first }
    self.generatedClasses = generatedClasses
  }

  // MARK: Types

  /// Returns the type to which the syntax refers in a scope.
  ///
  /// - Throws: `Failure` if a name is not found or refers to a type that an accessor cannot have.
  func resolve(_ syntax: TypeSyntax, in scope: Scope) throws(Failure) -> ResolvedType {
    switch syntax {
    case .optional(let type): return .optional(try resolve(type, in: scope))
    case .array(let element):
      return .nominal(try system("Array"), [try resolve(element, in: scope)])
    case .dictionary(let key, let value):
      return .nominal(
        try system("Dictionary"),
        [try resolve(key, in: scope), try resolve(value, in: scope)]
      )
    case .existential(let type): return try resolve(type, in: scope)
    case .composition: throw Failure(reason: "a composition of protocols is not supported")
    case .unsupported(let text): throw Failure(reason: "\(text) is not supported")
    case .named(let components): return try resolve(components, in: scope)
    }
  }

  private func resolve(
    _ components: [TypeSyntax.Component],
    in scope: Scope
  ) throws(Failure) -> ResolvedType {
    guard let first = components.first, let last = components.last else {
      throw Failure(reason: "the type is missing")
    }
    if components.count == 1, first.name == "Any" { return .existential([]) }
    if components.count == 1, first.name == "AnyObject" { return .anyObject }
    if components.dropLast().contains(where: { !$0.arguments.isEmpty }) {
      throw Failure(reason: "a type in a generic type is not supported")
    }
    var arguments: [ResolvedType] = []
    for argument in last.arguments { arguments.append(try resolve(argument, in: scope)) }
    let found = try find(components.map(\.name), in: scope)
    switch found {
    case .alias(let type): return type
    case .nominal(let type):
      if type.module == "Swift", type.name == "Optional", let wrapped = arguments.first {
        return .optional(wrapped)
      }
      guard type.genericCount == arguments.count else {
        throw Failure(
          reason: arguments.isEmpty
            ? "\(type.path) is generic; write its generic arguments"
            : "\(type.path) has \(type.genericCount) generic parameters, not \(arguments.count)"
        )
      }
      return type.kind == .protocol ? .existential([type]) : .nominal(type, arguments)
    }
  }

  private func system(_ name: String) throws(Failure) -> NominalType {
    guard let type = SystemTypes.type(named: name, in: "Swift") else {
      throw Failure(reason: "\(name) is unknown")
    }
    return type
  }

  // MARK: Names

  enum Found {
    case nominal(NominalType)
    case alias(ResolvedType)
  }

  private func find(_ path: [String], in scope: Scope) throws(Failure) -> Found {
    var found: Found?
    var rest = path.dropFirst()
    if let type = try lookUp(path[0], in: scope) {
      found = type
    } else if let second = path.dropFirst().first,
      let type = try lookUp(second, inModule: path[0], scope)
    {
      found = type
      rest = rest.dropFirst()
    }
    guard var result = found else {
      let modules = scope.module.imports(of: scope.file).filter(isUnknown)
      throw Failure(
        reason: "“\(path.joined(separator: "."))” is not found"
          + (modules.isEmpty
            ? ""
            : "; the sources of \(modules.joined(separator: ", ")) are not available to the plugin")
      )
    }
    for name in rest {
      guard case .nominal(let outer) = result, let inner = try member(name, of: outer, scope) else {
        throw Failure(reason: "“\(path.joined(separator: "."))” is not found")
      }
      result = inner
    }
    return result
  }

  private func isUnknown(_ module: String) -> Bool {
    !["Foundation", "CoreData", "Swift", "Glibc", "Dispatch"].contains(module)
      && dependencies[module] == nil && module != target.module
  }

  func lookUp(_ name: String, in scope: Scope) throws(Failure) -> Found? {
    var around = scope.type
    while let type = around {
      if type.genericParameters.contains(name) {
        throw Failure(reason: "“\(name)” is a generic parameter, which is not supported")
      }
      if type.name == name, type.kind != .extension { return try found(type, scope.module) }
      // An extended type that is not found has no members.
      if let own = try? nominal(of: type, scope.module),
        let inner = try member(name, of: own, scope)
      {
        return inner
      }
      around = type.parent
    }
    if let found = try topLevel(name, of: scope.module, scope) { return found }
    for module in scope.module.imports(of: scope.file) {
      guard let sources = dependencies[module] else { continue }
      if let found = try topLevel(name, of: sources, scope) { return found }
    }
    return systemType(name, in: nil)
  }

  private func lookUp(
    _ name: String,
    inModule module: String,
    _ scope: Scope
  ) throws(Failure) -> Found? {
    if module == target.module { return try topLevel(name, of: target, scope) }
    if let sources = dependencies[module] { return try topLevel(name, of: sources, scope) }
    return systemType(name, in: module)
  }

  private func systemType(_ name: String, in module: String?) -> Found? {
    if let type = SystemTypes.type(named: SystemTypes.aliases[name] ?? name, in: module) {
      return .nominal(type)
    }
    return SystemTypes.aliases[name].flatMap { SystemTypes.type(named: $0) }.map(Found.nominal)
  }

  private func topLevel(
    _ name: String,
    of module: ModuleSources,
    _ scope: Scope
  ) throws(Failure) -> Found? {
    let candidates = module.types(named: name).filter { $0.parent == nil }
    if let type = try choose(candidates, name, from: scope) { return try found(type, module) }
    guard module === target, generatedClasses[name] != nil else { return nil }
    return .nominal(generatedClass(name))
  }

  private func generatedClass(_ name: String) -> NominalType {
    if let known = generated[name] { return known }
    let type = NominalType(module: target.module, name: name, kind: .class)
    generated[name] = type
    return type
  }

  /// Returns the type with that name in `outer`, its extensions or its superclasses; nil if no such type
  /// exists.
  private func member(
    _ name: String,
    of outer: NominalType,
    _ scope: Scope
  ) throws(Failure) -> Found? {
    let modules = [target] + scope.module.imports(of: scope.file).compactMap { dependencies[$0] }
    var next: NominalType? = outer
    while let type = next {
      for module in modules {
        let candidates = module.types(named: name).filter { candidate in
          // An extension whose type is not found does not extend `type`.
          guard let parent = candidate.parent, let container = try? nominal(of: parent, module)
          else {
            return false
          }
          return container.identity == type.identity
        }
        if let found = try choose(candidates, name, from: scope) {
          return try self.found(found, module)
        }
      }
      next = superclass(of: type)
    }
    return nil
  }

  /// Returns the declaration that is visible in the scope and compiled on Linux; nil if no candidate is.
  ///
  /// - Throws: `Failure` if several declarations remain and differ in kind or aliased type.
  private func choose(
    _ candidates: [TypeDeclaration],
    _ name: String,
    from scope: Scope
  ) throws(Failure) -> TypeDeclaration? {
    let visible = candidates.filter { candidate in
      let isHidden = (candidate.access ?? .internal) <= .fileprivate && candidate.parent == nil
      return !(isHidden && candidate.file != scope.file)
        && !ConditionEvaluator.excludes(candidate.conditions)
    }
    guard let first = visible.first else { return nil }
    let kinds = Set(visible.map(\.kind))
    if kinds.count > 1 || first.kind == .typealias && Set(visible.map(\.underlying)).count > 1 {
      throw Failure(
        reason: "“\(name)” has several declarations, whose conditions the plugin cannot evaluate"
      )
    }
    return first
  }

  private func found(_ type: TypeDeclaration, _ module: ModuleSources) throws(Failure) -> Found {
    guard type.kind == .typealias else { return .nominal(try nominal(of: type, module)) }
    guard let underlying = type.underlying, type.genericParameters.isEmpty else {
      throw Failure(reason: "the type alias \(type.name) is generic, which is not supported")
    }
    return .alias(
      try resolve(underlying, in: Scope(type: type.parent, file: type.file, module: module))
    )
  }

  // MARK: Declarations

  /// Returns the type that a declaration declares or, if it is an extension, extends.
  func nominal(
    of declaration: TypeDeclaration,
    _ module: ModuleSources
  ) throws(Failure) -> NominalType {
    if let known = nominals[ObjectIdentifier(declaration)] { return known }
    let made = try makeNominal(of: declaration, module)
    nominals[ObjectIdentifier(declaration)] = made
    return made
  }

  private func makeNominal(
    of declaration: TypeDeclaration,
    _ module: ModuleSources
  ) throws(Failure) -> NominalType {
    let kind: NominalType.Kind
    switch declaration.kind {
    case .class, .actor: kind = .class
    case .struct: kind = .struct
    case .enum: kind = .enum
    case .protocol: kind = .protocol
    case .typealias: throw Failure(reason: "\(declaration.name) is a type alias")
    case .extension:
      guard let syntax = declaration.underlying else {
        throw Failure(reason: "\(declaration.name) is not found")
      }
      let scope = Scope(type: nil, file: declaration.file, module: module)
      guard case .nominal(let type, _) = try resolve(syntax, in: scope) else {
        throw Failure(reason: "\(declaration.name) is not a class")
      }
      return type
    }
    let parent: NominalType? =
      if let outer = declaration.parent { try nominal(of: outer, module) } else { nil }
    return NominalType(
      module: module.module,
      name: declaration.name,
      kind: kind,
      parent: parent,
      extensionModule: parent.flatMap { $0.module == module.module ? nil : module.module },
      genericCount: declaration.genericParameters.count,
      declaration: declaration
    )
  }
}
