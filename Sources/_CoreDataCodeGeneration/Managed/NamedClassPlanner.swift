// SPDX-License-Identifier: Apache-2.0

/// A value transformer or migration policy that can be found by its name in a model or mapping model only
/// through a generated class.
struct NamedClassPlan {
  /// The name in the model or mapping model, without the module.
  let name: String
  /// The name of the class in the generated source, including the names of the types that contain the class.
  let path: String
  let conditions: [String]
}

/// Plans the generated classes through which value transformers and migration policies are found.
///
/// A top-level class is found by its Swift name in the records that the compiler emits. A generated class is
/// needed for a nested class, and for a class with a different name in `@objc(…)`.
struct NamedClassPlanner {
  /// The name of a value transformer in a model, or of a policy in a mapping model.
  struct Name: Hashable {
    enum Role { case transformer, policy }
    let text: String
    let role: Role
  }

  private let planner: ManagedPlanner

  init(_ planner: ManagedPlanner) { self.planner = planner }

  /// Returns the plans for the names that need a generated class; reports a warning for each private policy,
  /// because migrations cannot find it.
  ///
  /// A private transformer is not reported, because the program may register it.
  func plans(for names: [Name]) -> [NamedClassPlan] {
    var plans: [String: NamedClassPlan] = [:]
    for name in names {
      guard let last = name.text.split(separator: ".").last.map(String.init),
        plans[last] == nil, SwiftName(text: last).isValid
      else { continue }
      if let plan = plan(last, name) { plans[last] = plan }
    }
    return plans.sorted { $0.key < $1.key }.map(\.value)
  }

  private func plan(_ last: String, _ name: Name) -> NamedClassPlan? {
    let target = planner.target
    let declarations = (target.types(objectiveCName: last) + target.types(named: last)).filter {
      $0.kind == .class && $0.genericParameters.isEmpty && !$0.inherited.isEmpty
        && !ConditionEvaluator.excludes($0.allConditions)
    }
    guard let declaration = declarations.first else { return nil }
    // A class in an extension of an unknown type is skipped, because its full name is not known.
    guard let type = try? planner.resolver.nominal(of: declaration, target) else { return nil }
    if planner.access(of: type) <= .fileprivate {
      if name.role == .transformer { return nil }
      planner.report(
        .warning,
        file: declaration.file,
        line: declaration.line,
        "the class is private, so migrations do not find the policy “\(name.text)” of a mapping model; make "
          + "the class internal, or register it with MigrationPolicyClasses",
        class: type.path
      )
      return nil
    }
    if type.parent == nil, type.name == last { return nil }
    return NamedClassPlan(name: last, path: type.path, conditions: declaration.allConditions)
  }
}
