// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

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
    case text(KeyComparison, TextNeedle)
    case number(KeyComparison, Double, Int64?)
    case null(KeyComparison)
    case member(KeyComparison, MemberSet)
    case general(Comparison)
    case opaque(OpaqueCondition)
  }
  /// A key path compared with a constant.
  fileprivate struct KeyComparison: Sendable {
    let path: String
    /// The path where it is one plain key, which objects answer directly.
    let key: String?
    let comparison: Comparison
    let constant: Value
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
    try holds(plan, object, variables)
  }

  private static func plan(_ condition: Condition) -> Plan {
    switch condition {
    case .constant(let flag): .constant(flag)
    case .and(let members): .and(members.map(plan))
    case .or(let members): .or(members.map(plan))
    case .not(let member): .not(plan(member))
    case .comparison(let comparison): plan(comparison)
    case .opaque(let opaque): .opaque(opaque)
    }
  }

  private static func plan(_ comparison: Comparison) -> Plan {
    guard comparison.modifier == .direct, case .keyPath(let path) = comparison.left,
      let constant = constant(comparison.right)
    else { return .general(comparison) }
    let isPlain = !path.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "@") }
    let key = KeyComparison(
      path: path, key: isPlain ? path : nil, comparison: comparison, constant: constant)
    switch (comparison.relation, constant) {
    case (.between, _), (.customSelector, _): return .general(comparison)
    case (_, .text(let text)):
      let needle = TextNeedle(text, relation: comparison.relation, options: comparison.options)
      return needle.invalidPattern == nil ? .text(key, needle) : .general(comparison)
    case (.equal, .null), (.notEqual, .null): return .null(key)
    case (.equal, _), (.notEqual, _), (.lessThan, _), (.lessThanOrEqual, _), (.greaterThan, _),
      (.greaterThanOrEqual, _):
      guard let number = constant.number else { return .general(comparison) }
      return .number(key, number, constant.truncated.flatMap { Double($0) == number ? $0 : nil })
    case (.in, .collection(let collection)) where comparison.options.isEmpty:
      return MemberSet(collection.members).map { .member(key, $0) } ?? .general(comparison)
    default: return .general(comparison)
    }
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

  private func holds(
    _ plan: Plan, _ object: Value, _ variables: [String: Value]
  ) throws -> Bool {
    switch plan {
    case .constant(let flag): return flag
    case .and(let members):
      for member in members where try !holds(member, object, variables) { return false }
      return true
    case .or(let members):
      for member in members where try holds(member, object, variables) { return true }
      return false
    case .not(let member): return try !holds(member, object, variables)
    case .text(let key, let needle):
      let value = try key.read(object)
      if case .text(let text) = value { return needle.matches(text) }
      return try key.relate(value)
    case .number(let key, let number, let whole):
      return try key.relate(try key.read(object), number, whole)
    case .null(let key): return try key.read(object).isNull == (key.comparison.relation == .equal)
    case .member(let key, let members): return members.contains(try key.read(object))
    case .general(let comparison):
      var evaluator = Evaluator(object, variables)
      return try evaluator.holds(comparison)
    case .opaque(let opaque): return opaque.evaluate(object, variables)
    }
  }
}

extension PreparedCondition.KeyComparison {
  func read(_ object: Value) throws -> Value {
    if let key, case .object(let object) = object, key != "self" {
      return try object.keyedValue(key)
    }
    return try object.value(forKeyPath: path)
  }

  func relate(_ value: Value) throws -> Bool {
    try comparison.relation.holds(value, constant, options: comparison.options)
  }

  /// Numbers are compared here; anything else takes the general way.
  func relate(_ value: Value, _ number: Double, _ whole: Int64?) throws -> Bool {
    switch value {
    case .int(let left):
      guard let whole else { return relate(Double(left), number) }
      return relate(left, whole)
    case .double(let left): return relate(left, number)
    default: return try relate(value)
    }
  }

  @inline(__always)
  private func relate<Number: Comparable>(_ left: Number, _ right: Number) -> Bool {
    switch comparison.relation {
    case .equal: left == right
    case .notEqual: left != right
    case .lessThan: left < right
    case .lessThanOrEqual: left <= right
    case .greaterThan: left > right
    default: left >= right
    }
  }
}
