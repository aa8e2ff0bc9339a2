// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Plans the accessors of a target's `@NSManaged` members, and collects problems.
final class ManagedPlanner {
  let target: ModuleSources
  let resolver: TypeResolver
  let models: ManagedModels
  private var plans: [String: ManagedClassPlan] = [:]
  private var order: [String] = []
  /// The file and line of each class's declaration, by the key of the class in `plans`.
  private var places: [String: (file: String, line: Int)] = [:]
  private(set) var problems: [ModelProblem] = []
  /// The files with unbalanced brackets, or with unterminated strings or comments.
  private var brokenFiles: Set<String> = []

  init(target: ModuleSources, dependencies: [ModuleSources], models: ManagedModels) {
    self.target = target
    self.models = models
    resolver = TypeResolver(
      target: target,
      dependencies: dependencies,
      generatedClasses: models.generatedClasses
    )
  }

  /// Returns the plans of all classes, and adds the problems found to `problems`.
  func classPlans() -> [ManagedClassPlan] {
    for source in target.managed where source.problems.contains(where: { !$0.isError }) {
      brokenFiles.insert(source.file)
    }
    for source in target.managed {
      for problem in source.problems {
        report(
          problem.isError ? .error : .warning,
          file: source.file,
          line: problem.line,
          problem.reason
        )
      }
      for type in source.types { visit(type) }
    }
    planModelClasses()
    checkAliases()
    return order.compactMap { plans[$0] }
  }

  /// Adds a problem, unless `problems` already contains the same one.
  ///
  /// In a file with a syntax error, an error becomes a warning, because an error would end the build before
  /// the compiler reports the syntax error.
  func report(
    _ severity: ModelProblem.Severity,
    file: String,
    line: Int,
    _ reason: String,
    class className: String? = nil,
    member: String? = nil
  ) {
    let finding = ModelError(
      file: file,
      line: line,
      entity: className,
      property: member,
      reason: reason
    )
    let isBroken = severity == .error && brokenFiles.contains(file)
    let problem = ModelProblem(isBroken ? .warning : severity, finding)
    if !problems.contains(problem) { problems.append(problem) }
  }

  // MARK: Classes

  private func visit(_ declaration: TypeDeclaration) {
    if ConditionEvaluator.excludes(declaration.conditions) { return }
    if !declaration.managed.isEmpty { plan(declaration) }
    for member in declaration.members { visit(member) }
  }

  private func plan(_ declaration: TypeDeclaration) {
    let members = declaration.managed.filter { !ConditionEvaluator.excludes($0.conditions) }
    guard let first = members.first else { return }
    do throws(TypeResolver.Failure) {
      let type = try resolver.nominal(of: declaration, target)
      let key = try prepare(type, line: declaration.line, declaration.file)
      let planner = ManagedMemberPlanner(self, declaration, type, isOwn: plans[key]?.isOwn == true)
      for member in members {
        if let plan = planner.plan(member) { plans[key]?.members.append(plan) }
      }
    } catch {
      let count =
        members.count == 1 ? "" : " and the class's other @NSManaged members (\(members.count - 1))"
      report(
        .error,
        file: declaration.file,
        line: first.line,
        "no accessors can be generated for “\(first.name)”\(count): \(error.reason)",
        class: declaration.name
      )
    }
  }

  /// Returns the key of a class in `plans`; first creates the plan if the class has no plan.
  ///
  /// - Throws: `Failure` if accessors cannot be generated for the class.
  private func prepare(
    _ type: NominalType,
    line: Int,
    _ file: String
  ) throws(TypeResolver.Failure) -> String {
    let key = type.identity
    if plans[key] != nil { return key }
    guard type.kind == .class else {
      throw TypeResolver.Failure(reason: "\(type.path) is not a class")
    }
    guard resolver.isManaged(type) else {
      throw TypeResolver.Failure(
        reason:
          "\(type.path) is not known to be a subclass of NSManagedObject; declare its superclass in a "
          + "module that is built from sources"
      )
    }
    guard type.genericCount == 0 else {
      throw TypeResolver.Failure(
        reason:
          "\(type.path) is generic; write the accessors with value(forKey:) and setValue(_:forKey:)"
      )
    }
    let access = effectiveAccess(of: type)
    if access <= .fileprivate {
      throw TypeResolver.Failure(
        reason:
          "\(type.path) is private, and accessors are in another file; make the class internal"
      )
    }
    var plan = ManagedClassPlan(
      module: type.module,
      path: type.path,
      access: access,
      conditions: type.declaration?.allConditions ?? [],
      isOwn: type.module == target.module && type.declaration != nil
    )
    if plan.isOwn { addModelFacts(to: &plan, type) }
    plans[key] = plan
    places[key] = (type.declaration?.file ?? file, type.declaration?.line ?? line)
    order.append(key)
    return key
  }

