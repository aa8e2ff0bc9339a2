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
/// Foundation on Linux has an empty class of the same name, so the name is ambiguous in a file that also
/// imports Foundation; see DEVIATIONS.md.
///
/// Source: documented, “NSComparisonPredicate”.
open class NSComparisonPredicate: NSPredicate, ConditionCarrier {
  private let comparison: Comparison
  let core: PredicateCore

  /// The operator of a comparison; raw values are Apple's.
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

  /// Whether the comparison applies to the left value as a whole, or must hold for all or for any of the
  /// members of the left value; raw values are Apple's.
  public enum Modifier: UInt, Sendable {
    case direct = 0
    case all
    case any
  }

  /// Options of string comparisons; raw values are Apple's.
  public struct Options: OptionSet, Sendable {
    /// The options as a bit mask.
    public let rawValue: UInt
    /// Creates options from a bit mask.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Ignores case; written `c` in formats.
    public static let caseInsensitive = Options(rawValue: 1)
    /// Ignores diacritics; written `d` in formats.
    public static let diacriticInsensitive = Options(rawValue: 2)
    /// Compares byte by byte, and overrides the other options; written `n` in formats.
    public static let normalized = Options(rawValue: 4)
    /// Compares by the rules of the current locale, except with `LIKE` and `MATCHES`; written `l` in formats.
    public static let localeSensitive = Options(rawValue: 8)
  }

  /// Creates a comparison of two expressions.
  ///
  /// If an expression is nested too deeply, the comparison cannot be evaluated.
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
    core = PredicateCore(.comparison(comparison), permission: .ofArguments([lhs, rhs]))
    super.init(value: false)
  }

  /// Creates a comparison by a selector, such as `isEqual:`.
  ///
  /// If the selector is not supported, or an expression is nested too deeply, the comparison cannot be
  /// evaluated.
  public init(
    leftExpression lhs: NSExpression,
    rightExpression rhs: NSExpression,
    customSelector selector: Selector
  ) {
    comparison =
      Comparison(lhs.term, .customSelector, rhs.term, selector: selector.name).limited
    core = PredicateCore(.comparison(comparison), permission: .ofArguments([lhs, rhs]))
    super.init(value: false)
  }

  init(_ comparison: Comparison, permission: EvaluationPermission?) {
    self.comparison = comparison
    core = PredicateCore(.comparison(comparison), permission: permission)
    super.init(value: false)
  }

  /// Decodes a comparison; returns nil if the coder contains no valid comparison.
  ///
  /// A comparison from a secure coder cannot be evaluated before `allowEvaluation()`.
  public required init?(coder: NSCoder) {
    guard let condition = coder.decodeCondition(),
      case .comparison(let comparison) = condition
    else { return nil }
    self.comparison = comparison
    core = PredicateCore(condition, permission: coder.evaluationPermission)
    super.init(value: false)
  }

  /// The comparison operator.
  open var predicateOperatorType: Operator {
    Operator(rawValue: comparison.relation.rawValue) ?? .equalTo
  }
  /// Whether the comparison applies to the left value as a whole, or must hold for all or for any of the
  /// members of the left value.
  open var comparisonPredicateModifier: Modifier {
    Modifier(rawValue: comparison.modifier.rawValue) ?? .direct
  }
  /// The left operand.
  open var leftExpression: NSExpression { operand(comparison.left) }
  /// The right operand.
  open var rightExpression: NSExpression { operand(comparison.right) }
  private func operand(_ term: Term) -> NSExpression {
    NSExpression.make(term, permission: .ofPart(of: core.permission))
  }
  /// The selector that compares the values; nil if the operator is not `customSelector`.
  open var customSelector: Selector? { comparison.selector.map { Selector($0) } }
  /// The options of string comparisons.
  open var options: Options { Options(rawValue: comparison.options.rawValue) }

  /// The comparison as a format string, equal to `canonicalFormat`.
  open override var predicateFormat: String { core.condition.format }
  /// The same as `predicateFormat`.
  open override var description: String { core.condition.format }
  /// Returns whether the comparison holds for an object; stops the program if the comparison cannot be
  /// evaluated.
  open override func evaluate(with object: Any?) -> Bool { core.evaluate(object, nil) }
  /// Returns whether the comparison holds for an object; stops the program if the comparison cannot be
  /// evaluated.
  ///
  /// `bindings` contains the values of variables by name, without `$`.
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
