// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Condition {
  /// Returns the condition with its variables replaced by constants.
  ///
  /// Inside the condition of a `SUBQUERY`, the variable that the `SUBQUERY` binds is not replaced.
  /// - Throws: `EvaluationError` (`unboundVariable`) for any other variable that is not in `variables`.
  package func substituting(_ variables: [String: Value]) throws -> Condition {
    try substituting(variables, bound: [])
  }

  fileprivate func substituting(
    _ variables: [String: Value],
    bound: Set<String>
  ) throws -> Condition {
    switch self {
    case .constant, .opaque: return self
    case .and(let members):
      return .and(try members.map { try $0.substituting(variables, bound: bound) })
    case .or(let members):
      return .or(try members.map { try $0.substituting(variables, bound: bound) })
    case .not(let member): return .not(try member.substituting(variables, bound: bound))
    case .comparison(var comparison):
      comparison.left = try comparison.left.substituting(variables, bound: bound)
      comparison.right = try comparison.right.substituting(variables, bound: bound)
      return .comparison(comparison)
    }
  }
}

extension Term {
  fileprivate func substituting(
    _ variables: [String: Value],
    bound: Set<String>
  ) throws -> Term {
    func replaced(_ term: Term) throws -> Term { try term.substituting(variables, bound: bound) }
    switch self {
    case .variable(let name):
      if bound.contains(name) { return self }
      guard let value = variables[name] else {
        throw EvaluationError(.unboundVariable, "Can't get value for '\(name)' in bindings.")
      }
      return .constant(Constant(value))
    case .keyPathOf(let base, let path): return .keyPathOf(try replaced(base), path)
    case .assignment(let name, let term): return .assignment(name, try replaced(term))
    case .function(let function, let arguments):
      return .function(function, try arguments.map(replaced))
    case .message(let selector, let receiver, let arguments):
      return .message(selector, to: try replaced(receiver), try arguments.map(replaced))
    case .aggregate(let members): return .aggregate(try members.map(replaced))
    case .subquery(let collection, let name, let condition):
      let inner = try condition.substituting(variables, bound: bound.union([name]))
      return .subquery(try replaced(collection), variable: name, inner)
    case .setOperation(let operation, let left, let right):
      return .setOperation(operation, try replaced(left), try replaced(right))
    case .ternary(let condition, let yes, let no):
      let test = try condition.substituting(variables, bound: bound)
      return .ternary(test, try replaced(yes), try replaced(no))
    case .fetch(let request, let context, let countOnly):
      return .fetch(try replaced(request), context: try replaced(context), countOnly: countOnly)
    case .constant, .evaluatedObject, .keyPath, .anyKey, .symbolicIndex, .opaque, .unusable:
      return self
    }
  }
}
