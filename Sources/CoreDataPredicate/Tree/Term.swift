// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import Foundation

/// An expression as a value.
package indirect enum Term: Hashable, Sendable {
  case constant(Constant)
  /// The evaluated object itself (`SELF`).
  case evaluatedObject
  /// A key path on the evaluated object, operators such as `@count` included: `a.b.@count`.
  case keyPath(String)
  /// A key path on the value of another term: `$x.b`, `SUBQUERY(…).@count`.
  case keyPathOf(Term, String)
  case variable(String)
  case assignment(String, Term)
  /// A function by its selector (`add:to:`); the operand is set for `FUNCTION(operand, "name:", …)`.
  case function(String, [Term], operand: Term?)
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

  package enum SetOperation: UInt, Sendable { case union = 5, intersect, minus }
  package enum SymbolicIndex: String, Sendable {
    case first = "FIRST", last = "LAST", size = "SIZE"
  }
}

/// A value in a term, comparable so that trees are.
package struct Constant: Hashable, Sendable {
  package let value: Value
  package init(_ value: Value) { self.value = value }
}

/// An expression that cannot be read, only asked; equal to itself alone.
package final class OpaqueTerm: Hashable, @unchecked Sendable {
  // Unchecked: the closure is the user's, and runs where the expression is evaluated.
  package let evaluate: (_ object: Value, _ variables: [String: Value]) -> Value
  package init(_ evaluate: @escaping (_ object: Value, _ variables: [String: Value]) -> Value) {
    self.evaluate = evaluate
  }
  package static func == (left: OpaqueTerm, right: OpaqueTerm) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Constant {
  /// Equality of kind and content; objects are equal to themselves alone.
  package static func == (left: Constant, right: Constant) -> Bool {
    switch (left.value, right.value) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.bool(let a), .int(let b)), (.int(let b), .bool(let a)): (a ? 1 : 0) == b
    case (.double(let a), .double(let b)), (.date(let a), .date(let b)): a == b
    case (.int(let a), .double(let b)), (.double(let b), .int(let a)): Double(a) == b
    case (.decimal(let a), .decimal(let b)): a == b
    case (.decimal(let a), .int(let b)), (.int(let b), .decimal(let a)): a == Decimal(b)
    case (.decimal(let a), .double(let b)), (.double(let b), .decimal(let a)):
      NSDecimalNumber(decimal: a).doubleValue == b
    case (.text(let a), .text(let b)): a == b
    case (.data(let a), .data(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.url(let a), .url(let b)): a == b
    case (.key(let a), .key(let b)): a == b
    case (.object(let a), .object(let b)): a === b
    case (.collection(let a), .collection(let b)):
      a.kind == b.kind && a.members.map(Constant.init) == b.members.map(Constant.init)
    case (.dictionary(let a), .dictionary(let b)):
      a.mapValues(Constant.init) == b.mapValues(Constant.init)
    case (.opaque(let a), .opaque(let b)):
      (a as? AnyHashable).flatMap { left in (b as? AnyHashable).map { left == $0 } } ?? false
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch value {
    case .null: hasher.combine(0)
    case .bool(let flag): hasher.combine(flag ? 1.0 : 0.0)
    case .int(let number): hasher.combine(Double(number))
    case .double(let number), .date(let number): hasher.combine(number)
    case .decimal(let number): hasher.combine(NSDecimalNumber(decimal: number).doubleValue)
    case .text(let text): hasher.combine(text)
    case .data(let data): hasher.combine(data)
    case .uuid(let uuid): hasher.combine(uuid)
    case .url(let url): hasher.combine(url)
    case .key(let key): hasher.combine(key)
    case .object(let object): hasher.combine(ObjectIdentifier(object))
    case .collection(let collection): hasher.combine(collection.members.count)
    case .dictionary(let dictionary): hasher.combine(dictionary.count)
    case .opaque: hasher.combine(1)
    }
  }
}
