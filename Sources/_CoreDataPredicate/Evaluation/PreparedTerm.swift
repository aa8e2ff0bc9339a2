// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// An expression made ready for many objects.
///
///     let prepared = PreparedTerm(term)
///     let values = try objects.map { try prepared.value(for: .object($0)) }
package struct PreparedTerm: Sendable {
  /// The expression that was prepared.
  package let term: Term
  private let root: TermNode

  /// - Complexity: O(size of the expression and of its constants).
  package init(_ term: Term) {
    self.term = term
    root = TermNode(term)
  }

  /// The value of the expression for a value in memory.
  ///
  /// - Throws: `EvaluationError` or `UnknownKey`, and what a `KeyedObject` throws.
  package func value(for object: Value, variables: [String: Value] = [:]) throws -> Value {
    var variables = variables
    return try root.value(of: object, &variables)
  }

  /// The value of the expression, which may read and assign variables.
  ///
  /// - Throws: As `value(for:variables:)`; variables that were assigned before the error stay assigned.
  package func value(
    for object: Value,
    updating variables: inout [String: Value]
  ) throws -> Value {
    try root.value(of: object, &variables)
  }
}

extension Term {
  /// The value of the expression for one value in memory.
  ///
  /// It prepares the expression; for many objects prepare it once, as a `PreparedTerm`.
  /// - Throws: `EvaluationError` or `UnknownKey`, and what a `KeyedObject` throws.
  package func evaluate(with object: Value, variables: [String: Value] = [:]) throws -> Value {
    try PreparedTerm(self).value(for: object, variables: variables)
  }
}
