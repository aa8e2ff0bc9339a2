// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

// The part of the parser that parses compound predicates and comparisons.
extension FormatParser {
  mutating func parseOr() throws -> Node {
    try parseJoined(by: .or, .or, into: Condition.or) { parser in
      try parser.parseJoined(by: .and, .and, into: Condition.and) { parser in try parser.parseNot()
      }
    }
  }

  /// Parses members separated by `word` or `symbol` into one compound condition; a single member is returned
  /// unchanged.
  private mutating func parseJoined(
    by word: FormatWord,
    _ symbol: FormatSymbol,
    into make: ([Condition]) -> Condition,
    _ parse: (inout FormatParser) throws -> Node
  ) throws -> Node {
    let first = try parse(&self)
    guard token.kind == .word(word) || token.kind == .symbol(symbol) else { return first }
    var members = [try condition(first)]
    var tallest = height
    while token.kind == .word(word) || token.kind == .symbol(symbol) {
      try advance()
      members.append(try condition(parse(&self)))
      tallest = max(tallest, height)
    }
    try grow(beside: tallest)
    return .condition(make(members))
  }

  private mutating func parseNot() throws -> Node {
    guard token.kind == .word(.not) || token.kind == .symbol(.not) else {
      return try parseComparison()
    }
    try advance()
    let member = try nested { parser in try parser.condition(parser.parseNot()) }
    try grow()
    return .condition(.not(member))
  }

  private mutating func parseComparison() throws -> Node {
    switch token.kind {
    case .word(.any), .word(.some): return .condition(try parseModified(.any))
    case .word(.all): return .condition(try parseModified(.all))
    case .word(.none):
      let comparison = try parseModified(.any)
      try grow()
      return .condition(.not(comparison))
    default:
      let node = try parseSet()
      guard case .term(let left) = node, let comparison = try parseRelation(left, .direct) else {
        return node
      }
      return .condition(comparison)
    }
  }

  private mutating func parseModified(_ modifier: Comparison.Modifier) throws -> Condition {
    try advance()
    let left = try term(parseSet())
    guard let comparison = try parseRelation(left, modifier) else { throw expectedOperator() }
    return comparison
  }

  /// Parses an operator, its options and the right side; returns nil if no operator follows.
  private mutating func parseRelation(
    _ left: Term,
    _ modifier: Comparison.Modifier
  ) throws -> Condition? {
    let base = height
    guard let (relation, selector) = try parseOperator() else { return nil }
    let options = token.kind == .symbol(.leftBracket) ? try parseOptions() : []
    let right = try term(parseSet())
    try grow(beside: base)
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
    switch token.kind {
    case .symbol(let symbol):
      guard let relation = symbol.relation else { return nil }
      try advance()
      return (relation, nil)
    case .word(let word):
      if let selector = try parseSelector() { return selector }
      if let relation = word.relation {
        try advance()
        return (relation, nil)
      }
      guard word.isCustomOperator else { return nil }
      try advance()
      return (.customSelector, word.spelling)
    case .key: return try parseSelector()
    default: return nil
    }
  }

  /// Parses a selector that is used as an operator, such as `isKindOfClass:`; nil if the current word is not
  /// followed by a colon.
  private mutating func parseSelector() throws -> (Relation, String?)? {
    guard lexer.isFollowedByColon else { return nil }
    let selector = name() + ":"
    try advance()
    try advance()
    return (.customSelector, selector)
  }

  private mutating func parseOptions() throws -> TextOptions {
    try advance()
    guard token.kind != .symbol(.rightBracket), lexer.bytes[token.range].allSatisfy(Self.isLetter)
    else { throw expected("c", "d", "n", "l") }
    var options: TextOptions = []
    for place in token.range {
      guard let option = TextOptions(letter: lexer.bytes[place]) else {
        throw wrongOption(at: place)
      }
      options.insert(option)
    }
    try advance()
    try require(.rightBracket)
    return options
  }

  private static func isLetter(_ byte: UInt8) -> Bool { FormatLexer.isLetter(byte) }

  /// Returns the error for the unknown option letter at `place`.
  ///
  /// The error suggests the valid letters that the brackets contain.
  private func wrongOption(at place: Int) -> FormatError {
    let known = lexer.bytes[token.range].reduce(into: TextOptions()) { options, letter in
      if let option = TextOptions(letter: letter) { options.insert(option) }
    }
    var end = place + 1
    while end < token.end, lexer.bytes[end] & 0xC0 == 0x80 { end += 1 }
    return FormatError(
      .unexpected,
      in: lexer.format,
      at: place..<end,
      expected: ["c", "d", "n", "l"],
      suggestion: known.isEmpty ? nil : known.letters
    )
  }
}

extension TextOptions {
  fileprivate init?(letter: UInt8) {
    switch letter | 0x20 {
    case UInt8(ascii: "c"): self = .caseInsensitive
    case UInt8(ascii: "d"): self = .diacriticInsensitive
    case UInt8(ascii: "n"): self = .normalized
    case UInt8(ascii: "l"): self = .localeSensitive
    default: return nil
    }
  }
}
