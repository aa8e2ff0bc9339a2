// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Condition {
  /// Parses a predicate.
  ///
  ///     try Condition(format: "name ==[c] %@", arguments: [.value(.text("Ann"))])
  ///
  /// Arguments are used in the order of the placeholders; excess arguments are ignored.
  ///
  /// - Throws: `FormatError`. An invalid format does not trap.
  /// - Complexity: O(length of the format + size of the arguments).
  package init(format: String, arguments: [FormatArgument] = []) throws {
    var parser = try FormatParser(format, arguments)
    self = try parser.parseWholeCondition()
  }
}

extension Term {
  /// Parses an expression.
  ///
  /// Arguments are used as in `Condition.init(format:arguments:)`.
  ///
  /// - Throws: `FormatError`. An invalid format does not trap.
  /// - Complexity: O(length of the format + size of the arguments).
  package init(format: String, arguments: [FormatArgument] = []) throws {
    var parser = try FormatParser(format, arguments)
    self = try parser.parseWholeTerm()
  }
}

/// A recursive descent parser for format strings.
///
/// Only the content of parentheses shows whether they enclose a condition or a term, so the methods that
/// parse such content return a `Node`, which is either.
struct FormatParser {
  enum Node {
    case condition(Condition)
    case term(Term)
  }
  private(set) var token: FormatToken
  var lexer: FormatLexer
  private let arguments: [FormatArgument]
  private var consumedArguments = 0
  private var depth = 0
  /// The height of the tree parsed last.
  var height = 0
  /// The height of the tallest argument that was inserted.
  private var argumentHeight = 0
  /// The maximum height of a format's tree without the trees of its arguments.
  ///
  /// `TreeLimit.tallest` is the maximum height with them.
  private static let maximumHeight = 150
  /// The maximum nesting of parentheses, calls and prefixes, which limits the recursion of the parser.
  ///
  /// The format of a tree nests at most two of these for each level of the tree. The limit is more than twice
  /// the maximum height, so that the format of a parsed tree can be parsed again.
  private static let maximumDepth = 2 * maximumHeight + 10

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

  // The next two methods are mutating so that `condition(parseOr())` calls `parseOr()`, which advances the
  // parser, before it reads `self` for the error.
  mutating func condition(_ node: Node) throws -> Condition {
    guard case .condition(let condition) = node else { throw expectedOperator() }
    return condition
  }

  mutating func term(_ node: Node) throws -> Term {
    guard case .term(let term) = node else {
      throw expected("an expression, not a predicate, before this point")
    }
    return term
  }
}

// The part of the parser that reads tokens.
extension FormatParser {
  mutating func advance() throws { token = try lexer.next() }

  mutating func consume(_ symbol: FormatSymbol) throws -> Bool {
    guard token.kind == .symbol(symbol) else { return false }
    try advance()
    return true
  }

  mutating func require(_ symbol: FormatSymbol) throws {
    if try !consume(symbol) { throw expected(symbol.spelling) }
  }

  var word: FormatWord? {
    if case .word(let word) = token.kind { word } else { nil }
  }

  /// Returns the text of the current token without its first `count` bytes.
  func name(dropping count: Int = 0) -> String {
    lexer.text(token.start + count..<token.end)
  }

  /// Reads the key path that begins with the current token, and returns it without the `#` of escaped keys.
  ///
  /// The caller must then advance to the next token.
  mutating func readPath() -> String {
    let start = token.start
    let end = lexer.readKeys()
    let path = lexer.text(start..<end)
    return path.utf8.contains(UInt8(ascii: "#")) ? String(path.filter { $0 != "#" }) : path
  }

  mutating func nextArgument(_ placeholder: FormatToken) throws -> FormatArgument {
    guard consumedArguments < arguments.count else {
      let given =
        switch arguments.count {
        case 0: "there are no arguments"
        case 1: "there is only 1 argument"
        default: "there are only \(arguments.count) arguments"
        }
      throw failure(
        .missingArgument,
        placeholder,
        expected: ["argument \(consumedArguments + 1), but \(given)"]
      )
    }
    consumedArguments += 1
    let argument = arguments[consumedArguments - 1]
    argumentHeight = max(argumentHeight, argument.height)
    if height + argumentHeight > TreeLimit.tallest {
      throw failure(.tooDeep, placeholder, expected: [Self.limitWithArguments])
    }
    return argument
  }

  /// Runs `parse` one level deeper.
  ///
  /// - Throws: `FormatError` (`tooDeep`) if the nesting exceeds the limit, which protects the stack; the
  ///   errors of `parse`.
  mutating func nested<Result>(
    _ parse: (inout FormatParser) throws -> Result
  ) throws -> Result {
    depth += 1
    defer { depth -= 1 }
    if depth > Self.maximumDepth {
      let limit = "\(Self.maximumDepth) nested parentheses, calls and prefixes in total"
      throw failure(.tooDeep, token, expected: [limit])
    }
    return try parse(&self)
  }

  /// Sets `height` to the height of a new node above the tree parsed last and a tree of the height `other`.
  ///
  /// - Throws: `FormatError` (`tooDeep`) if the height exceeds the limit.
  mutating func grow(beside other: Int = 0) throws {
    height = max(height, other) + 1
    if height > Self.maximumHeight {
      throw failure(.tooDeep, token, expected: ["\(Self.maximumHeight) nested levels"])
    }
    if height + argumentHeight > TreeLimit.tallest {
      throw failure(.tooDeep, token, expected: [Self.limitWithArguments])
    }
  }

  private static var limitWithArguments: String {
    "\(TreeLimit.tallest) nested levels, including the arguments"
  }
}

// The part of the parser that creates errors.
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