  /// Returns the effective access level of a type: the lowest level of the type and its enclosing types.
  func access(of type: NominalType) -> DeclaredAccess { effectiveAccess(of: type) }

  private func effectiveAccess(of type: NominalType) -> DeclaredAccess {
    var access = DeclaredAccess.open
    var next: NominalType? = type
    while let current = next {
      access = min(access, declaredAccess(of: current))
      next = current.parent
    }
    return access
  }

  private func declaredAccess(of type: NominalType) -> DeclaredAccess {
    guard let declaration = type.declaration else {
      // The class is generated, or declared by the library.
      return .public
    }
    if let written = declaration.access { return written }
    guard let parent = declaration.parent, parent.kind == .extension, let given = parent.access
    else {
      return .internal
    }
    return given
  }

  // MARK: Models

  /// Returns the names by which models can refer to a class.
  private func modelNames(of type: NominalType) -> [String] {
    [type.declaration?.objectiveCName ?? type.name, type.path]
  }

  private func addModelFacts(to plan: inout ManagedClassPlan, _ type: NominalType) {
    let entries = models.entries(ofClass: modelNames(of: type))
    if let name = type.declaration?.objectiveCName, name != type.name, !name.contains(":") {
      plan.alias = name
    } else if type.parent != nil {
      plan.alias = type.name
    }
    guard let declaration = type.declaration else { return }
    if let generated = entries.first(where: { $0.scope == .wholeClass }), type.parent == nil {
      report(
        .error,
        file: declaration.file,
        line: declaration.line,
        "the class is also generated from the model, for the entity \(generated.entity.name); set Codegen of "
          + "the entity to Manual/None, or delete the class",
        class: type.path
      )
    }
    if entries.isEmpty, !models.isEmpty, !hasSubclassInModel(type) {
      report(
        .warning,
        file: declaration.file,
        line: declaration.line,
        "no entity of the target's models has this class, so objects of it cannot be created; set it as the "
          + "class of an entity",
        class: type.path
      )
    }
    guard entries.count == 1, let entry = entries.first else { return }
    plan.slots = entry.entity.properties.map { ($0.name, AccessorKinds($0)) }
    if entry.scope == .category {
      plan.generatedProperties = entry.entity.properties
        .filter { $0.declaringEntity == entry.entity.index }.map(\.name)
    }
  }

  private func hasSubclassInModel(_ type: NominalType) -> Bool {
    models.entries.contains { entry in
      modelClass(entry.className).map { resolver.isSubclass($0, of: type) } ?? false
    }
  }

  /// Returns the type to which a model of the target refers by a class name; nil if no such type is found.
  private func modelClass(_ name: String) -> NominalType? {
    let scope = TypeResolver.Scope(type: nil, file: "", module: target)
    let components = name.split(separator: ".").map { TypeSyntax.Component(name: String($0)) }
    // The error is dropped, because the callers skip a class that is not found.
    guard case .nominal(let type, _)? = try? resolver.resolve(.named(components), in: scope) else {
      return nil
    }
    return type
  }

  /// Plans the tables of the hand-written classes that models name and that have no `@NSManaged` members.
  private func planModelClasses() {
    for entry in models.entries where entry.scope != .wholeClass {
      guard let type = modelClass(entry.className), type.module == target.module,
        let declaration = type.declaration, plans[type.identity] == nil,
        effectiveAccess(of: type) > .fileprivate, resolver.isManaged(type)
      else { continue }
      // A class without `@NSManaged` members needs no accessors, so an obstacle is not reported.
      _ = try? prepare(type, line: declaration.line, declaration.file)
    }
  }

  /// Reports an error if a class name in a model can refer to two classes.
  ///
  /// If two classes have the same name but no model uses it, the second class loses its alias instead.
  private func checkAliases() {
    var owners: [String: String] = [:]
    for key in order {
      guard let plan = plans[key], plan.isOwn else { continue }
      let name = plan.alias ?? plan.path
      guard let owner = owners.updateValue(key, forKey: name), let first = plans[owner] else {
        continue
      }
      guard let entry = models.entries(ofClass: [name]).first else {
        plans[key]?.alias = nil
        continue
      }
      let (place, other) = (places[key] ?? ("", 1), places[owner] ?? ("", 1))
      let otherFile = URL(fileURLWithPath: other.file).lastPathComponent
      report(
        .error,
        file: place.file,
        line: place.line,
        "the class name “\(name)” of the entity \(entry.entity.name) is ambiguous, because two classes have "
          + "it: \(first.path) (\(otherFile), line \(other.line)) and \(plan.path); rename one of these "
          + "classes, and set the class of the entity to the intended class",
        class: plan.path
      )
    }
  }
}

extension TypeDeclaration {
  /// The conditions of the `#if` blocks around the declaration and around the types that contain it.
  var allConditions: [String] { (parent?.allConditions ?? []) + conditions }
}
