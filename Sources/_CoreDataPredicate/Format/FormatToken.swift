// SPDX-License-Identifier: Apache-2.0

/// A token of a format string: its kind and its range, without its text.
struct FormatToken {
  enum Kind: Equatable {
    /// An identifier that is not a keyword: a key, or the name of a function or selector.
    case key
    case word(FormatWord)
    /// A key after `#`, such as `#like`, which is never a keyword.
    case escapedKey
    /// A collection operator, such as `@count`.
    case operatorKey
    /// A variable, such as `$name`.
    case variable
    /// An integer, whose magnitude is in `number`.
    case integer
    case real
    /// A quoted string, including its quotes.
    case text
    /// `%@`.
    case objectPlaceholder
    /// `%K`.
    case keyPlaceholder
    /// A placeholder for an integer, such as `%d`.
    case integerPlaceholder
    /// A placeholder for a floating-point number, such as `%f`.
    case realPlaceholder
    case symbol(FormatSymbol)
    case end
  }
  var kind: Kind
  /// The start of the range, in bytes of the format's UTF-8.
  var start: Int
  var end: Int
  var number: UInt64 = 0

  var range: Range<Int> { start..<end }

  /// Whether an operand can end with this token.
  ///
  /// If so, a dot directly after the token starts a step of a key path, not a number such as `.5`.
  var endsOperand: Bool {
    switch kind {
    case .symbol(let symbol): symbol.isClosing
    case .end: false
    default: true
    }
  }
}

enum FormatSymbol {
  case leftParenthesis, rightParenthesis, leftBrace, rightBrace, leftBracket, rightBracket
  case comma, dot, colon, assign
  case plus, minus, star, slash, power, ampersand, bar, caret, tilde, shiftLeft, shiftRight
  case less, lessOrEqual, greater, greaterOrEqual, equal, notEqual
  case not, and, or

  var isClosing: Bool {
    switch self {
    case .rightParenthesis, .rightBrace, .rightBracket: true
    default: false
    }
  }

  /// The symbol as error texts show it; the name of the case if no error text shows the symbol.
  var spelling: String {
    switch self {
    case .leftParenthesis: "("
    case .rightParenthesis: ")"
    case .rightBrace: "}"
    case .rightBracket: "]"
    case .comma: ","
    default: "\(self)"
    }
  }

  var relation: Relation? {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .lessThan
    case .lessOrEqual: .lessThanOrEqual
    case .greater: .greaterThan
    case .greaterOrEqual: .greaterThanOrEqual
    default: nil
    }
  }

  var arithmetic: ArithmeticFunction? {
    switch self {
    case .bar: .bitwiseOr
    case .caret: .bitwiseXor
    case .ampersand: .bitwiseAnd
    case .shiftLeft: .leftShift
    case .shiftRight: .rightShift
    case .plus: .add
    case .minus: .subtract
    case .star: .multiply
    case .slash: .divide
    case .power: .power
    default: nil
    }
  }
}
