// SPDX-License-Identifier: Apache-2.0

/// A function of expressions.
///
/// A function is one case, here or in the enum of its family. Its name and number of arguments follow from
/// the case; its value in memory and its form in SQL are exhaustive switches over the family, so the compiler
/// names every place that a new function needs.
///
/// Source: documented (NSExpression, `init(forFunction:arguments:)`).
package enum Function: Hashable, Sendable {
  /// One value of all members of a collection: `sum:`.
  case aggregate(AggregateFunction)
  /// A number computed from two numbers: `add:to:`.
  case arithmetic(ArithmeticFunction)
  /// A number computed from one number: `sqrt:`.
  case numeric(NumericFunction)
  /// A value computed from a text: `uppercase:`.
  case text(TextFunction)
  /// The current date.
  case now
  /// A random real number from 0 up to 1.
  case random
  /// The argument itself; a database does not use an index for it.
  case noIndex
  /// A value converted to a class.
  case cast
  /// A member of a collection, or the value of a key.
  case element
  /// The metres between two places.
  case distance
}

/// An aggregate over the members of a collection, or over the rows of a group.
package enum AggregateFunction: String, CaseIterable, Sendable {
  case sum = "sum:"
  case count = "count:"
  case average = "average:"
  case minimum = "min:"
  case maximum = "max:"
  case median = "median:"
  case mode = "mode:"
  case standardDeviation = "stddev:"
}

/// A function of two numbers, most of which are also operators of formats.
package enum ArithmeticFunction: String, CaseIterable, Sendable {
  case add = "add:to:"
  case subtract = "from:subtract:"
  case multiply = "multiply:by:"
  case divide = "divide:by:"
  case modulus = "modulus:by:"
  case power = "raise:toPower:"
  case bitwiseAnd = "bitwiseAnd:with:"
  case bitwiseOr = "bitwiseOr:with:"
  case bitwiseXor = "bitwiseXor:with:"
  case leftShift = "leftshift:by:"
  case rightShift = "rightshift:by:"
}

/// A function of one number.
package enum NumericFunction: String, CaseIterable, Sendable {
  case squareRoot = "sqrt:"
  /// The logarithm to the base 10.
  case logarithm = "log:"
  case naturalLogarithm = "ln:"
  case exponential = "exp:"
  case ceiling = "ceiling:"
  case floor = "floor:"
  case truncation = "trunc:"
  case absolute = "abs:"
  case onesComplement = "onesComplement:"
  /// A random whole number below the argument.
  case random = "random:"
  /// The same as `random`.
  case randomBelow = "randomn:"
}

/// A function of a text.
package enum TextFunction: String, CaseIterable, Sendable {
  case uppercase = "uppercase:"
  case lowercase = "lowercase:"
  /// The text without case and diacritics.
  case canonical = "canonical:"
  case length = "length:"
}

extension Function: CaseIterable {
  /// The functions of all families.
  package static let allCases: [Function] =
    AggregateFunction.allCases.map(aggregate) + ArithmeticFunction.allCases.map(arithmetic)
    + NumericFunction.allCases.map(numeric) + TextFunction.allCases.map(text)
    + [.now, .random, .noIndex, .cast, .element, .distance]

  /// The name by which programs and archives call the function: `add:to:`.
  package var selector: String {
    switch self {
    case .aggregate(let function): function.rawValue
    case .arithmetic(let function): function.rawValue
    case .numeric(let function): function.rawValue
    case .text(let function): function.rawValue
    case .now: "now"
    case .random: "random"
    case .noIndex: "noindex:"
    case .cast: "castObject:toType:"
    case .element: "objectFrom:withIndex:"
    case .distance: "distanceToLocation:fromLocation:"
    }
  }

  /// The number of arguments.
  package var arity: Int {
    switch self {
    case .now, .random: 0
    case .aggregate, .numeric, .text, .noIndex: 1
    case .arithmetic, .cast, .element, .distance: 2
    }
  }

  /// The function with the selector; nil for an unknown one.
  ///
  /// - Complexity: O(1).
  package init?(selector: String) {
    guard let function = Self.bySelector[selector] else { return nil }
    self = function
  }

  private static let bySelector = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.selector, $0) }
  )
}

// The names of functions in formats.
extension Function {
  /// The name that formats print: the selector, without the colon of a single argument.
  var spelling: String { arity == 1 ? String(selector.dropLast()) : selector }

  /// The function that a format calls by a selector or by a spelling, with so many arguments; nil where
  /// there is none.
  init?(spelling: String, arguments: Int) {
    let selectors = arguments == 1 ? [spelling, spelling + ":"] : [spelling]
    guard
      let function = selectors.lazy.compactMap(Function.init(selector:))
        .first(where: { $0.arity == arguments })
    else { return nil }
    self = function
  }

  /// The numbers of arguments with which a format may call a function of this name; empty for an unknown
  /// name.
  static func arities(spelling: String) -> [Int] {
    (0...2).filter { Function(spelling: spelling, arguments: $0) != nil }
  }

  /// The names of all functions, as messages suggest them: those with at most one argument first.
  static var names: [String] {
    let short = Set(allCases.filter { $0.arity < 2 }.map(\.spelling))
    return short.sorted() + allCases.filter { $0.arity == 2 }.map(\.selector)
  }
}

extension ArithmeticFunction {
  /// The sign of formats for the function, and how tightly it binds, the loosest first; nil for a function
  /// that formats call by its name.
  var formatOperator: (sign: String, level: Int)? {
    switch self {
    case .bitwiseOr: ("|", 1)
    case .bitwiseXor: ("^", 2)
    case .bitwiseAnd: ("&", 3)
    case .leftShift: ("<<", 4)
    case .rightShift: (">>", 4)
    case .add: ("+", 5)
    case .subtract: ("-", 5)
    case .multiply: ("*", 6)
    case .divide: ("/", 6)
    case .power: ("**", 7)
    case .modulus: nil
    }
  }
}

extension AggregateFunction {
  /// The name of the same aggregate as an operator of key paths; nil where key paths do not have it.
  ///
  /// Source: documented (Key-Value Coding Programming Guide, Using Collection Operators).
  package var keyPathOperator: String? {
    switch self {
    case .sum: "@sum"
    case .count: "@count"
    case .average: "@avg"
    case .minimum: "@min"
    case .maximum: "@max"
    case .median, .mode, .standardDeviation: nil
    }
  }

  /// The aggregate of an operator of key paths; nil for every other operator.
  package init?(keyPathOperator name: some StringProtocol) {
    guard
      let function = Self.allCases.first(where: { $0.keyPathOperator.map { $0 == name } ?? false })
    else { return nil }
    self = function
  }
}
