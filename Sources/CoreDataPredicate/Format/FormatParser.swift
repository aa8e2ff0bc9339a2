// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

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
    self = try parser.parseCondition()
  }
}

extension Term {
  /// The expression that a format describes.
  ///
  /// - Throws: `FormatError`. Never traps, whatever the text.
  package init(format: String, arguments: [FormatArgument] = []) throws {
    var parser = try FormatParser(format, arguments)
    self = try parser.parseTerm()
  }
}

/// Reads a format by descent; conditions and terms share the parentheses, so both are nodes.
struct FormatParser {
  enum Node {
    case condition(Condition)
    case term(Term)
  }
  private let format: String
  private let tokens: [FormatToken]
  private var arguments: ArraySlice<FormatArgument>
  private var index = 0
  private var depth = 0
  private static let deepest = 100
  private static let longestChain = 400

  init(_ format: String, _ arguments: [FormatArgument]) throws {
    self.format = format
    self.arguments = arguments[...]
    var lexer = FormatLexer(format)
    tokens = try lexer.run()
  }

  mutating func parseCondition() throws -> Condition {
    let node = try parseOr()
    guard case .condition(let condition) = node else { throw expected("an operator") }
    try requireEnd()
    return condition
  }

  mutating func parseTerm() throws -> Term {
    let node = try parseOr()
    guard case .term(let term) = node else { throw expected("an expression") }
    try requireEnd()
    return term
  }

  private func requireEnd() throws {
    if kind != .end { throw expected("AND", "OR", "the end") }
  }
}

// The cursor.
extension FormatParser {
  var token: FormatToken { tokens[index] }
  var kind: FormatToken.Kind { tokens[index].kind }
  /// The current word in capitals, or an empty text.
  var upper: String {
    if case .word(_, let upper) = kind { upper } else { "" }
  }

  func kind(after offset: Int) -> FormatToken.Kind {
    tokens[min(index + offset, tokens.count - 1)].kind
  }

  mutating func advance() { if index + 1 < tokens.count { index += 1 } }

  mutating func take(_ symbol: String) -> Bool {
    guard kind == .symbol(symbol) else { return false }
    advance()
    return true
  }

  mutating func take(word: String) -> Bool {
    guard upper == word else { return false }
    advance()
    return true
  }

  mutating func require(_ symbol: String) throws {
    if !take(symbol) { throw expected(symbol) }
  }

  func expected(_ what: String...) -> FormatError {
    if kind == .end {
      return FormatError(.unexpectedEnd, in: format, at: token.range, expected: what)
    }
    var suggestion: String?
    if case .word(let word, _) = kind { suggestion = FormatWords.nearest(to: word) }
    return FormatError(
      .unexpected,
      in: format,
      at: token.range,
      expected: what,
      suggestion: suggestion
    )
  }

  func failure(
    _ code: FormatError.Code,
    _ token: FormatToken,
    suggestion: String? = nil
  ) -> FormatError {
    FormatError(code, in: format, at: token.range, suggestion: suggestion)
  }

  mutating func nextArgument(_ placeholder: FormatToken) throws -> FormatArgument {
    guard let argument = arguments.popFirst() else {
      throw failure(.missingArgument, placeholder)
    }
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

  func requireShort(_ chain: Int) throws {
    if chain > Self.longestChain { throw failure(.tooDeep, token) }
  }
}

// Conditions.
extension FormatParser {
  mutating func parseOr() throws -> Node {
    let first = try parseAnd()
    guard upper == "OR" || kind == .symbol("||") else { return first }
    var members = [try condition(first)]
    while upper == "OR" || kind == .symbol("||") {
      advance()
      members.append(try condition(parseAnd()))
    }
    return .condition(.or(members))
  }

  private mutating func parseAnd() throws -> Node {
    let first = try parseNot()
    guard upper == "AND" || kind == .symbol("&&") else { return first }
    var members = [try condition(first)]
    while upper == "AND" || kind == .symbol("&&") {
      advance()
      members.append(try condition(parseNot()))
    }
    return .condition(.and(members))
  }

  private mutating func parseNot() throws -> Node {
    guard upper == "NOT" || kind == .symbol("!") else { return try parseComparison() }
    advance()
    return try nested { parser in .condition(.not(try parser.condition(parser.parseNot()))) }
  }

  private func condition(_ node: Node) throws -> Condition {
    guard case .condition(let condition) = node else { throw expected("an operator") }
    return condition
  }

  private mutating func parseComparison() throws -> Node {
    let word = upper
    switch word {
    case "ANY", "SOME", "ALL", "NONE":
      advance()
      let left = try term(parseSet())
      let modifier: Comparison.Modifier = word == "ALL" ? .all : .any
      guard let comparison = try parseRelation(left, modifier) else {
        throw expected("an operator")
      }
      return .condition(word == "NONE" ? .not(comparison) : comparison)
    default:
      let node = try parseSet()
      guard case .term(let left) = node, let comparison = try parseRelation(left, .direct) else {
        return node
      }
      return .condition(comparison)
    }
  }

  /// The operator, its letters and the right side; nil where no operator follows.
  private mutating func parseRelation(
    _ left: Term,
    _ modifier: Comparison.Modifier
  ) throws -> Condition? {
    guard let (relation, selector) = try parseOperator() else { return nil }
    let options = try parseOptions()
    let right = try term(parseSet())
    return .comparison(
      Comparison(
        left,
        relation,
        right,
        modifier: modifier,
        options: options,
        selector: selector
      )
    )
  }

  private mutating func parseOperator() throws -> (Relation, String?)? {
    switch kind {
    case .symbol(let symbol):
      guard let relation = FormatWords.symbols[symbol] else { return nil }
      advance()
      return (relation, nil)
    case .word(let word, let upper):
      if let relation = FormatWords.relations[upper] {
        advance()
        return (relation, nil)
      }
      if FormatWords.customOperators.contains(upper) {
        advance()
        return (.customSelector, upper)
      }
      guard kind(after: 1) == .symbol(":") else { return nil }
      advance()
      advance()
      return (.customSelector, word + ":")
    default: return nil
    }
  }

  private mutating func parseOptions() throws -> TextOptions {
    guard take("[") else { return [] }
    guard case .word(let letters, _) = kind else { throw expected("c", "d", "n", "l") }
    var options: TextOptions = []
    for letter in letters {
      switch letter {
      case "c", "C": options.insert(.caseInsensitive)
      case "d", "D": options.insert(.diacriticInsensitive)
      case "n", "N": options.insert(.normalized)
      case "l", "L": options.insert(.localeSensitive)
      default: throw expected("c", "d", "n", "l")
      }
    }
    advance()
    try require("]")
    return options
  }
}
