// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataPredicate

/// A predicate that compares two expressions.
///
///     NSComparisonPredicate(
///       leftExpression: NSExpression(forKeyPath: "wins"),
///       rightExpression: NSExpression(forConstantValue: 3),
///       modifier: .direct, type: .greaterThan)
///
/// Source: documented (NSComparisonPredicate). Foundation's class of this name has no members on
/// Linux: a file that names the type imports CoreData alone.
open class NSComparisonPredicate: NSPredicate, ConditionCarrier {
  private let comparison: Comparison
  let core: PredicateCore

  /// How the two expressions are compared; raw values are Apple's.
  public enum Operator: UInt, Sendable {
    case lessThan = 0
    case lessThanOrEqualTo = 1
    case greaterThan = 2
    case greaterThanOrEqualTo = 3
    case equalTo = 4
    case notEqualTo = 5
    case matches = 6
    case like = 7
    case beginsWith = 8
    case endsWith = 9
    case `in` = 10
    case customSelector = 11
    case contains = 99
    case between = 100
  }

  /// Whether one, all or any of the values on the left must compare; raw values are Apple's.
  public enum Modifier: UInt, Sendable {
    case direct = 0
    case all
    case any
  }

  /// What a text comparison ignores; raw values are Apple's.
  public struct Options: OptionSet, Sendable {
    /// Apple's number.
    public let rawValue: UInt
    /// The options of Apple's number.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Case, the letter `c`.
    public static let caseInsensitive = Options(rawValue: 1)
    /// Diacritics, the letter `d`.
    public static let diacriticInsensitive = Options(rawValue: 2)
    /// Texts are compared byte for byte, the letter `n`.
    public static let normalized = Options(rawValue: 4)
    /// Texts are compared as the user's locale does, the letter `l`.
    public static let localeSensitive = Options(rawValue: 8)
  }

  /// A comparison of two expressions.
  public init(
    leftExpression lhs: NSExpression,
    rightExpression rhs: NSExpression,
    modifier: Modifier,
    type: Operator,
    options: Options = []
  ) {
    let relation = Relation(rawValue: type.rawValue) ?? .equal
    comparison =
      Comparison(
        lhs.term,
        relation,
        rhs.term,
        modifier: Comparison.Modifier(rawValue: modifier.rawValue) ?? .direct,
        options: TextOptions(rawValue: options.rawValue)
      ).limited
    core = PredicateCore(.comparison(comparison))
    super.init(value: false)
  }

  /// A comparison by a message, such as `isEqual:`.
  public init(
    leftExpression lhs: NSExpression,
    rightExpression rhs: NSExpression,
    customSelector selector: Selector
  ) {
    comparison =
      Comparison(lhs.term, .customSelector, rhs.term, selector: selector.name).limited
    core = PredicateCore(.comparison(comparison))
    super.init(value: false)
  }

  package init(_ comparison: Comparison, isEvaluationAllowed: Bool = true) {
    self.comparison = comparison
    core = PredicateCore(.comparison(comparison), isEvaluationAllowed: isEvaluationAllowed)
    super.init(value: false)
  }

  /// The comparison that a coder holds, nil where it holds none.
  ///
  /// From a secure coder it is not evaluated before `allowEvaluation()`.
  public required init?(coder: NSCoder) {
    guard let condition = coder.decodeCondition(),
      case .comparison(let comparison) = condition
    else { return nil }
    self.comparison = comparison
    core = PredicateCore(condition, isEvaluationAllowed: !coder.requiresSecureCoding)
    super.init(value: false)
  }

  /// How the expressions are compared.
  open var predicateOperatorType: Operator {
    Operator(rawValue: comparison.relation.rawValue) ?? .equalTo
  }
  /// Whether one, all or any of the values on the left must compare.
  open var comparisonPredicateModifier: Modifier {
    Modifier(rawValue: comparison.modifier.rawValue) ?? .direct
  }
  /// The left side.
  open var leftExpression: NSExpression { NSExpression.make(comparison.left) }
  /// The right side.
  open var rightExpression: NSExpression { NSExpression.make(comparison.right) }
  /// The message that compares, nil unless the operator is `customSelector`.
  open var customSelector: Selector? { comparison.selector.map { Selector($0) } }
  /// What a text comparison ignores.
  open var options: Options { Options(rawValue: comparison.options.rawValue) }

  /// The format; parsing it gives an equal predicate.
  open override var predicateFormat: String { core.condition.format }
  /// The format.
  open override var description: String { core.condition.format }
  /// Whether the comparison holds for an object.
  open override func evaluate(with object: Any?) -> Bool { core.evaluate(object, nil) }
  /// Whether the comparison holds for an object, with values for variables by name without `$`.
  open override func evaluate(
    with object: Any?,
    substitutionVariables bindings: [String: Any]?
  ) -> Bool {
    core.evaluate(object, bindings)
  }
  open override func isEqual(_ object: Any?) -> Bool { core.isEqual(object) }
  open override var hash: Int { core.condition.hashValue }
  open override func copy(with zone: NSZone? = nil) -> Any { self }
}
