// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A condition prepared for evaluation with many objects.
///
///     let prepared = PreparedCondition(condition)
///     let chosen = try objects.filter { try prepared.holds(for: .object($0)) }
///
/// Constants are folded, patterns are compiled and sets are hashed once, when the condition is prepared.
/// Every evaluation of a condition in memory uses this type, including `Condition.evaluate(with:variables:)`.
package struct PreparedCondition: Sendable {
  /// The condition before it was prepared.
  package let condition: Condition
  private let root: ConditionNode

  /// Prepares a condition.
  ///
  /// - Complexity: O(size of the condition and of its constants).
  package init(_ condition: Condition) {
    self.condition = condition
    root = ConditionNode(condition)
  }

  /// Whether the condition holds for a value.
  ///
  /// - Throws: `EvaluationError` or `UnknownKey`, and the errors of a `KeyedObject`.
  package func holds(for object: Value, variables: [String: Value] = [:]) throws -> Bool {
    var variables = variables
    return try root.holds(object, &variables)
  }
}

extension Condition {
  /// Whether the condition holds for one value in memory.
  ///
  /// Prepares the condition on every call; for many objects, create a `PreparedCondition` instead.
  /// - Throws: `EvaluationError` or `UnknownKey`, and the errors of a `KeyedObject`.
  package func evaluate(with object: Value, variables: [String: Value] = [:]) throws -> Bool {
    try PreparedCondition(self).holds(for: object, variables: variables)
  }
}

indirect enum ConditionNode: Sendable {
  case constant(Bool)
  case and([ConditionNode])
  case or([ConditionNode])
  case not(ConditionNode)
  case key(KeyComparison)
  case comparison(PreparedComparison)
  case opaque(OpaqueCondition)

  init(_ condition: Condition) {
    switch condition {
    case .constant(let flag): self = .constant(flag)
    case .and(let members):
      self = .and(members.gathered(.notEqual, { _ in true }).map(ConditionNode.init))
    case .or(let members):
      self = .or(members.gathered(.equal, { _ in true }).map(ConditionNode.init))
    case .not(let member): self = .not(ConditionNode(member))
    case .comparison(let comparison):
      self = KeyComparison(comparison).map(Self.key) ?? .comparison(PreparedComparison(comparison))
    case .opaque(let opaque): self = .opaque(opaque)
    }
  }

  /// Whether the condition holds for a value.
  ///
  /// If a comparison assigns a variable, later comparisons can read the new value.
  func holds(_ object: Value, _ variables: inout [String: Value]) throws -> Bool {
    switch self {
    case .constant(let flag): return flag
    case .and(let members):
      for member in members where try !member.holds(object, &variables) { return false }
      return true
    case .or(let members):
      for member in members where try member.holds(object, &variables) { return true }
      return false
    case .not(let member): return try !member.holds(object, &variables)
    case .key(let key): return try key.holds(object)
    case .comparison(let comparison): return try comparison.holds(object, &variables)
    case .opaque(let opaque): return opaque.evaluate(object, variables)
    }
  }
}
