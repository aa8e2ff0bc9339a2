// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The reason why a `#Predicate` cannot be converted to an `NSPredicate`.
///
/// Not in Apple's framework.
///
/// Source: this library's choice.
public struct PredicateConversionError: Error, LocalizedError, CustomStringConvertible {
  /// The part of the `#Predicate` that cannot be converted, such as `ForceCast`, a variable or a key path.
  ///
  /// If the initialiser was called on a subclass of `NSPredicate`, and the result is of another class, this
  /// is the name of the subclass.
  public let part: String
  /// A sentence that begins with `part` and says why the conversion failed.
  public let description: String
  /// The same as `description`.
  public var errorDescription: String? { description }

  init(part: String, _ reason: String) {
    self.part = part
    description = "\(part) \(reason)"
  }
}

protocol TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term
}

protocol ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition
}

/// Converts the parts of one `#Predicate` or `#Expression`, and keeps the terms to which variables are bound.
final class PredicateConversion {
  private var bindings: [PredicateExpressions.VariableID: Term] = [:]
  private var count = 0

  static func condition<Input>(_ predicate: Predicate<Input>) throws -> Condition {
    let conversion = PredicateConversion()
    conversion.bindings[predicate.variable.key] = .evaluatedObject
    return try conversion.condition(predicate.expression)
  }

  static func term<Input, Output>(_ expression: Expression<Input, Output>) throws -> Term {
    let conversion = PredicateConversion()
    conversion.bindings[expression.variable.key] = .evaluatedObject
    return try conversion.term(expression.expression)
  }

  func condition(_ part: Any) throws -> Condition {
    if let part = part as? any ConditionConvertible { return try part.condition(self) }
    return .comparison(Comparison(try term(part), .equal, .constant(Constant(.bool(true)))))
  }

  func term(_ part: Any) throws -> Term {
    if let part = part as? any TermConvertible { return try part.term(self) }
    guard let part = part as? any ConditionConvertible else { throw Self.unsupported(part) }
    return .truth(try part.condition(self))
  }

  func value(of variable: PredicateExpressions.VariableID) throws -> Term {
    guard let term = bindings[variable] else {
      throw PredicateConversionError(
        part: "A variable",
        "is not bound, because it belongs to another #Predicate or #Expression; use only the variables "
          + "that the converted #Predicate or #Expression declares"
      )
    }
    return term
  }

  func binding<Result>(
    _ variable: PredicateExpressions.VariableID,
    to term: Term,
    _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = bindings[variable]
    defer { bindings[variable] = outer }
    bindings[variable] = term
    return try body()
  }

  /// Returns a term for the members of a collection that satisfy a condition or, if `negated`, do not satisfy
  /// the condition.
  func members(
    of collection: Any,
    _ variable: PredicateExpressions.VariableID,
    where part: Any,
    negated: Bool = false
  ) throws -> Term {
    count += 1
    let name = "v\(count)"
    let source = try term(collection)
    let test = try binding(variable, to: .variable(name)) { try condition(part) }
    return .subquery(source, variable: name, negated ? .not(test) : test)
  }

  /// `reason` continues a sentence that begins with the name of the part.
  static func unsupported(
    _ part: Any,
    _ reason: String = "is not supported in Core Data predicates"
  ) -> PredicateConversionError {
    let name = "\(type(of: part))".prefix { $0 != "<" }
    return PredicateConversionError(part: String(name), reason)
  }
}

extension Condition {
  static func compare(_ left: Term, _ relation: Relation, _ right: Term) -> Condition {
    .comparison(Comparison(left, relation, right))
  }
}

extension Term {
  static func literal(_ any: Any?) -> Term { .constant(Constant(Value(any: any))) }

  static let null = Term.constant(Constant(.null))

  static func truth(_ condition: Condition) -> Term {
    .ternary(condition, .constant(Constant(.bool(true))), .constant(Constant(.bool(false))))
  }

  func appending(_ key: String) -> Term {
    switch self {
    case .evaluatedObject: .keyPath(key)
    case .keyPath(let path): .keyPath(path + "." + key)
    case .keyPathOf(let base, let path): .keyPathOf(base, path + "." + key)
    default: .keyPathOf(self, key)
    }
  }

  var isNull: Condition { .comparison(Comparison(self, .equal, .null)) }
  var isNotNull: Condition { .comparison(Comparison(self, .notEqual, .null)) }

  /// Whether the term is `base` or reads a key path of `base`.
  ///
  /// Such a term is null whenever `base` is null.
  func reads(_ base: Term) -> Bool {
    if self == base { return true }
    switch (self, base) {
    case (.keyPath(let path), .keyPath(let start)): return path.hasPrefix(start + ".")
    case (.keyPathOf(let inner, let path), .keyPathOf(let other, let start)):
      return inner == other && path.hasPrefix(start + ".") || inner == base
    case (.keyPathOf(let inner, _), _): return inner == base
    default: return false
    }
  }

  func coalesced(_ other: Term) -> Term { .ternary(isNull, other, self) }
}

extension FormatInitializable {
  /// Creates a predicate equivalent to a `#Predicate`.
  ///
  /// Not in Apple's framework.
  ///
  ///     let strong = try NSPredicate(converting: #Predicate<Team> { $0.wins > 3 })
  ///
  /// Strings are compared by their UTF-8 bytes, as in `NSPredicate`.
  /// - Throws: `PredicateConversionError` if a part cannot be converted, for example because a key path has
  ///   no name, or if `Self` is a subclass of `NSPredicate` and the result is of another class.
  /// - Source: this library's choice; Apple's initialiser returns nil instead.
  public init<Input>(converting predicate: Predicate<Input>) throws {
    let converted = NSPredicate.make(try PredicateConversion.condition(predicate))
    guard let made = converted as? Self else {
      throw PredicateConversionError(
        part: "\(Self.self)",
        "cannot be created from this #Predicate, because the converted predicate is of the class "
          + "\(converted.publicClass); call the initialiser on NSPredicate"
      )
    }
    self = made
  }

  /// Creates a predicate equivalent to a `#Predicate`; returns nil where `init(converting:)` throws an error.
  ///
  /// Source: documented, “NSPredicate”.
  public init?<Input: NSObject>(_ predicate: Predicate<Input>) {
    // The error is dropped, because Apple documents that this initialiser returns nil. A caller that needs
    // the error calls `init(converting:)`.
    guard let made = try? Self(converting: predicate) else { return nil }
    self = made
  }
}

extension NSExpression {
  /// Creates an expression equivalent to an `#Expression`; returns nil if a part cannot be converted, for
  /// example because a key path has no name.
  ///
  /// Source: documented, “NSExpression”; only one input is supported, because an `NSExpression` is evaluated
  /// with one object.
  public convenience init?<Input, Output>(_ expression: Foundation.Expression<Input, Output>) {
    // The error is dropped, because Apple documents that this initialiser returns nil.
    guard let term = try? PredicateConversion.term(expression) else { return nil }
    self.init(term)
  }
}
