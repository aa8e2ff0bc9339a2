// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Condition {
  /// Returns the condition with each key path that starts at a constant replaced by the value of the path.
  ///
  /// `$FETCH_SOURCE.name` is such a path after a constant has replaced the variable. Key paths inside a
  /// `FETCH` are not replaced.
  ///
  /// - Throws: `UnknownKey` or `EvaluationError`, and the errors of the constants' objects.
  package func resolvingKeyPaths() throws -> Condition {
    switch self {
    case .constant, .opaque: return self
    case .and(let members): return .and(try members.map { try $0.resolvingKeyPaths() })
    case .or(let members): return .or(try members.map { try $0.resolvingKeyPaths() })
    case .not(let member): return .not(try member.resolvingKeyPaths())
    case .comparison(var comparison):
      comparison.left = try comparison.left.resolvingKeyPaths()
      comparison.right = try comparison.right.resolvingKeyPaths()
      return .comparison(comparison)
    }
  }
}

extension Term {
  fileprivate func resolvingKeyPaths() throws -> Term {
    switch self {
    case .keyPathOf(let base, let path):
      let base = try base.resolvingKeyPaths()
      guard case .constant(let constant) = base else { return .keyPathOf(base, path) }
      return .constant(Constant(try constant.value.value(forKeyPath: path)))
    case .assignment(let name, let term): return .assignment(name, try term.resolvingKeyPaths())
    case .function(let function, let arguments):
      return .function(function, try arguments.map { try $0.resolvingKeyPaths() })
    case .message(let selector, let receiver, let arguments):
      return .message(
        selector,
        to: try receiver.resolvingKeyPaths(),
        try arguments.map { try $0.resolvingKeyPaths() }
      )
    case .aggregate(let members): return .aggregate(try members.map { try $0.resolvingKeyPaths() })
    case .subquery(let collection, let variable, let condition):
      return .subquery(
        try collection.resolvingKeyPaths(),
        variable: variable,
        try condition.resolvingKeyPaths()
      )
    case .setOperation(let operation, let left, let right):
      return .setOperation(operation, try left.resolvingKeyPaths(), try right.resolvingKeyPaths())
    case .ternary(let condition, let yes, let no):
      return .ternary(
        try condition.resolvingKeyPaths(),
        try yes.resolvingKeyPaths(),
        try no.resolvingKeyPaths()
      )
    case .constant, .evaluatedObject, .keyPath, .variable, .anyKey, .symbolicIndex, .fetch, .opaque,
      .unusable:
      return self
    }
  }
}
