// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A condition made ready for many objects: constants folded, patterns compiled, sets hashed once.
///
///     let prepared = PreparedCondition(condition)
///     let chosen = try objects.filter { try prepared.holds(for: .object($0)) }
package struct PreparedCondition: Sendable {
  private indirect enum Plan: Sendable {
    case constant(Bool)
    case and([Plan])
    case or([Plan])
    case not(Plan)
    case key(KeyComparison)
    case general(Comparison)
    case opaque(OpaqueCondition)
  }
  /// What the condition says.
  package let condition: Condition
  private let plan: Plan

  /// - Complexity: O(size of the condition and of its constants).
  package init(_ condition: Condition) {
    self.condition = condition
    plan = Self.plan(condition)
  }

  /// Whether the condition holds for a value; equal to `Condition.evaluate`.
  ///
  /// - Throws: `EvaluationError` or `UnknownKey`, and what a `KeyedObject` throws.
  /// - Complexity: a key compared with a constant allocates nothing beyond the value it reads.
  package func holds(for object: Value, variables: [String: Value] = [:]) throws -> Bool {
    var variables = variables
    return try holds(plan, object, &variables)
  }

  private static func plan(_ condition: Condition) -> Plan {
    switch condition {
    case .constant(let flag): .constant(flag)
    case .and(let members): .and(members.gathered(.notEqual, { _ in true }).map(plan))
    case .or(let members): .or(members.gathered(.equal, { _ in true }).map(plan))
    case .not(let member): .not(plan(member))
    case .comparison(let comparison): plan(comparison)
    case .opaque(let opaque): .opaque(opaque)
    }
  }

  private static func plan(_ comparison: Comparison) -> Plan {
    guard comparison.modifier == .direct, case .keyPath(let path) = comparison.left,
      let constant = constant(comparison.right)
    else { return .general(comparison) }
    return KeyComparison(path, comparison, constant).map(Plan.key) ?? .general(comparison)
  }

  /// The value of a term that is the same for every object.
  private static func constant(_ term: Term) -> Value? {
    switch term {
    case .constant(let constant): return constant.value
    case .aggregate(let members):
      let values = members.compactMap(constant)
      guard values.count == members.count else { return nil }
      return .collection(ValueCollection(.array, values))
    default: return nil
    }
  }

  /// An assignment in one comparison is seen by those that follow.
  private func holds(
    _ plan: Plan,
    _ object: Value,
    _ variables: inout [String: Value]
  ) throws -> Bool {
    switch plan {
    case .constant(let flag): return flag
    case .and(let members):
      for member in members where try !holds(member, object, &variables) { return false }
      return true
    case .or(let members):
      for member in members where try holds(member, object, &variables) { return true }
      return false
    case .not(let member): return try !holds(member, object, &variables)
    case .key(let key): return try key.holds(object)
    case .general(let comparison):
      var evaluator = Evaluator(object, variables)
      let holds = try evaluator.holds(comparison)
      variables = evaluator.variables
      return holds
    case .opaque(let opaque): return opaque.evaluate(object, variables)
    }
  }
}
