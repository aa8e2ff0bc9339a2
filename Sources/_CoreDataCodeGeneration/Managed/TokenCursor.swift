// SPDX-License-Identifier: Apache-2.0

/// A position in the tokens of a source file.
package struct TokenCursor {
  package let source: SwiftTokens
  package private(set) var index = 0

  package init(_ source: SwiftTokens) { self.source = source }

  package var token: SwiftToken { source.tokens[index] }
  package var isAtEnd: Bool { token.kind == .end }
  package var text: String { source.text(token) }
  /// The token after the current one; at the end, the last token.
  package var following: SwiftToken { source.tokens[min(index + 1, source.tokens.count - 1)] }

  /// Returns the token that is `distance` tokens before the current one; nil before the first token.
  package func token(before distance: Int) -> SwiftToken? {
    index >= distance ? source.tokens[index - distance] : nil
  }

  /// Returns the text of the token that is `distance` tokens before the current one; "" before the first
  /// token.
  package func text(before distance: Int) -> String {
    token(before: distance).map(source.text) ?? ""
  }

  /// Returns a cursor at another token of the same source.
  package func moved(to index: Int) -> TokenCursor {
    var cursor = self
    cursor.index = index
    return cursor
  }

  package mutating func advance() {
    if !isAtEnd { index += 1 }
  }

  /// Returns whether the token is this punctuation character.
  package func isAt(_ character: Character) -> Bool {
    token.kind == .punctuation && token.end - token.start == 1
      && token.first == character.asciiValue
  }

  /// Returns whether the token is this keyword; a name in backticks is not a keyword.
  package func isAt(keyword: StaticString) -> Bool {
    guard token.kind == .identifier, !token.isQuoted,
      token.end - token.start == keyword.utf8CodeUnitCount
    else { return false }
    return text == keyword.description
  }

  package var isAtArrow: Bool { token.kind == .punctuation && token.end - token.start == 2 }

  /// Moves past `character` and returns true if it is the current token; otherwise returns false.
  package mutating func consume(_ character: Character) -> Bool {
    guard isAt(character) else { return false }
    advance()
    return true
  }

  /// Moves past `(…)`, `[…]` or `{…}`; ignores the `#if` directives between the brackets.
  ///
  /// - Returns: false if the bracket at the position is not closed.
  @discardableResult
  package mutating func skipBrackets() -> Bool {
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
  package mutating func skipGenerics() {
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
