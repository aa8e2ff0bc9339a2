// SPDX-License-Identifier: Apache-2.0

/// A word or sign of a format with its place; its text stays in the format.
struct FormatToken {
  enum Kind: Equatable {
    /// A word without a meaning of its own: a key, or the name of a function or selector.
    case key
    case word(FormatWord)
    /// `#like`: always a key.
    case escapedKey
    /// `@count`.
    case operatorKey
    /// `$name`.
    case variable
    /// A whole number; its magnitude is in `number`.
    case integer
    case real
    /// A quoted text, the quotes included.
    case text
    /// `%@`.
    case objectPlaceholder
    /// `%K`.
    case keyPlaceholder
    /// `%d` and the like.
    case integerPlaceholder
    /// `%f` and the like.
    case realPlaceholder
    case symbol(FormatSymbol)
    case end
  }
  var kind: Kind
  /// In bytes of the format's UTF-8.
  var start: Int
  var end: Int
  /// The magnitude of an `integer`.
  var number: UInt64 = 0

  var range: Range<Int> { start..<end }

  /// Whether an operand may end here, so that a dot right after it is a step of a key path.
  var endsOperand: Bool {
    switch kind {
    case .symbol(let symbol): symbol.isClosing
    case .end: false
    default: true
    }
  }
}

/// The signs of the format language.
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

  /// As messages name it; nil for signs that they never ask for.
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

  /// The comparison that the sign stands for.
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

  /// The function that the sign stands for between two operands.
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
