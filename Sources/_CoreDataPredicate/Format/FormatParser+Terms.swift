// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

// The part of the parser that parses the operators of expressions.
extension FormatParser {
  mutating func parseSet() throws -> Node {
    var left = try parseBinary(1)
    while let operation = word?.setOperation {
      let base = try term(left)
      let tallest = height
      try advance()
      let right = try term(parseBinary(1))
      try grow(beside: tallest)
      left = .term(.setOperation(operation, base, right))
    }
    return left
  }

  /// Parses an expression whose binary operators have at least the precedence `level`.
  ///
  /// All binary operators are left-associative.
  private mutating func parseBinary(_ level: Int) throws -> Node {
    var left = try parseUnary()
    while case .symbol(let symbol) = token.kind, let function = symbol.arithmetic,
      let next = function.formatOperator?.level, next >= level
    {
      let base = try term(left)
      let tallest = height
      try advance()
      let right = try nested { parser in try parser.term(parser.parseBinary(next + 1)) }
      try grow(beside: tallest)
      left = .term(.function(.arithmetic(function), [base, right]))
    }
    return left
  }

  private mutating func parseUnary() throws -> Node {
    switch token.kind {
    case .symbol(.minus):
      try advance()
      if token.kind == .integer, token.number == Int64.min.magnitude,
        !lexer.isFollowed(by: UInt8(ascii: "."))
      {
        // The magnitude of `Int64.min` does not fit in an `Int64`. As an operand it would be parsed as a
        // `Double`.
        try advance()
        height = 0
        return .term(.constant(Constant(.int(.min))))
      }
      return .term(try negated(try parseOperand()))
    case .symbol(.tilde):
      try advance()
      let operand = try parseOperand()
      try grow()
      return .term(.function(.numeric(.onesComplement), [operand]))
    case .symbol(.plus):
      try advance()
      return .term(try parseOperand())
    default: return try parsePostfix()
    }
  }

  private mutating func parseOperand() throws -> Term {
    try nested { parser in try parser.term(parser.parseUnary()) }
  }

  private mutating func negated(_ operand: Term) throws -> Term {
    if case .constant(let constant) = operand {
      switch constant.value {
      case .int(.min): return .constant(Constant(.double(-Double(Int64.min))))
      case .int(let number): return .constant(Constant(.int(-number)))
      case .double(let number): return .constant(Constant(.double(-number)))
      default: break
      }
    }
    try grow()
    return .function(.arithmetic(.multiply), [operand, .constant(Constant(.int(-1)))])
  }

  private mutating func parsePostfix() throws -> Node {
    var node = try parseAtom()
    while case .term(let base) = node {
      if try consume(.dot) {
        node = .term(try parseStep(base))
      } else if token.kind == .symbol(.leftBracket) {
        let tallest = height
        try advance()
        let index = try nested { parser in try parser.parseIndex() }
        try require(.rightBracket)
        try grow(beside: tallest)
        node = .term(.function(.element, [base, index]))
      } else {
        break
      }
    }
    return node
  }

  private mutating func parseIndex() throws -> Term {
    if let index = word?.symbolicIndex, lexer.isFollowed(by: UInt8(ascii: "]")) {
      try advance()
      height = 0
      return .symbolicIndex(index)
    }
    return try term(parseSet())
  }

  private mutating func parseStep(_ base: Term) throws -> Term {
    let step = token
    let path: String
    switch token.kind {
    case .key, .word:
      if lexer.isFollowed(by: UInt8(ascii: "(")) { return try parseMessage(to: base) }
      path = readPath()
    case .escapedKey, .operatorKey: path = readPath()
    case .keyPlaceholder, .objectPlaceholder: path = try keyPath(nextArgument(step), step)
    default: throw expected("a key")
    }
    try advance()
    try grow()
    return base.appending(path)
  }

  /// Parses `base.name(…)`.
  private mutating func parseMessage(to base: Term) throws -> Term {
    let token = token
    let spelling = name()
    let tallest = height
    try advance()
    try advance()
    let arguments = try parseArguments()
    let function = try function(spelling, arguments.count, token)
    try grow(beside: tallest)
    return .message(function.selector, to: base, arguments)
  }

  /// Parses arguments up to and including the closing parenthesis; the caller has read the opening one.
  mutating func parseArguments() throws -> [Term] { try parseList(until: .rightParenthesis) }

  mutating func parseList(until end: FormatSymbol) throws -> [Term] {
    height = 0
    if try consume(end) { return [] }
    return try nested { parser in
      var terms: [Term] = []
      var tallest = 0
      repeat {
        terms.append(try parser.term(parser.parseSet()))
        tallest = max(tallest, parser.height)
      } while try parser.consume(.comma)
      if try !parser.consume(end) { throw parser.expected(",", end.spelling) }
      parser.height = tallest
      return terms
    }
  }
}

extension Term {
  /// Creates the term of a key path; a path that starts with `$`, such as `$x.name`, starts at a variable.
  package init(path: String) {
    guard path.first == "$" else {
      self = .keyPath(path)
      return
    }
    let keys = path.dropFirst()
      .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let variable = Term.variable(String(keys[0]))
    self = keys.count > 1 ? .keyPathOf(variable, String(keys[1])) : variable
  }

  /// Returns the term for the key path `path` of this term's value.
  ///
  /// If this term is a key path itself, its path is extended, so that key paths are not nested.
  package func appending(_ path: String) -> Term {
    switch self {
    case .evaluatedObject: .keyPath(path)
    case .keyPath(let start): .keyPath(start + "." + path)
    case .keyPathOf(let base, let start): .keyPathOf(base, start + "." + path)
    default: .keyPathOf(self, path)
    }
  }
}
