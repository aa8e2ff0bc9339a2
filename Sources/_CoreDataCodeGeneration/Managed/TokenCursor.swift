// SPDX-License-Identifier: Apache-2.0

/// A position in the tokens of a source file.
struct TokenCursor {
  let source: SwiftTokens
  private(set) var index = 0

  init(_ source: SwiftTokens) { self.source = source }

  var token: SwiftToken { source.tokens[index] }
  var isAtEnd: Bool { token.kind == .end }
  var text: String { source.text(token) }
  /// The token after the current one; at the end, the last token.
  var following: SwiftToken { source.tokens[min(index + 1, source.tokens.count - 1)] }

  /// Returns a cursor at another token of the same source.
  func moved(to index: Int) -> TokenCursor {
    var cursor = self
    cursor.index = index
    return cursor
  }

  mutating func advance() {
    if !isAtEnd { index += 1 }
  }

  /// Returns whether the token is this punctuation character.
  func isAt(_ character: Character) -> Bool {
    token.kind == .punctuation && token.end - token.start == 1
      && token.first == character.asciiValue
  }

  /// Returns whether the token is this keyword; a name in backticks is not a keyword.
  func isAt(keyword: StaticString) -> Bool {
    guard token.kind == .identifier, !token.isQuoted,
      token.end - token.start == keyword.utf8CodeUnitCount
    else { return false }
    return text == keyword.description
  }

  var isAtArrow: Bool { token.kind == .punctuation && token.end - token.start == 2 }

  /// Moves past `character` and returns true if it is the current token; otherwise returns false.
  mutating func consume(_ character: Character) -> Bool {
    guard isAt(character) else { return false }
    advance()
    return true
  }

  /// Moves past `(…)`, `[…]` or `{…}`; ignores the `#if` directives between the brackets.
  ///
  /// - Returns: false if the bracket at the position is not closed.
  @discardableResult
  mutating func skipBrackets() -> Bool {
    var depth = 0
    repeat {
      if isAtEnd { return false }
      if token.kind == .punctuation {
        switch token.first {
        case 40, 91, 123: depth += 1  // ( [ {
        case 41, 93, 125: depth -= 1  // ) ] }
        default: break
        }
      }
      advance()
    } while depth > 0
    return true
  }

  /// Moves past `<…>` if the current token is `<`.
  mutating func skipGenerics() {
    guard isAt("<") else { return }
    var depth = 0
    repeat {
      if isAtEnd { return }
      if isAt("<") { depth += 1 }
      if isAt(">") { depth -= 1 }
      if isAt("(") || isAt("[") { skipBrackets() } else { advance() }
    } while depth > 0
  }
}
