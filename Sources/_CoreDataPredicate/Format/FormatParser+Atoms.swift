// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

// The part of the parser that parses operands.
extension FormatParser {
  mutating func parseAtom() throws -> Node {
    let token = token
    height = 0
    switch token.kind {
    case .key: return .term(try parseKey())
    case .word(let word): return try parseWord(word)
    case .escapedKey, .operatorKey:
      return .term(.keyPath(try taking(readPath())))
    case .variable: return .term(try parseVariable())
    case .integer:
      try advance()
      return constant(
        Int64(exactly: token.number).map { .int($0) } ?? .double(Double(token.number))
      )
    case .real: return constant(try taking(.double(lexer.real(token))))
    case .text: return constant(try taking(.text(lexer.content(token))))
    case .symbol(.leftParenthesis):
      try advance()
      let node = try nested { parser in try parser.parseOr() }
      try require(.rightParenthesis)
      return node
    case .symbol(.leftBrace):
      try advance()
      let members = try parseList(until: .rightBrace)
      try grow()
      return .term(.aggregate(members))
    case .objectPlaceholder, .keyPlaceholder, .integerPlaceholder, .realPlaceholder:
      try advance()
      return try parsePlaceholder(token)
    default: throw expected("an expression")
    }
  }

  private func constant(_ value: Value) -> Node { .term(.constant(Constant(value))) }

  private mutating func taking<Made>(_ made: Made) throws -> Made {
    try advance()
    return made
  }

  private mutating func parseVariable() throws -> Term {
    let name = try taking(name(dropping: 1))
    guard try consume(.assign) else { return .variable(name) }
    let value = try nested { parser in try parser.term(parser.parseSet()) }
    try grow()
    return .assignment(name, value)
  }

  private mutating func parsePlaceholder(_ token: FormatToken) throws -> Node {
    let argument = try nextArgument(token)
    switch (token.kind, argument) {
    case (.objectPlaceholder, .value(let value)): return constant(value)
    case (.objectPlaceholder, .term(let term)): return .term(term)
    case (.objectPlaceholder, .condition(let condition)): return .condition(condition)
    case (.keyPlaceholder, _): return .term(Term(path: try keyPath(argument, token)))
    case (.integerPlaceholder, .value(let value)):
      guard let number = value.truncated else {
        if value.number == nil { throw wrongArgument(argument, token, "a number") }
        throw failure(
          .wrongArgument,
          token,
          expected: ["a number in the range of a 64-bit integer"]
        )
      }
      return constant(.int(number))
    case (.realPlaceholder, .value(let value)):
      guard let number = value.number else { throw wrongArgument(argument, token, "a number") }
      return constant(.double(number))
    default: throw wrongArgument(argument, token, "a number")
    }
  }

  /// Returns the key path in an argument.
  ///
  /// - Throws: `FormatError` (`wrongArgument`) for an empty string, and for an argument that is neither a
  ///   string nor a key path.
  func keyPath(_ argument: FormatArgument, _ token: FormatToken) throws -> String {
    let value: Value
    switch argument {
    case .value(let given): value = given
    case .term(.keyPath(let path)): return path
    case .term(.constant(let constant)): value = constant.value
    case .term, .condition: throw wrongArgument(argument, token, "the name of a key")
    }
    if case .text(let path) = value {
      if !path.isEmpty { return path }
      throw failure(
        .wrongArgument,
        token,
        expected: ["the name of a key, not an empty string"]
      )
    }
    throw wrongArgument(argument, token, "the name of a key")
  }

  private func wrongArgument(
    _ argument: FormatArgument,
    _ token: FormatToken,
    _ needed: String
  ) -> FormatError {
    failure(.wrongArgument, token, expected: ["\(needed), not \(argument.kindName)"])
  }

  private mutating func parseWord(_ word: FormatWord) throws -> Node {
    switch word {
    case .truePredicate: return try taking(.condition(.constant(true)))
    case .falsePredicate: return try taking(.condition(.constant(false)))
    case .null, .nil: return try taking(constant(.null))
    case .true, .yes: return try taking(constant(.bool(true)))
    case .false, .no: return try taking(constant(.bool(false)))
    case .self: return try taking(.term(.evaluatedObject))
    case .anyKey: return try taking(.term(.anyKey))
    case .subquery, .ternary, .cast, .function, .fetch:
      guard lexer.isFollowed(by: UInt8(ascii: "(")) else { return .term(try parseKey()) }
      return .term(try parseSpecialCall(word))
    default:
      if word.isReserved { throw expected("an expression") }
      return .term(try parseKey())
    }
  }

  /// Parses a call, or a key with the keys that follow it.
  private mutating func parseKey() throws -> Term {
    if lexer.isFollowed(by: UInt8(ascii: "(")) || lexer.isFollowedByColon { return try parseCall() }
    return .keyPath(try taking(readPath()))
  }

