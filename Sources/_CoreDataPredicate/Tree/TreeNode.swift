// SPDX-License-Identifier: Apache-2.0

/// A node of the tree of a predicate or expression: a term or a condition.
///
/// `height` and `contains(where:)` do not recurse, so they work for trees that are too tall to be evaluated.
package enum TreeNode {
  case term(Term)
  case condition(Condition)

  /// Calls `body` with each node directly below this one, in order.
  ///
  /// - Throws: the errors of `body`.
  package func forEachChild(_ body: (TreeNode) throws -> Void) rethrows {
    switch self {
    case .term(let term): try term.forEachChild(body)
    case .condition(let condition): try condition.forEachChild(body)
    }
  }

  /// The number of levels below the node; 0 for a node without children.
  ///
  /// - Complexity: O(size of the tree).
  package var height: Int {
    var height = 0
    var level = [self]
    while true {
      var next: [TreeNode] = []
      for node in level { node.forEachChild { next.append($0) } }
      if next.isEmpty { return height }
      height += 1
      level = next
    }
  }

  /// Returns whether `predicate` is true for this node or a node below it.
  ///
  /// - Complexity: O(size of the tree).
  package func contains(where predicate: (TreeNode) -> Bool) -> Bool {
    var rest = [self]
    while let node = rest.popLast() {
      if predicate(node) { return true }
      node.forEachChild { rest.append($0) }
    }
    return false
  }
}

extension Term {
  /// Calls `body` with each term and condition directly below the term, in order.
  ///
  /// - Throws: the errors of `body`.
  package func forEachChild(_ body: (TreeNode) throws -> Void) rethrows {
    switch self {
    case .constant, .evaluatedObject, .keyPath, .variable, .anyKey, .symbolicIndex, .opaque,
      .unusable:
      break
    case .keyPathOf(let term, _), .assignment(_, let term): try body(.term(term))
    case .function(_, let terms), .aggregate(let terms):
      for term in terms { try body(.term(term)) }
    case .message(_, let receiver, let arguments):
      try body(.term(receiver))
      for argument in arguments { try body(.term(argument)) }
    case .subquery(let collection, _, let condition):
      try body(.term(collection))
      try body(.condition(condition))
    case .setOperation(_, let left, let right), .fetch(let left, context: let right, _):
      try body(.term(left))
      try body(.term(right))
    case .ternary(let condition, let yes, let no):
      try body(.condition(condition))
      try body(.term(yes))
      try body(.term(no))
    }
  }

  /// Whether the function is called anywhere in the expression.
  package func calls(_ function: Function) -> Bool {
    TreeNode.term(self).contains { $0.isCall(of: function) }
  }
}

extension Condition {
  /// Calls `body` with each term and condition directly below the condition, in order.
  ///
  /// - Throws: the errors of `body`.
  package func forEachChild(_ body: (TreeNode) throws -> Void) rethrows {
    switch self {
    case .constant, .opaque: break
    case .comparison(let comparison):
      try body(.term(comparison.left))
      try body(.term(comparison.right))
    case .and(let members), .or(let members):
      for member in members { try body(.condition(member)) }
    case .not(let member): try body(.condition(member))
    }
  }

  /// Whether the function is called anywhere in the condition.
  package func calls(_ function: Function) -> Bool {
    TreeNode.condition(self).contains { $0.isCall(of: function) }
  }

  /// Whether the condition contains an opaque term or condition, such as a block, which can only be evaluated
  /// by calling it.
  package var isOpaque: Bool {
    TreeNode.condition(self).contains {
      switch $0 {
      case .term(.opaque), .condition(.opaque): true
      case .term, .condition: false
      }
    }
  }
}

extension TreeNode {
  fileprivate func isCall(of function: Function) -> Bool {
    if case .term(.function(function, _)) = self { true } else { false }
  }
}
