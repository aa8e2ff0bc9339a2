// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

// Operands.
extension FormatParser {
  mutating func parseAtom() throws -> Node {
    let token = token
    switch token.kind {
    case .word(let word, let upper): return try parseWord(word, upper)
    case .escaped(let word), .collectionOperator(let word):
      advance()
      return .term(.keyPath(word))
    case .variable(let name):
      advance()
      guard take(":=") else { return .term(.variable(name)) }
      return .term(.assignment(name, try nested { parser in try parser.term(parser.parseSet()) }))
    case .integer(let number):
      advance()
      return constant(.int(number))
    case .real(let number):
      advance()
      return constant(.double(number))
    case .text(let text):
      advance()
      return constant(.text(text))
    case .symbol("("):
      advance()
      let node = try nested { parser in try parser.parseOr() }
      try require(")")
      return node
    case .symbol("{"):
      advance()
      return .term(.aggregate(try parseMembers()))
    case .objectPlaceholder, .keyPlaceholder, .integerPlaceholder, .realPlaceholder:
      advance()
      return try parsePlaceholder(token)
    default: throw expected("an expression")
    }
  }

  private func constant(_ value: Value) -> Node { .term(.constant(Constant(value))) }

  private mutating func parseMembers() throws -> [Term] {
    if take("}") { return [] }
    return try nested { parser in
      var members: [Term] = []
      repeat { members.append(try parser.term(parser.parseSet())) } while parser.take(",")
      if !parser.take("}") { throw parser.expected(",", "}") }
      return members
    }
  }

  private mutating func parsePlaceholder(_ token: FormatToken) throws -> Node {
    let argument = try nextArgument(token)
    switch (token.kind, argument) {
    case (.objectPlaceholder, .value(let value)): return constant(value)
    case (.objectPlaceholder, .term(let term)): return .term(term)
    case (.objectPlaceholder, .condition(let condition)): return .condition(condition)
    case (.keyPlaceholder, .value(.text(let path))): return .term(.keyPath(path))
    case (.keyPlaceholder, .term(.keyPath(let path))): return .term(.keyPath(path))
    case (.integerPlaceholder, .value(let value)):
      guard let number = value.truncated else { throw failure(.wrongArgument, token) }
      return constant(.int(number))
    case (.realPlaceholder, .value(let value)):
      guard let number = value.number else { throw failure(.wrongArgument, token) }
      return constant(.double(number))
    default: throw failure(.wrongArgument, token)
    }
  }

  private mutating func parseWord(_ word: String, _ upper: String) throws -> Node {
    if kind(after: 1) == .symbol("("), let node = try parseSpecialCall(upper) { return node }
    switch upper {
    case "TRUEPREDICATE", "FALSEPREDICATE":
      advance()
      return .condition(.constant(upper == "TRUEPREDICATE"))
    case "NULL", "NIL":
      advance()
      return constant(.null)
    case "TRUE", "YES", "FALSE", "NO":
      advance()
      return constant(.bool(upper == "TRUE" || upper == "YES"))
    case "SELF":
      advance()
      return .term(.evaluatedObject)
    case "ANYKEY":
      advance()
      return .term(.anyKey)
    default: break
    }
    if FormatWords.reserved.contains(upper) { throw expected("an expression") }
    if kind(after: 1) == .symbol("(") || kind(after: 1) == .symbol(":") {
      return .term(try parseCall())
    }
    advance()
    return .term(.keyPath(word))
  }

  /// `name(…)` or `name:and:(…)`.
  private mutating func parseCall() throws -> Term {
    let first = token
    var name = ""
    while case .word(let word, _) = kind {
      advance()
      name += word
      guard take(":") else { break }
      name += ":"
    }
    try require("(")
    let arguments = try parseArguments()
    guard let selector = ExpressionFunction.selector(spelling: name, arguments: arguments.count)
    else { throw failure(.unknownFunction, first, suggestion: FormatWords.nearest(to: name)) }
    return .function(selector, arguments, operand: nil)
  }

  /// The forms that only look like functions; nil for any other word.
  private mutating func parseSpecialCall(_ upper: String) throws -> Node? {
    guard ["SUBQUERY", "TERNARY", "CAST", "FUNCTION", "FETCH"].contains(upper) else { return nil }
    advance()
    advance()
    return try nested { parser in
      switch upper {
      case "SUBQUERY": try parser.parseSubquery()
      case "TERNARY": try parser.parseTernary()
      case "CAST": try parser.parseCast()
      case "FUNCTION": try parser.parseFunction()
      default: try parser.parseFetch()
      }
    }
  }

  private mutating func parseSubquery() throws -> Node {
    let collection = try term(parseSet())
    try require(",")
    guard case .variable(let name) = kind else { throw expected("a variable") }
    advance()
    try require(",")
    guard case .condition(let condition) = try parseOr() else { throw expected("an operator") }
    try require(")")
    return .term(.subquery(collection, variable: name, condition))
  }

  private mutating func parseTernary() throws -> Node {
    guard case .condition(let condition) = try parseOr() else { throw expected("an operator") }
    try require(",")
    let yes = try term(parseSet())
    try require(",")
    let no = try term(parseSet())
    try require(")")
    return .term(.ternary(condition, yes, no))
  }

  /// A number cast to a date is how a date constant prints, so it becomes one again.
  private mutating func parseCast() throws -> Node {
    let operand = try term(parseSet())
    try require(",")
    let type = try term(parseSet())
    try require(")")
    if case .constant(let number) = operand, case .constant(let name) = type,
      case .text("NSDate") = name.value, let seconds = number.value.number
    {
      return constant(.date(seconds))
    }
    return .term(.function("castObject:toType:", [operand, type], operand: nil))
  }

  private mutating func parseFunction() throws -> Node {
    let operand = try term(parseSet())
    try require(",")
    guard case .constant(let name) = try term(parseSet()), case .text(let selector) = name.value
    else { throw expected("a quoted selector") }
    let arguments = take(",") ? try parseArguments() : []
    if arguments.isEmpty { try require(")") }
    return .term(.function(selector, arguments, operand: operand))
  }

  private mutating func parseFetch() throws -> Node {
    let request = try term(parseSet())
    try require(",")
    let context = try term(parseSet())
    var countOnly = false
    if take(",") {
      guard case .constant(let flag) = try term(parseSet()), let number = flag.value.number else {
        throw expected("YES", "NO")
      }
      countOnly = number != 0
    }
    try require(")")
    return .term(.fetch(request, context: context, countOnly: countOnly))
  }
}
