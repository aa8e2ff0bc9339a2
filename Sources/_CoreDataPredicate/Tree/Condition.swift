// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A predicate as a value, which can be parsed, printed, evaluated and compiled to SQL.
package indirect enum Condition: Hashable, Sendable {
  case constant(Bool)
  case comparison(Comparison)
  case and([Condition])
  case or([Condition])
  case not(Condition)
  /// A block predicate, or another predicate that can only be evaluated by calling it.
  case opaque(OpaqueCondition)
}

/// A comparison of two terms.
package struct Comparison: Hashable, Sendable {
  package enum Modifier: UInt, Sendable { case direct = 0, all, any }
  package var left: Term
  package var relation: Relation
  package var right: Term
  package var modifier: Modifier
  package var options: TextOptions
  /// The selector of a `.customSelector`, such as `isKindOfClass:` or `UTI-EQUALS`; nil for other operators.
  package var selector: String?
  package init(
    _ left: Term,
    _ relation: Relation,
    _ right: Term,
    modifier: Modifier = .direct,
    options: TextOptions = [],
    selector: String? = nil
  ) {
    self.selector = selector
    self.left = left
    self.relation = relation
    self.right = right
    self.modifier = modifier
    self.options = options
  }
}

/// The operator of a comparison; the raw values are those of `NSComparisonPredicate.Operator`.
package enum Relation: UInt, Sendable, CaseIterable {
  case lessThan = 0
  case lessThanOrEqual = 1
  case greaterThan = 2
  case greaterThanOrEqual = 3
  case equal = 4
  case notEqual = 5
  case matches = 6
  case like = 7
  case beginsWith = 8
  case endsWith = 9
  case `in` = 10
  case customSelector = 11
  case contains = 99
  case between = 100
}

/// The options of an operator, written in brackets after the operator; the raw values are those of
/// `NSComparisonPredicate.Options`.
package struct TextOptions: OptionSet, Hashable, Sendable {
  package let rawValue: UInt
  package init(rawValue: UInt) { self.rawValue = rawValue }
  package static let caseInsensitive = TextOptions(rawValue: 1)
  package static let diacriticInsensitive = TextOptions(rawValue: 2)
  package static let normalized = TextOptions(rawValue: 4)
  package static let localeSensitive = TextOptions(rawValue: 8)
}

/// A condition that a closure evaluates, and that SQL and format strings cannot express.
///
/// Two opaque conditions are equal if they have the same owner.
package final class OpaqueCondition: Hashable, @unchecked Sendable {
  // Unchecked: the program supplies the closure, which runs on the thread that evaluates the predicate.
  package let evaluate: (_ object: Value, _ variables: [String: Value]) -> Bool
  /// The predicate from which the condition was created; a condition without an owner equals only itself.
  package let owner: AnyObject?
  package init(
    owner: AnyObject? = nil,
    _ evaluate: @escaping (_ object: Value, _ variables: [String: Value]) -> Bool
  ) {
    self.owner = owner
    self.evaluate = evaluate
  }
  private var identity: ObjectIdentifier { ObjectIdentifier(owner ?? self) }
  package static func == (left: OpaqueCondition, right: OpaqueCondition) -> Bool {
    left.identity == right.identity
  }
  package func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
