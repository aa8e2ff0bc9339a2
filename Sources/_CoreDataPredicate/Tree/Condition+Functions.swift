// SPDX-License-Identifier: Apache-2.0

extension Condition {
  /// Whether the function of this selector, such as `now`, is called anywhere in the condition.
  package func calls(_ selector: String) -> Bool {
    switch self {
    case .constant, .opaque: false
    case .and(let members), .or(let members): members.contains { $0.calls(selector) }
    case .not(let member): member.calls(selector)
    case .comparison(let comparison):
      comparison.left.calls(selector) || comparison.right.calls(selector)
    }
  }
}

extension Term {
  /// Whether the function of this selector, such as `now`, is called anywhere in the expression.
  package func calls(_ selector: String) -> Bool {
    switch self {
    case .function(let name, let arguments, let operand):
      name == selector || arguments.contains { $0.calls(selector) }
        || operand?.calls(selector) ?? false
    case .keyPathOf(let base, _): base.calls(selector)
    case .assignment(_, let term): term.calls(selector)
    case .aggregate(let members): members.contains { $0.calls(selector) }
    case .subquery(let collection, _, let condition):
      collection.calls(selector) || condition.calls(selector)
    case .setOperation(_, let left, let right): left.calls(selector) || right.calls(selector)
    case .ternary(let condition, let yes, let no):
      condition.calls(selector) || yes.calls(selector) || no.calls(selector)
    case .fetch(let request, let context, _): request.calls(selector) || context.calls(selector)
    case .constant, .evaluatedObject, .keyPath, .variable, .anyKey, .symbolicIndex, .opaque,
      .unusable:
      false
    }
  }
}
