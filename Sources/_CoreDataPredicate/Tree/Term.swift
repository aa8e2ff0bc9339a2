// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// An expression as a value.
package indirect enum Term: Sendable {
  case constant(Constant)
  /// The evaluated object itself (`SELF`).
  case evaluatedObject
  /// A key path on the evaluated object, operators such as `@count` included: `a.b.@count`.
  case keyPath(String)
  /// A key path on the value of another term: `$x.b`, `SUBQUERY(…).@count`.
  case keyPathOf(Term, String)
  case variable(String)
  case assignment(String, Term)
  /// A function of its arguments, as many as its `arity`.
  case function(Function, [Term])
  /// A message with arguments, sent to the value of a term: `FUNCTION(operand, "name:", …)`.
  case message(String, to: Term, [Term])
  /// `{a, b}`
  case aggregate([Term])
  case subquery(Term, variable: String, Condition)
  case setOperation(SetOperation, Term, Term)
  case ternary(Condition, Term, Term)
  case anyKey
  /// `FIRST`, `LAST` or `SIZE` as an index.
  case symbolicIndex(SymbolicIndex)
  case fetch(Term, context: Term, countOnly: Bool)
  /// A block expression, or any other that only its owner can evaluate.
  case opaque(OpaqueTerm)
  /// A term that was refused where it was made; whatever reads it fails with the reason.
  case unusable(String)

  package enum SetOperation: UInt, Sendable { case union = 5, intersect, minus }
  package enum SymbolicIndex: String, Sendable {
    case first = "FIRST", last = "LAST", size = "SIZE"
  }
}

/// An expression that cannot be read, only asked; equal to those of the same owner.
package final class OpaqueTerm: Hashable, @unchecked Sendable {
  // Unchecked: the closure is the user's, and runs where the expression is evaluated.
  package let evaluate: (_ object: Value, _ variables: [String: Value]) -> Value
  /// What it was made of, nil where it is its own.
  package let owner: AnyObject?
  package init(
    owner: AnyObject? = nil,
    _ evaluate: @escaping (_ object: Value, _ variables: [String: Value]) -> Value
  ) {
    self.owner = owner
    self.evaluate = evaluate
  }
  private var identity: ObjectIdentifier { ObjectIdentifier(owner ?? self) }
  package static func == (left: OpaqueTerm, right: OpaqueTerm) -> Bool {
    left.identity == right.identity
  }
  package func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
