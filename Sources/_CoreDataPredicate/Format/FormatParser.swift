// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Condition {
  /// The predicate that a format describes.
  ///
  ///     try Condition(format: "name ==[c] %@", arguments: [.value(.text("Ann"))])
  ///
  /// Arguments are taken in the order of the placeholders; those left over are ignored.
  ///
  /// - Throws: `FormatError`. Never traps, whatever the text.
  /// - Complexity: O(length of the format).
  package init(format: String, arguments: [FormatArgument] = []) throws {
    var parser = try FormatParser(format, arguments)
    self = try parser.parseWholeCondition()
  }
}

extension Term {
  /// The expression that a format describes.
  ///
  /// - Throws: `FormatError`. Never traps, whatever the text.
  /// - Complexity: O(length of the format).
  package init(format: String, arguments: [FormatArgument] = []) throws {
    var parser = try FormatParser(format, arguments)
    self = try parser.parseWholeTerm()
  }
}

/// Reads a format by descent; conditions and terms share the parentheses, so both are nodes.
struct FormatParser {
  enum Node {
    case condition(Condition)
    case term(Term)
  }
  private(set) var token: FormatToken
  var lexer: FormatLexer
  private let arguments: [FormatArgument]
  private var taken = 0
  private var depth = 0
  /// The height of the tree that was returned last.
  var height = 0
  /// The height of the tallest argument, which stands wherever its placeholder does.
  private var argumentHeight = 0
  /// The height of what a format itself describes; with its arguments trees may be as tall as any.
  private static let tallest = 150
  /// How deep parentheses, calls and prefixes nest.
  ///
  /// A tree prints with two of them a level, so whatever was parsed is parsed again; a level takes up
  /// to a kilobyte of stack.
  private static let deepest = 2 * tallest + 10

  init(_ format: String, _ arguments: [FormatArgument]) throws {
    self.arguments = arguments
    lexer = FormatLexer(format)
    token = try lexer.next()
  }

  mutating func parseWholeCondition() throws -> Condition {
    let condition = try condition(parseOr())
    if token.kind != .end { throw expected("AND", "OR", "the end", from: .joints) }
    return condition
  }

  mutating func parseWholeTerm() throws -> Term {
    let term = try term(parseOr())
    if token.kind != .end { throw expected("an operator", "the end", from: .operators) }
    return term
  }

  // Mutating, so that they see the parser as it is after the node was parsed.
  mutating func condition(_ node: Node) throws -> Condition {
    guard case .condition(let condition) = node else { throw expectedOperator() }
    return condition
  }

  mutating func term(_ node: Node) throws -> Term {
    guard case .term(let term) = node else { throw expected("an expression") }
    return term
  }
}

// The cursor.
extension FormatParser {
  mutating func advance() throws { token = try lexer.next() }

  mutating func take(_ symbol: FormatSymbol) throws -> Bool {
    guard token.kind == .symbol(symbol) else { return false }
    try advance()
    return true
  }

  mutating func require(_ symbol: FormatSymbol) throws {
    if try !take(symbol) { throw expected(symbol.spelling) }
  }

  /// The current word, nil for keys and everything else.
  var word: FormatWord? {
    if case .word(let word) = token.kind { word } else { nil }
  }

  /// The text of the current token without the sign before it.
  func name(dropping count: Int = 0) -> String {
    lexer.text(token.start + count..<token.end)
  }

  /// The text of the current token and the keys that follow it, without the signs that escape them.
  mutating func readPath() -> String {
    let start = token.start
    let end = lexer.readKeys()
    let path = lexer.text(start..<end)
    return path.utf8.contains(UInt8(ascii: "#")) ? String(path.filter { $0 != "#" }) : path
  }

  mutating func nextArgument(_ placeholder: FormatToken) throws -> FormatArgument {
    guard taken < arguments.count else {
      throw failure(
        .missingArgument,
        placeholder,
        expected: ["argument \(taken + 1) of \(arguments.count)"]
      )
    }
    taken += 1
    let argument = arguments[taken - 1]
    argumentHeight = max(argumentHeight, argument.height)
    if height + argumentHeight > TreeLimit.tallest { throw failure(.tooDeep, placeholder) }
    return argument
  }

  /// Guards the stack against formats that nest without end.
  mutating func nested<Result>(
    _ parse: (inout FormatParser) throws -> Result
  ) throws -> Result {
    depth += 1
    defer { depth -= 1 }
    if depth > Self.deepest { throw failure(.tooDeep, token) }
    return try parse(&self)
  }

  /// The tree that was returned last becomes part of another, beside one of height `other`.
  mutating func grow(beside other: Int = 0) throws {
    height = max(height, other) + 1
    if height > Self.tallest || height + argumentHeight > TreeLimit.tallest {
      throw failure(.tooDeep, token)
    }
  }
}

// Errors.
extension FormatParser {
  func expected(
    _ what: String...,
    from vocabulary: FormatVocabulary = .expressions
  ) -> FormatError {
    guard token.kind != .end else {
      return FormatError(.unexpectedEnd, in: lexer.format, at: token.range, expected: what)
    }
    return failure(
      .unexpected,
      token,
      expected: what,
      suggestion: vocabulary.nearest(to: name())
    )
  }

  func expectedOperator() -> FormatError { expected("an operator", from: .operators) }

  func failure(
    _ code: FormatError.Code,
    _ token: FormatToken,
    expected: [String] = [],
    suggestion: String? = nil
  ) -> FormatError {
    FormatError(
      code,
      in: lexer.format,
      at: token.range,
      expected: expected,
      suggestion: suggestion
    )
  }
}
