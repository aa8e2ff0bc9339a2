// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration

/// The attributes and modifiers between the start of a declaration and a token in it.
struct DeclarationStart {
  /// The offset of the first attribute or modifier; the offset of the token if neither precedes it.
  private(set) var offset: Int
  /// The offset of the first modifier; nil if the declaration has no modifiers before the token.
  private(set) var firstModifier: Int?
  /// The offsets of the modifiers by name, such as `override`.
  private(set) var modifiers: [String: Int] = [:]

  /// Finds the attributes and modifiers before `position`, which is at an attribute, modifier or keyword.
  init(before position: TokenCursor) {
    offset = position.token.start
    var cursor = position
    while let last = cursor.token(before: 1) {
      if last.kind == .identifier {
        let name = cursor.moved(to: cursor.index - 1)
        guard let start = step(to: name) else { return }
        cursor = start
      } else if last.kind == .punctuation, last.first == 41,
        let open = cursor.openingBracketBefore(),
        open.token(before: 1)?.kind == .identifier
      {
        guard let start = step(to: open.moved(to: open.index - 1)) else { return }
        cursor = start
      } else {
        return
      }
    }
  }

  /// The tokens after which a modifier keyword is an ordinary name, as in `var optional`.
  private static let namePrefixes: Set<String> = [
    ".", "case", "=", ",", ":", "var", "let", "func", "import",
  ]

  /// Records the attribute or modifier with the name at the cursor, and returns its start; nil if the name
  /// is part of other code.
  private mutating func step(to name: TokenCursor) -> TokenCursor? {
    var start = name
    // The name of an attribute can be qualified, as in `@Swift.MainActor`.
    while start.text(before: 1) == ".", start.token(before: 2)?.kind == .identifier {
      start = start.moved(to: start.index - 2)
    }
    if start.text(before: 1) == "@" {
      start = start.moved(to: start.index - 1)
    } else {
      var prefix = DeclarationPrefix()
      var copy = name
      guard start.index == name.index, !name.token.isQuoted,
        !Self.namePrefixes.contains(name.text(before: 1)), prefix.readModifier(&copy)
      else { return nil }
      firstModifier = name.token.start
      modifiers[name.text] = name.token.start
    }
    offset = start.token.start
    return start
  }
}
