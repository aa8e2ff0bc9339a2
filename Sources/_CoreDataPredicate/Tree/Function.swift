// SPDX-License-Identifier: Apache-2.0

/// A function of expressions.
///
/// Each function is a case, here or in the enum of its family. The case determines the function's name and
/// number of arguments.
///
/// Source: documented (NSExpression, `init(forFunction:arguments:)`).
package enum Function: Hashable, Sendable {
  /// An aggregate of the members of a collection, such as `sum:`.
  case aggregate(AggregateFunction)
  /// A number computed from two numbers, such as `add:to:`.
  case arithmetic(ArithmeticFunction)
  /// A number computed from one number, such as `sqrt:`.
  case numeric(NumericFunction)
  /// A value computed from a string, such as `uppercase:`.
  case text(TextFunction)
  /// The current date.
  case now
  /// A random floating-point number in `0..<1`.
  case random
  /// The argument, unchanged; SQL applies a unary `+` to a column, so that SQLite does not use an index on
  /// it.
  case noIndex
  /// A value converted to the class whose name is the second argument.
  case cast
  /// The member at an index of an array or ordered set, or the value of a dictionary or object for a key.
  case element
  /// The distance between two locations, in metres.
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

/// A function of two numbers; most of them are also operators in format strings.
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
  /// The base-10 logarithm.
  case logarithm = "log:"
  case naturalLogarithm = "ln:"
  case exponential = "exp:"
  case ceiling = "ceiling:"
  case floor = "floor:"
  case truncation = "trunc:"
  case absolute = "abs:"
  case onesComplement = "onesComplement:"
  /// A random integer from 0 up to, but not including, the argument; 0 for an argument below 1.
  case random = "random:"
  /// Another name for `random`.
  case randomBelow = "randomn:"
}

/// A function of a string.
package enum TextFunction: String, CaseIterable, Sendable {
  case uppercase = "uppercase:"
  case lowercase = "lowercase:"
  /// The string after case and diacritics are folded, as for a comparison with `[cd]`.
  case canonical = "canonical:"
  case length = "length:"
}

extension Function: CaseIterable {
  /// The functions of all families, followed by those without a family.
  package static let allCases: [Function] =
    AggregateFunction.allCases.map(aggregate) + ArithmeticFunction.allCases.map(arithmetic)
    + NumericFunction.allCases.map(numeric) + TextFunction.allCases.map(text)
    + [.now, .random, .noIndex, .cast, .element, .distance]

  /// The name of the function in programs and archives, such as `add:to:`.
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

  /// The number of arguments that the function takes.
  package var arity: Int {
    switch self {
    case .now, .random: 0
    case .aggregate, .numeric, .text, .noIndex: 1
    case .arithmetic, .cast, .element, .distance: 2
    }
  }

  /// Creates the function with the selector; nil for an unknown selector.
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

extension Function {
  /// The name of the function in format strings: the selector, but without its colon if the function has one
  /// argument.
  package var spelling: String { arity == 1 ? String(selector.dropLast()) : selector }

  /// Creates the function that has this selector or spelling and this number of arguments; nil if there is no
  /// such function.
  init?(spelling: String, arguments: Int) {
    let selectors = arguments == 1 ? [spelling, spelling + ":"] : [spelling]
    guard
      let function = selectors.lazy.compactMap(Function.init(selector:))
        .first(where: { $0.arity == arguments })
    else { return nil }
    self = function
  }

  /// Returns the numbers of arguments with which functions of this name can be called; empty for an unknown
  /// name.
  static func arities(spelling: String) -> [Int] {
    (0...2).filter { Function(spelling: spelling, arguments: $0) != nil }
  }

  /// The names of all functions, from which error texts suggest a correction.
  ///
  /// Functions with at most one argument come first, so that they are preferred among equally similar names.
  static var names: [String] {
    let short = Set(allCases.filter { $0.arity < 2 }.map(\.spelling))
    return short.sorted() + allCases.filter { $0.arity == 2 }.map(\.selector)
  }
}

extension ArithmeticFunction {
  /// The operator of the function in format strings, and its precedence; nil for a function without an
  /// operator.
  ///
  /// An operator that binds more tightly has a higher precedence.
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
  /// The operator in key paths that computes the same aggregate; nil if key paths have no such operator.
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

  /// Creates the aggregate that a collection operator, such as `@sum`, computes; nil for any other operator.
  package init?(keyPathOperator name: some StringProtocol) {
    guard
      let function = Self.allCases.first(where: { $0.keyPathOperator.map { $0 == name } ?? false })
    else { return nil }
    self = function
  }
}
