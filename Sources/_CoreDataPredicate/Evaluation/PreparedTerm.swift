// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// An expression prepared for evaluation with many objects.
///
///     let prepared = PreparedTerm(term)
///     let values = try objects.map { try prepared.value(for: .object($0)) }
package struct PreparedTerm: Sendable {
  /// The expression before it was prepared.
  package let term: Term
  private let root: TermNode

  /// Prepares an expression.
  ///
  /// - Complexity: O(size of the expression and of its constants).
  package init(_ term: Term) {
    self.term = term
    root = TermNode(term)
  }

  /// Returns the value of the expression, evaluated with `object`.
  ///
  /// - Throws: `EvaluationError` or `UnknownKey`, and the errors of a `KeyedObject`.
  package func value(for object: Value, variables: [String: Value] = [:]) throws -> Value {
    var variables = variables
    return try root.value(of: object, &variables)
  }

  /// Returns the value of the expression, which can read and assign `variables`.
  ///
  /// - Throws: the errors of `value(for:variables:)`. Variables that were assigned before the error keep
  ///   their new values.
  package func value(
    for object: Value,
    updating variables: inout [String: Value]
  ) throws -> Value {
    try root.value(of: object, &variables)
  }
}

extension Term {
  /// Returns the value of the expression, evaluated with `object`.
  ///
  /// Prepares the expression on every call; for many objects, create a `PreparedTerm` instead.
  /// - Throws: `EvaluationError` or `UnknownKey`, and the errors of a `KeyedObject`.
  package func evaluate(with object: Value, variables: [String: Value] = [:]) throws -> Value {
    try PreparedTerm(self).value(for: object, variables: variables)
  }
}
