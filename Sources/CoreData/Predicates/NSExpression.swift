// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataPredicate

/// An expression that yields a value, such as an operand of a comparison or a fetched column.
///
///     let best = NSExpression(
///       forFunction: "max:", arguments: [NSExpression(forKeyPath: "wins")])
///
/// Foundation on Linux has an empty class of the same name, so the name is ambiguous in a file that also
/// imports Foundation; see DEVIATIONS.md.
///
/// Source: documented, “NSExpression”.
open class NSExpression: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Unchecked: the stored properties are immutable or mutexes. A block runs on the thread that evaluates the
  // expression.
  private let content: Content
  /// The permission that the evaluation needs; nil if the expression can always be evaluated.
  let permission: EvaluationPermission?
  private let known = Mutex<PreparedTerm?>(nil)

  private enum Content {
    case term(Term)
    /// An expression created with `init(expressionType:)`, which only a subclass can evaluate.
    case own(ExpressionType)
  }

  init(_ term: Term, permission: EvaluationPermission? = nil) {
    content = .term(term)
    self.permission = permission
  }

  /// Creates an expression from a term that is composed of `parts`; a term that is nested too deeply makes
  /// the expression unusable.
  private convenience init(limiting term: Term, of parts: [Any]) {
    self.init(term.limited, permission: .ofArguments(parts))
  }

  /// The type of an expression; raw values are Apple's.
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
    /// The type of an `NSFetchRequestExpression`; equals `NSFetchRequestExpressionType`.
    case fetchRequest = 50
  }

  /// Creates an expression of a type, for subclasses that override `expressionValue(with:context:)`.
  ///
  /// `NSExpression` itself can evaluate such an expression only if the type is `evaluatedObject` or `anyKey`.
  ///
  /// Source: documented, “NSExpression”.
  public init(expressionType type: ExpressionType) {
    switch type {
    case .evaluatedObject: content = .term(.evaluatedObject)
    case .anyKey: content = .term(.anyKey)
    default: content = .own(type)
    }
    permission = nil
  }

  /// Creates an expression from a format and the values for the placeholders in the format; stops the program
  /// if the format or a value is invalid.
  public convenience init(format expressionFormat: String, _ args: any CVarArg...) {
    self.init(Self.parse(expressionFormat, args), permission: .ofArguments(args))
  }

  /// Creates an expression from a format and an array with the values for the placeholders in the format;
  /// stops the program if the format or a value is invalid.
  public convenience init(format expressionFormat: String, argumentArray arguments: [Any]) {
    self.init(Self.parse(expressionFormat, arguments), permission: .ofArguments(arguments))
  }

  /// Unavailable, because a `va_list` on Linux cannot contain objects.
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

  /// Creates an expression whose value is constant.
  public convenience init(forConstantValue obj: Any?) {
    self.init(.constant(Constant(Value(any: obj))))
  }

  /// Creates an expression for a variable; `string` is the variable's name without `$`.
  public convenience init(forVariable string: String) { self.init(.variable(string)) }

  /// Creates an expression for the value at a key path of the evaluated object.
  ///
  /// If the path starts with `$`, as in `$x.name`, its first part is the name of a variable, and the other
  /// parts are a key path of the variable's value.
  public convenience init(forKeyPath keyPath: String) { self.init(Term(path: keyPath)) }

  /// Creates an expression for a key path of the evaluated object; stops the program if the path has no name.
  public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
    let name = KeyPathNames.requiredName(
      of: keyPath,
      remedy: "Pass the key as a string instead, as in NSExpression(forKeyPath: \"name\")."
    )
    self.init(.keyPath(name))
  }

  /// Creates a function expression from a selector such as `sum:`.
  ///
  /// Arguments that are not expressions become constants. Stops the program if no function has the selector,
  /// or if the number of arguments is wrong.
  public convenience init(forFunction name: String, arguments parameters: [Any]) {
    guard let function = Function(selector: name) else { Misuse.unknownFunction(name) }
    if function.arity != parameters.count {
      Misuse.wrongArgumentCount(parameters.count, of: function)
    }
    self.init(limiting: .function(function, parameters.map(Self.term)), of: parameters)
  }

  /// Creates an expression that sends a message to the value of `target`.
  ///
  /// Arguments that are not expressions become constants. The expression can only be evaluated in memory, and
  /// the evaluation fails if the selector is not supported.
  public convenience init(
    forFunction target: NSExpression,
    selectorName name: String,
    arguments parameters: [Any]?
  ) {
    let arguments = parameters ?? []
    self.init(
      limiting: .message(name, to: target.term, arguments.map(Self.term)),
      of: [target] + arguments
    )
  }

  /// Creates an expression whose value is an array of the values of `subexpressions`.
  ///
  /// Elements that are not expressions become constants.
  public convenience init(forAggregate subexpressions: [Any]) {
    self.init(limiting: .aggregate(subexpressions.map(Self.term)), of: subexpressions)
  }

  /// Creates an expression for the union of two collections.
  public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
    self.init(limiting: .setOperation(.union, left.term, right.term), of: [left, right])
  }

  /// Creates an expression for the intersection of two collections.
  public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
    self.init(limiting: .setOperation(.intersect, left.term, right.term), of: [left, right])
  }

  /// Creates an expression for the members of `left` that are not in `right`.
  public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
    self.init(limiting: .setOperation(.minus, left.term, right.term), of: [left, right])
  }

  /// Creates an expression for the members of a collection that match a predicate.
  ///
  /// `variable` is the name, with or without `$`, of the variable that stands for a member in the predicate.
  public convenience init(
    forSubquery expression: NSExpression,
    usingIteratorVariable variable: String,
    predicate: NSPredicate
  ) {
    let name = variable.hasPrefix("$") ? String(variable.dropFirst()) : variable
    self.init(
      limiting: .subquery(expression.term, variable: name, predicate.condition),
      of: [expression, predicate]
    )
  }

  /// Creates an expression with the value of `trueExpression` for an object that matches the predicate, and
  /// with the value of `falseExpression` for any other object.
  public convenience init(
    forConditional predicate: NSPredicate,
    trueExpression: NSExpression,
    falseExpression: NSExpression
  ) {
    self.init(
      limiting: .ternary(predicate.condition, trueExpression.term, falseExpression.term),
      of: [predicate, trueExpression, falseExpression]
    )
  }

  /// Creates an expression that a block evaluates.
  ///
  /// The block is called with the object, the arguments' values and the variables.
  public convenience init(
    block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any,
    arguments: [NSExpression]?
  ) {
    let block = ExpressionBlock(call: block, arguments: (arguments ?? []).map(\.term))
    self.init(
      .opaque(OpaqueTerm(owner: block, block.value)),
      permission: .ofArguments(arguments ?? [])
    )
  }

  /// Returns an expression for the evaluated object.
  public class func expressionForEvaluatedObject() -> NSExpression {
    NSExpression(.evaluatedObject)
  }

  /// Returns an expression for all attribute values of the evaluated object, or for all values of an
  /// evaluated dictionary.
  public class func expressionForAnyKey() -> NSExpression { NSExpression(.anyKey) }

  static func term(_ argument: Any) -> Term {
    (argument as? NSExpression)?.term ?? .constant(Constant(Value(any: argument)))
  }

  /// Returns the value of the expression for an object.
  ///
  /// `context` contains the values of variables by name, and receives the variables that the expression
  /// assigns.
  ///
  /// Stops the program if the expression cannot be evaluated.
  open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    permission?.require(for: "expression")
    let prepared = known.withLock { known in
      if let known { return known }
      switch content {
      case .term(let term):
        let prepared = PreparedTerm(term)
        known = prepared
        return prepared
      case .own(let type): Misuse.contentlessExpression(type, Swift.type(of: self))
      }
    }
    return ExpressionContext(context).value(of: prepared, object)
  }

  /// Allows the evaluation of an expression that a secure coder has decoded; without this call, the
  /// evaluation stops the program.
  ///
  /// The call also allows the parts of the expression, such as `arguments`.
  ///
  /// Source: documented, “NSExpression”; that parts are included is this library's choice.
  open func allowEvaluation() { permission?.allow() }

  /// The core's form of the expression; opaque if only a subclass can evaluate the expression.
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

  /// The type of the expression.
  open var expressionType: ExpressionType {
    switch content {
    case .term(let term): ExpressionType(term)
    case .own(let type): type
    }
  }

  /// True, because decoding does not create instances of classes that the archive names.
  public static var supportsSecureCoding: Bool { true }

  /// Decodes an expression; returns nil if the coder contains no valid expression.
  ///
  /// An expression from a secure coder cannot be evaluated before `allowEvaluation()`.
  public required init?(coder: NSCoder) {
    guard let term = coder.decodeTerm() else { return nil }
    content = .term(term)
    permission = coder.evaluationPermission
  }

  /// Encodes the expression; stops the program if the expression cannot be archived, for example because it
  /// contains a block or a managed object.
  open func encode(with coder: NSCoder) { coder.encodeArchive(of: term) }

  /// The format of the expression.
  ///
  /// Parsing the format creates an equal expression, unless the expression contains a part that formats
  /// cannot express, such as a block or a UUID.
  open override var description: String { term.format }
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSExpression).map { $0.term == term } ?? false
  }
  open override var hash: Int { term.hashValue }
  /// Returns the expression itself, because expressions are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
