// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Condition {
  /// The same condition with the values of key paths that start at constants, as `$FETCH_SOURCE.name`
  /// does once its variable has been replaced.
  ///
  /// - Throws: `UnknownKey`, and what the constants' objects throw.
  package func settlingKeyPaths() throws -> Condition {
    switch self {
    case .constant, .opaque: return self
    case .and(let members): return .and(try members.map { try $0.settlingKeyPaths() })
    case .or(let members): return .or(try members.map { try $0.settlingKeyPaths() })
    case .not(let member): return .not(try member.settlingKeyPaths())
    case .comparison(var comparison):
      comparison.left = try comparison.left.settlingKeyPaths()
      comparison.right = try comparison.right.settlingKeyPaths()
      return .comparison(comparison)
    }
  }
}

extension Term {
  fileprivate func settlingKeyPaths() throws -> Term {
    switch self {
    case .keyPathOf(let base, let path):
      let base = try base.settlingKeyPaths()
      guard case .constant(let constant) = base else { return .keyPathOf(base, path) }
      return .constant(Constant(try constant.value.value(forKeyPath: path)))
    case .assignment(let name, let term): return .assignment(name, try term.settlingKeyPaths())
    case .function(let selector, let arguments, let operand):
      return .function(
        selector,
        try arguments.map { try $0.settlingKeyPaths() },
        operand: try operand.map { try $0.settlingKeyPaths() }
      )
    case .aggregate(let members): return .aggregate(try members.map { try $0.settlingKeyPaths() })
    case .subquery(let collection, let variable, let condition):
      return .subquery(
        try collection.settlingKeyPaths(),
        variable: variable,
        try condition.settlingKeyPaths()
      )
    case .setOperation(let operation, let left, let right):
      return .setOperation(operation, try left.settlingKeyPaths(), try right.settlingKeyPaths())
    case .ternary(let condition, let yes, let no):
      return .ternary(
        try condition.settlingKeyPaths(),
        try yes.settlingKeyPaths(),
        try no.settlingKeyPaths()
      )
    case .constant, .evaluatedObject, .keyPath, .variable, .anyKey, .symbolicIndex, .fetch, .opaque,
      .unusable:
      return self
    }
  }
}
