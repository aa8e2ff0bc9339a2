// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// An expression tree: the value-type counterpart of `NSExpression`.
package indirect enum Term: Sendable {
  case constant(Constant)
  /// The evaluated object (`SELF`).
  case evaluatedObject
  /// A key path of the evaluated object, which may have collection operators: `a.b.@count`.
  case keyPath(String)
  /// A key path of the value of another term: `$x.b`, `SUBQUERY(…).@count`.
  case keyPathOf(Term, String)
  case variable(String)
  case assignment(String, Term)
  /// A call of a function with its arguments, whose number is the function's `arity`.
  case function(Function, [Term])
  /// A message with arguments, sent to the value of a term: `FUNCTION(operand, "name:", …)`.
  case message(String, to: Term, [Term])
  /// An aggregate expression: an array of terms, such as `{a, b}`.
  case aggregate([Term])
  case subquery(Term, variable: String, Condition)
  case setOperation(SetOperation, Term, Term)
  case ternary(Condition, Term, Term)
  case anyKey
  /// `FIRST`, `LAST` or `SIZE` as an index.
  case symbolicIndex(SymbolicIndex)
  case fetch(Term, context: Term, countOnly: Bool)
  /// A block expression, or another expression that can only be evaluated by calling it.
  case opaque(OpaqueTerm)
  /// A term that was invalid when it was created; evaluating it throws an error with the reason.
  case unusable(String)

  package enum SetOperation: UInt, Sendable { case union = 5, intersect, minus }
  package enum SymbolicIndex: String, Sendable {
    case first = "FIRST", last = "LAST", size = "SIZE"
  }
}

/// An expression whose value a closure returns, and that SQL and format strings cannot express.
///
/// Two opaque terms are equal if they have the same owner.
package final class OpaqueTerm: Hashable, @unchecked Sendable {
  // Unchecked: the program supplies the closure, which runs on the thread that evaluates the expression.
  package let evaluate: (_ object: Value, _ variables: [String: Value]) -> Value
  /// The expression or block from which the term was created; a term without an owner equals only itself.
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
