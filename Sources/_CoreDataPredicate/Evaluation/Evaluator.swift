// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Condition {
  /// Whether the predicate holds for a value in memory.
  ///
  /// For many objects make a `PreparedCondition` once instead.
  /// - Throws: `EvaluationError` or `UnknownKey`, and what a `KeyedObject` throws.
  package func evaluate(with object: Value, variables: [String: Value] = [:]) throws -> Bool {
    var evaluator = Evaluator(object, variables)
    return try evaluator.holds(self)
  }
}

extension Term {
  /// The value of the expression for a value in memory.
  ///
  /// - Throws: `EvaluationError` or `UnknownKey`, and what a `KeyedObject` throws.
  package func evaluate(with object: Value, variables: [String: Value] = [:]) throws -> Value {
    var evaluator = Evaluator(object, variables)
    return try evaluator.value(self)
  }
}

extension Term {
  /// The value of the expression, which may read and assign variables.
  ///
  /// - Throws: `EvaluationError` or `UnknownKey`, and what a `KeyedObject` throws.
  package func evaluate(
    with object: Value,
    updating variables: inout [String: Value]
  ) throws -> Value {
    var evaluator = Evaluator(object, variables)
    defer { variables = evaluator.variables }
    return try evaluator.value(self)
  }
}

/// One evaluation: the object and the variables in sight.
struct Evaluator {
  let root: Value
  var variables: [String: Value]

  init(_ root: Value, _ variables: [String: Value]) {
    self.root = root
    self.variables = variables
  }

  mutating func holds(_ condition: Condition) throws -> Bool {
    switch condition {
    case .constant(let flag): return flag
    case .comparison(let comparison): return try holds(comparison)
    case .and(let members):
      for member in members where try !holds(member) { return false }
      return true
    case .or(let members):
      for member in members where try holds(member) { return true }
      return false
    case .not(let member): return try !holds(member)
    case .opaque(let opaque): return opaque.evaluate(root, variables)
    }
  }

  mutating func holds(_ comparison: Comparison) throws -> Bool {
    let isDirect = comparison.modifier == .direct
    let left =
      try isDirect && comparison.relation == .contains
      ? container(comparison.left) : value(comparison.left)
    let right =
      try comparison.relation == .in ? container(comparison.right) : value(comparison.right)
    if isDirect {
      guard case .anyKey = comparison.left, case .collection(let values) = left else {
        return try holds(comparison, left, right)
      }
      // Of all the keys of an object those that cannot be compared with the value do not match it.
      return values.members.contains { (try? holds(comparison, $0, right)) ?? false }
    }
    let wantsAll = comparison.modifier == .all
    switch left {
    case .null: return wantsAll
    case .collection(let collection):
      let isPath = if case .keyPath = comparison.left { true } else { false }
      let members = isPath ? Statistics.flattened(collection.members) : collection.members
      for member in members where try holds(comparison, member, right) != wantsAll {
        return !wantsAll
      }
      return wantsAll
    default:
      throw EvaluationError(
        .invalidArgument,
        "The left hand side for an ALL or ANY operator must be either an NSArray or an NSSet."
      )
    }
  }

  /// The value of what a member is looked for in: a key path in an aggregate stands for all its values.
  ///
  /// Source: predicate-grammar.md §11, `name IN {const, hasUsers.hasTags.name}`.
  private mutating func container(_ term: Term) throws -> Value {
    guard case .aggregate(let terms) = term else { return try value(term) }
    var members: [Value] = []
    for term in terms {
      let value = try value(term)
      switch (term, value) {
      case (.keyPath, .collection(let values)), (.keyPathOf, .collection(let values)):
        members += Statistics.flattened(values.members)
      default: members.append(value)
      }
    }
    return .collection(ValueCollection(.array, members))
  }

  private func holds(_ comparison: Comparison, _ left: Value, _ right: Value) throws -> Bool {
    guard comparison.relation == .customSelector else {
      return try comparison.relation.holds(left, right, options: comparison.options)
    }
    switch comparison.selector ?? "" {
    case "isEqual:", "isEqualToString:", "isEqualToNumber:", "isEqualToDate:":
      return left.isEqual(to: right)
    case "hasPrefix:": return try Relation.beginsWith.holds(left, right)
    case "hasSuffix:": return try Relation.endsWith.holds(left, right)
    case "containsString:", "containsObject:": return try Relation.contains.holds(left, right)
    case let selector:
      throw EvaluationError(.unsupported, "The operator \(selector) is not known in memory")
    }
  }
}
