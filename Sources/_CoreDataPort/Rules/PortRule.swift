// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration

/// A rule that finds one kind of text that Swift on Linux refuses.
protocol PortRule {
  /// Returns the finding for the text that begins at the cursor; nil if the rule does not apply there.
  func finding(at cursor: TokenCursor, in text: PortText) -> PortFinding?

  /// Whether the rule applies to code in the interpolations of strings, where it must not insert line breaks.
  var appliesToInterpolations: Bool { get }
}

extension PortRule {
  var appliesToInterpolations: Bool { true }
}

extension TokenCursor {
  /// Returns a cursor at the opening bracket for the closing bracket before the current token; nil if the
  /// opening bracket is missing.
  func openingBracketBefore() -> TokenCursor? {
    var depth = 0
    var place = index - 1
    while place >= 0 {
      let token = source.tokens[place]
      if token.kind == .punctuation {
        switch token.first {
        case 41, 93, 125: depth += 1  // ) ] }
        case 40, 91, 123: depth -= 1  // ( [ {
        default: break
        }
      }
      if depth == 0 { return moved(to: place) }
      place -= 1
    }
    return nil
  }

  /// Returns a cursor at the opening bracket around the current token; nil outside of brackets.
  func enclosingBracket() -> TokenCursor? {
    var depth = 0
    var place = index - 1
    while place >= 0 {
      let token = source.tokens[place]
      if token.kind == .punctuation {
        switch token.first {
        case 41, 93, 125: depth += 1  // ) ] }
        case 40, 91, 123:  // ( [ {
          if depth == 0 { return moved(to: place) }
          depth -= 1
        default: break
        }
      }
      place -= 1
    }
    return nil
  }

  /// Whether no blank or comment separates the current token from the token before it.
  var isAdjacent: Bool { token(before: 1).map { $0.end == token.start } ?? false }
}
