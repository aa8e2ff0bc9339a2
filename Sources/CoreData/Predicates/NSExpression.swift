// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataPredicate

/// An expression: a side of a comparison, or a column of a fetch.
///
///     let best = NSExpression(
///       forFunction: "max:", arguments: [NSExpression(forKeyPath: "wins")])
///
/// Source: documented (NSExpression). Foundation's class of this name has no members on Linux: a file
/// that names the type imports CoreData alone.
open class NSExpression: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Unchecked: what changes is behind a mutex; blocks run on the caller's thread.
  private let content: Content
  private struct State {
    var isEvaluationAllowed: Bool
    /// The term made ready for many objects, once it has been evaluated.
    var prepared: PreparedTerm?
  }
  private let state: Mutex<State>

  private enum Content {
    case term(Term)
    /// A subclass of the program, which evaluates itself.
    case own(ExpressionType)
  }

  package init(_ term: Term) {
    content = .term(term)
    state = Mutex(State(isEvaluationAllowed: true))
  }

  /// The expression of a term made in code; one that is nested too deeply gives the reason when it is
  /// used.
  private convenience init(limiting term: Term) { self.init(term.limited) }

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

  /// An expression of a kind, for subclasses that override `expressionValue(with:context:)`.
  ///
  /// Of NSExpression itself, only the kinds that need nothing else have a value.
  /// Source: documented (NSExpression).
  public init(expressionType type: ExpressionType) {
    switch type {
    case .evaluatedObject: content = .term(.evaluatedObject)
    case .anyKey: content = .term(.anyKey)
    default: content = .own(type)
    }
    state = Mutex(State(isEvaluationAllowed: true))
  }

  /// The expression that a format describes; one that cannot be parsed stops the program.
  public convenience init(format expressionFormat: String, _ args: any CVarArg...) {
    self.init(Self.parse(expressionFormat, args))
  }

  /// The expression that a format describes; one that cannot be parsed stops the program.
  public convenience init(format expressionFormat: String, argumentArray arguments: [Any]) {
    self.init(Self.parse(expressionFormat, arguments))
  }

  /// Absent: a `va_list` holds no objects on Linux, and cannot be read without knowing its types.
  @available(*, unavailable, message: "use init(format:argumentArray:)")
  public convenience init(format expressionFormat: String, arguments argList: CVaListPointer) {
    self.init(.evaluatedObject)
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
  public convenience init(forConstantValue obj: Any?) {
    self.init(.constant(Constant(Value(any: obj))))
  }

  /// The value of a variable, named without `$`.
  public convenience init(forVariable string: String) { self.init(.variable(string)) }

  /// The value at a key path of the evaluated object.
  ///
  /// A path that starts with `$` is that of a variable's value: `$x.name`.
  public convenience init(forKeyPath keyPath: String) { self.init(Term(path: keyPath)) }

  /// The value at a key path of the evaluated object; a path without a known name stops the program.
  public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
    self.init(.keyPath(KeyPathNames.requiredName(of: keyPath)))
  }

  /// A function of expressions, by its selector such as `sum:`; an unknown one stops the program.
  public convenience init(forFunction name: String, arguments parameters: [Any]) {
    guard let function = Function(selector: name), function.arity == parameters.count else {
      Misuse.unsupportedFunction(name)
    }
    self.init(limiting: .function(function, parameters.map(Self.term)))
  }

  /// A message to the value of an expression; evaluated in memory, for known selectors alone.
  public convenience init(
    forFunction target: NSExpression,
    selectorName name: String,
    arguments parameters: [Any]?
  ) {
    self.init(limiting: .message(name, to: target.term, (parameters ?? []).map(Self.term)))
  }

  /// An array of expressions.
  public convenience init(forAggregate subexpressions: [Any]) {
    self.init(limiting: .aggregate(subexpressions.map(Self.term)))
  }

  /// The union of two collections.
  public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
    self.init(limiting: .setOperation(.union, left.term, right.term))
  }

  /// What two collections have in common.
  public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
    self.init(limiting: .setOperation(.intersect, left.term, right.term))
  }

  /// A collection without what another holds.
  public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
    self.init(limiting: .setOperation(.minus, left.term, right.term))
  }

  /// The members of a collection for which a predicate on `variable` holds.
  public convenience init(
    forSubquery expression: NSExpression,
    usingIteratorVariable variable: String,
    predicate: NSPredicate
  ) {
    let name = variable.hasPrefix("$") ? String(variable.dropFirst()) : variable
    self.init(limiting: .subquery(expression.term, variable: name, predicate.condition))
  }

  /// One of two expressions, as a predicate decides.
  public convenience init(
    forConditional predicate: NSPredicate,
    trueExpression: NSExpression,
    falseExpression: NSExpression
  ) {
    self.init(
      limiting: .ternary(predicate.condition, trueExpression.term, falseExpression.term)
    )
  }

  /// The result of a block, called with the object, the arguments' values and the variables.
  public convenience init(
    block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any,
    arguments: [NSExpression]?
  ) {
    let block = ExpressionBlock(call: block, arguments: (arguments ?? []).map(\.term))
    self.init(.opaque(OpaqueTerm(owner: block, block.value)))
  }

  /// The evaluated object.
  public class func expressionForEvaluatedObject() -> NSExpression {
    NSExpression(.evaluatedObject)
  }

  /// Any key, for Spotlight queries; it has no value in memory.
  public class func expressionForAnyKey() -> NSExpression { NSExpression(.anyKey) }

  static func term(_ argument: Any) -> Term {
    (argument as? NSExpression)?.term ?? .constant(Constant(Value(any: argument)))
  }

  /// The value for an object; `context` holds variables by name, and takes those that are assigned.
  ///
  /// An expression that cannot be evaluated stops the program.
  open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    let prepared = state.withLock { state in
      if !state.isEvaluationAllowed { Misuse.disabledEvaluation("expression") }
      if state.prepared == nil, case .term(let term) = content {
        state.prepared = PreparedTerm(term)
      }
      return state.prepared
    }
    guard let prepared else {
      Misuse.absentPart("expressionValueWithObject:context:", of: "\(type(of: self))")
    }
    return ExpressionContext(context).value(of: prepared, object)
  }

  /// Lets an expression be evaluated that was read from a secure archive.
  ///
  /// Until then evaluating it stops the program. Source: documented (NSExpression).
  open func allowEvaluation() { state.withLock { $0.isEvaluationAllowed = true } }

  /// What the expression says; subclasses of the program's own are opaque.
  package var term: Term {
    switch content {
    case .term(let term): return term
    case .own:
      return .opaque(
        OpaqueTerm(owner: self) { [self] object, variables in
          let context = ExpressionContext(variables).dictionary
          return Value(any: expressionValue(with: object.any, context: context))
        }
      )
    }
  }

  /// The kind of the expression.
  open var expressionType: ExpressionType {
    switch content {
    case .term(let term): ExpressionType(term)
    case .own(let type): type
    }
  }

  /// True: the archive holds data alone.
  public static var supportsSecureCoding: Bool { true }

  /// The expression that a coder holds, nil where it holds none.
  ///
  /// From a secure coder it is not evaluated before `allowEvaluation()`.
  public required init?(coder: NSCoder) {
    guard let term = coder.decodeTerm() else { return nil }
    content = .term(term)
    state = Mutex(State(isEvaluationAllowed: !coder.requiresSecureCoding))
  }

  /// Encodes the expression; blocks, and constants that are managed objects, stop the program.
  open func encode(with coder: NSCoder) { coder.encodeArchive(of: term) }

  /// The format; parsing it gives an equal expression.
  open override var description: String { term.format }
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSExpression).map { $0.term == term } ?? false
  }
  open override var hash: Int { term.hashValue }
  /// The same object: expressions do not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
