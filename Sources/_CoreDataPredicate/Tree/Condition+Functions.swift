// SPDX-License-Identifier: Apache-2.0

extension Condition {
  /// Whether the function is called anywhere in the condition.
  package func calls(_ function: Function) -> Bool {
    switch self {
    case .constant, .opaque: false
    case .and(let members), .or(let members): members.contains { $0.calls(function) }
    case .not(let member): member.calls(function)
    case .comparison(let comparison):
      comparison.left.calls(function) || comparison.right.calls(function)
    }
  }
}

extension Term {
  /// Whether the function is called anywhere in the expression.
  package func calls(_ function: Function) -> Bool {
    switch self {
    case .function(let called, let arguments):
      called == function || arguments.contains { $0.calls(function) }
    case .message(_, let receiver, let arguments):
      receiver.calls(function) || arguments.contains { $0.calls(function) }
    case .keyPathOf(let base, _): base.calls(function)
    case .assignment(_, let term): term.calls(function)
    case .aggregate(let members): members.contains { $0.calls(function) }
    case .subquery(let collection, _, let condition):
      collection.calls(function) || condition.calls(function)
    case .setOperation(_, let left, let right): left.calls(function) || right.calls(function)
    case .ternary(let condition, let yes, let no):
      condition.calls(function) || yes.calls(function) || no.calls(function)
    case .fetch(let request, let context, _): request.calls(function) || context.calls(function)
    case .constant, .evaluatedObject, .keyPath, .variable, .anyKey, .symbolicIndex, .opaque,
      .unusable:
      false
    }
  }
}
