// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Why a `#Predicate` cannot become an `NSPredicate`.
///
/// Not in Apple's framework.
///
/// Source: chosen.
public struct PredicateConversionError: Error, LocalizedError, CustomStringConvertible {
  /// The part that has no counterpart, such as `ForceCast`, or a key path without a name.
  public let part: String
  /// What is wrong with it.
  public let description: String
  /// The description.
  public var errorDescription: String? { description }

  init(part: String, _ reason: String) {
    self.part = part
    description = "\(part) \(reason)"
  }
}

/// A part of a `#Predicate` that gives a value.
protocol TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term
}

/// A part of a `#Predicate` that gives true or false.
protocol ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition
}

/// The walk over the parts of a `#Predicate`, and what its variables stand for.
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

  /// What a variable stands for.
  func value(of variable: PredicateExpressions.VariableID) throws -> Term {
    guard let term = bindings[variable] else {
      throw PredicateConversionError(part: "A variable", "belongs to another predicate")
    }
    return term
  }

  /// What `body` gives while a variable stands for a term.
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

  /// The members of a collection for which a part holds.
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

  static func unsupported(_ part: Any) -> PredicateConversionError {
    let name = "\(type(of: part))".prefix { $0 != "<" }
    return PredicateConversionError(
      part: String(name),
      "has no counterpart in the predicates of Core Data"
    )
  }
}

extension Condition {
  /// A comparison of two terms.
  static func compare(_ left: Term, _ relation: Relation, _ right: Term) -> Condition {
    .comparison(Comparison(left, relation, right))
  }
}

extension Term {
  /// A constant for any Swift or Foundation value.
  static func literal(_ any: Any?) -> Term { .constant(Constant(Value(any: any))) }

  static let null = Term.constant(Constant(.null))

  /// A condition as a value.
  static func truth(_ condition: Condition) -> Term {
    .ternary(condition, .constant(Constant(.bool(true))), .constant(Constant(.bool(false))))
  }

  /// The value of a key of this term's value.
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

  /// Whether the term is null wherever `base` is, because it only reads from it.
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

  /// The first of two values that is not null.
  func coalesced(_ other: Term) -> Term { .ternary(isNull, other, self) }
}

extension FormatInitializable {
  /// The predicate that says the same as a `#Predicate` over a generated class, or any class with
  /// names for its key paths.
  ///
  /// Not in Apple's framework.
  ///
  ///     let strong = try NSPredicate(converting: #Predicate<Team> { $0.wins > 3 })
  ///
  /// Texts are compared as `NSPredicate` does: code unit by code unit.
  /// - Throws: `PredicateConversionError`, which names the part that cannot be said.
  /// Source: chosen; Apple's initialiser gives nil.
  public init<Input>(converting predicate: Predicate<Input>) throws {
    let made = NSPredicate.make(try PredicateConversion.condition(predicate))
    guard let made = made as? Self else {
      throw PredicateConversionError(
        part: "\(Self.self)",
        "is another class than the predicate has"
      )
    }
    self = made
  }

  /// The predicate that says the same as a `#Predicate`, nil where a part of it cannot be said.
  ///
  /// Source: documented (NSPredicate).
  public init?<Input: NSObject>(_ predicate: Predicate<Input>) {
    // As documented; `init(converting:)` says why.
    guard let made = try? Self(converting: predicate) else { return nil }
    self = made
  }
}

extension NSExpression {
  /// The expression that says the same as an `#Expression`, nil where a part of it cannot be said.
  ///
  /// Source: documented (NSExpression); of one input, as an expression has one object.
  public convenience init?<Input, Output>(_ expression: Foundation.Expression<Input, Output>) {
    // As documented: nil where a part cannot be said.
    guard let term = try? PredicateConversion.term(expression) else { return nil }
    self.init(term)
  }
}
