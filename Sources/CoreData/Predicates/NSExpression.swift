// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import Foundation

/// An expression: a side of a comparison, or a column of a fetch.
///
///     let best = NSExpression(
///       forFunction: "max:", arguments: [NSExpression(forKeyPath: "wins")])
///
/// Source: documented (NSExpression). Foundation's class of this name has no members on Linux: a file
/// that names the type imports CoreData alone.
open class NSExpression: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: immutable; blocks run on the caller's thread.
  /// What the expression says.
  package let term: Term

  package init(_ term: Term) { self.term = term }

  /// The kinds of expression; raw values are Apple's.
  public enum ExpressionType: UInt, Sendable {
    case constantValue = 0
    case evaluatedObject = 1
    case variable = 2
    case keyPath = 3
    case function = 4
    case unionSet = 5
    case intersectSet = 6
    case minusSet = 7
    case subquery = 13
    case aggregate = 14
    case anyKey = 15
    case block = 19
    case conditional = 20
    /// `NSFetchRequestExpressionType`
    case fetchRequest = 50
  }

  /// The expression that a format describes; one that cannot be parsed stops the program.
  public init(format expressionFormat: String, _ args: any CVarArg...) {
    term = Self.parse(expressionFormat, args)
  }

  /// The expression that a format describes; one that cannot be parsed stops the program.
  public init(format expressionFormat: String, argumentArray arguments: [Any]) {
    term = Self.parse(expressionFormat, arguments)
  }

  private static func parse(_ format: String, _ arguments: [Any]) -> Term {
    do {
      return try Term(format: format, arguments: arguments.map { FormatArgument(any: $0) })
    } catch let error as FormatError {
      Misuse.unparsableFormat(format, error.debugDescription)
    } catch {
      Misuse.unparsableFormat(format, "\(error)")
    }
  }

  /// A constant.
  public init(forConstantValue obj: Any?) { term = .constant(Constant(Value(any: obj))) }

  /// The value of a variable, named without `$`.
  public init(forVariable string: String) { term = .variable(string) }

  /// The value at a key path of the evaluated object.
  public init(forKeyPath keyPath: String) { term = .keyPath(keyPath) }

  /// The value at a key path of the evaluated object; a path without a known name stops the program.
  public init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
    term = .keyPath(KeyPathNames.requiredName(of: keyPath))
  }

  /// A function of expressions, by its selector such as `sum:`; an unknown one stops the program.
  public init(forFunction name: String, arguments parameters: [Any]) {
    guard ExpressionFunction.arity[name] == parameters.count else {
      Misuse.unsupportedFunction(name)
    }
    term = .function(name, parameters.map(Self.term), operand: nil)
  }

  /// A message to the value of an expression; evaluated in memory, for known selectors alone.
  public init(
    forFunction target: NSExpression,
    selectorName name: String,
    arguments parameters: [Any]?
  ) {
    term = .function(name, (parameters ?? []).map(Self.term), operand: target.term)
  }

  /// An array of expressions.
  public init(forAggregate subexpressions: [Any]) {
    term = .aggregate(subexpressions.map(Self.term))
  }

  /// The union of two collections.
  public init(forUnionSet left: NSExpression, with right: NSExpression) {
    term = .setOperation(.union, left.term, right.term)
  }

  /// What two collections have in common.
  public init(forIntersectSet left: NSExpression, with right: NSExpression) {
    term = .setOperation(.intersect, left.term, right.term)
  }

  /// A collection without what another holds.
  public init(forMinusSet left: NSExpression, with right: NSExpression) {
    term = .setOperation(.minus, left.term, right.term)
  }

  /// The members of a collection for which a predicate on `variable` holds.
  public init(
    forSubquery expression: NSExpression,
    usingIteratorVariable variable: String,
    predicate: NSPredicate
  ) {
    let name = variable.hasPrefix("$") ? String(variable.dropFirst()) : variable
    term = .subquery(expression.term, variable: name, predicate.condition)
  }

  /// One of two expressions, as a predicate decides.
  public init(
    forConditional predicate: NSPredicate,
    trueExpression: NSExpression,
    falseExpression: NSExpression
  ) {
    term = .ternary(predicate.condition, trueExpression.term, falseExpression.term)
  }

  /// The result of a block, called with the object, the arguments' values and the variables.
  public init(
    block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any,
    arguments: [NSExpression]?
  ) {
    let terms = (arguments ?? []).map(\.term)
    term = .opaque(
      OpaqueTerm { object, variables in
        let values = terms.map { term -> Any in
          (try? term.evaluate(with: object, variables: variables))?.any ?? NSNull()
        }
        let context = NSMutableDictionary()
        for (name, value) in variables { context[name] = value.any ?? NSNull() }
        return Value(any: block(object.any, values, context))
      }
    )
  }

  /// The evaluated object.
  public class func expressionForEvaluatedObject() -> NSExpression {
    NSExpression(.evaluatedObject)
  }

  /// Any key, for Spotlight queries; it has no value in memory.
  public class func expressionForAnyKey() -> NSExpression { NSExpression(.anyKey) }

  private static func term(_ argument: Any) -> Term {
    (argument as? NSExpression)?.term ?? .constant(Constant(Value(any: argument)))
  }

  /// The value for an object; `context` holds variables by name and takes assigned ones.
  ///
  /// An expression that cannot be evaluated stops the program.
  open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    var variables: [String: Value] = [:]
    for (key, value) in context ?? [:] {
      if let name = key as? String { variables[name] = Value(any: value).evaluated }
    }
    do {
      return try term.evaluate(with: Value(any: object).evaluated, variables: variables).any
    } catch let error as UnknownKey {
      Misuse.undefinedKey(error)
    } catch {
      Misuse.failedEvaluation("\(error)")
    }
  }

  /// The format; parsing it gives an equal expression.
  open override var description: String { term.format }
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSExpression).map { $0.term == term } ?? false
  }
  open override var hash: Int { term.hashValue }
  /// The same object: expressions do not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