  /// Parses `name(…)` or `name:and:(…)`.
  private mutating func parseCall() throws -> Term {
    var first = token
    var name = ""
    while isWord {
      name += self.name()
      first.end = token.end
      try advance()
      guard token.kind == .symbol(.colon) else { break }
      name += ":"
      first.end = token.end
      try advance()
    }
    try require(.leftParenthesis)
    let arguments = try parseArguments()
    let function = try function(name, arguments.count, first)
    try grow()
    return Self.call(function, arguments)
  }

  private var isWord: Bool {
    switch token.kind {
    case .key, .word: true
    default: false
    }
  }

  func function(_ name: String, _ count: Int, _ token: FormatToken) throws -> Function {
    if let function = Function(spelling: name, arguments: count) { return function }
    let counts = Function.arities(spelling: name)
    var expected = counts.map { "\($0) argument\($0 == 1 ? "" : "s")" }
    if let last = expected.popLast() { expected.append("\(last), not \(count)") }
    throw failure(
      .unknownFunction,
      token,
      expected: expected,
      suggestion: counts.isEmpty ? FormatVocabulary.functions.nearest(to: name) : nil
    )
  }

  /// Parses a call that begins with a keyword, such as `SUBQUERY(…)`.
  private mutating func parseSpecialCall(_ word: FormatWord) throws -> Term {
    try advance()
    try advance()
    let term = try nested { parser in
      switch word {
      case .subquery: try parser.parseSubquery()
      case .ternary: try parser.parseTernary()
      case .cast: Self.call(.cast, try parser.parsePair())
      case .function: try parser.parseFunction()
      default: try parser.parseFetch()
      }
    }
    try grow()
    return term
  }

  private mutating func parseSubquery() throws -> Term {
    let collection = try term(parseSet())
    let tallest = height
    try require(.comma)
    guard token.kind == .variable else { throw expected("a variable such as $x") }
    let name = try taking(name(dropping: 1))
    try require(.comma)
    let condition = try condition(parseOr())
    try require(.rightParenthesis)
    height = max(height, tallest)
    return .subquery(collection, variable: name, condition)
  }

  private mutating func parseTernary() throws -> Term {
    let condition = try condition(parseOr())
    let tallest = height
    try require(.comma)
    let choices = try parsePair()
    height = max(height, tallest)
    return .ternary(condition, choices[0], choices[1])
  }

  private mutating func parsePair() throws -> [Term] {
    let first = try term(parseSet())
    let tallest = height
    try require(.comma)
    let second = try term(parseSet())
    try require(.rightParenthesis)
    height = max(height, tallest)
    return [first, second]
  }

  private mutating func parseFunction() throws -> Term {
    let operand = try term(parseSet())
    let tallest = height
    try require(.comma)
    let name = token
    guard case .constant(let constant) = try term(parseSet()),
      case .text(let selector) = constant.value
    else { throw failure(.unexpected, name, expected: ["a quoted selector"]) }
    var arguments: [Term] = []
    if try consume(.comma) {
      arguments = try parseArguments()
    } else if try !consume(.rightParenthesis) {
      throw expected(",", ")")
    }
    height = max(height, tallest)
    return operand.receiving(selector, arguments)
  }

  private mutating func parseFetch() throws -> Term {
    let request = try term(parseSet())
    var tallest = height
    try require(.comma)
    let context = try term(parseSet())
    tallest = max(height, tallest)
    var countOnly = false
    if try consume(.comma) {
      let flag = token
      guard case .constant(let constant) = try term(parseSet()), let number = constant.value.number
      else { throw failure(.unexpected, flag, expected: ["YES", "NO"]) }
      countOnly = number != 0
    }
    try require(.rightParenthesis)
    height = tallest
    return .fetch(request, context: context, countOnly: countOnly)
  }
}

extension FormatParser {
  /// Returns the term for a function call; a call that is the format of a constant becomes the constant.
  ///
  /// The format of a date is a cast of a number. The format of a number that a literal cannot express exactly
  /// is a cast of a string.
  private static func call(_ function: Function, _ arguments: [Term]) -> Term {
    if function == .cast, arguments.count == 2,
      case .constant(let operand) = arguments[0], case .constant(let name) = arguments[1],
      case .text(let type) = name.value, let value = operand.value.printedAsCast(type)
    {
      return .constant(Constant(value))
    }
    return .function(function, arguments)
  }
}

extension Term {
  /// Returns the term for a message to this term; a message that is the format of a key path becomes the key
  /// path.
  ///
  /// A key path whose keys are not identifiers has a `valueForKeyPath:` message as its format.
  fileprivate func receiving(_ selector: String, _ arguments: [Term]) -> Term {
    if selector == "valueForKeyPath:", arguments.count == 1,
      case .constant(let name) = arguments[0],
      case .text(let path) = name.value, !path.isEmpty, !KeySpelling.isBare(path)
    {
      return appending(path)
    }
    return .message(selector, to: self, arguments)
  }
}
