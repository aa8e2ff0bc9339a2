// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration

/// The rule that imports `CoreDataCompatibility` on Linux, in each file in which `SelectorRule` writes a
/// statement that requires this module.
struct CompatibilityImportRule: PortRule {
  static let module = "CoreDataCompatibility"
  var appliesToInterpolations: Bool { false }

  func finding(at cursor: TokenCursor, in text: PortText) -> PortFinding? {
    guard cursor.isAt(keyword: "import"), text.hasSelector, let place = Self.place(in: text),
      place.import == cursor.token.start, !text.declarations.imports.contains(Self.module),
      Self.isNeeded(in: text)
    else { return nil }
    let line = text.newline + text.indentation(at: cursor.token.start)
    let block = "\(line)#if !canImport(ObjectiveC)\(line)import \(Self.module)\(line)#endif"
    return .rewritten(
      cursor.token.start..<cursor.token.end,
      "an import of \(Self.module) on Linux, for the selectors in the file; add this product to the target",
      [SourceEdit(place.end..<place.end, block)]
    )
  }

  /// Returns whether `SelectorRule` rewrites a statement of the file to use the module.
  private static func isNeeded(in text: PortText) -> Bool {
    var cursor = TokenCursor(text.codes[0])
    while !cursor.isAtEnd {
      if cursor.token.kind == .punctuation, cursor.text == "#selector",
        SelectorStatement.alternative(at: cursor) != nil, !text.isExcluded(cursor.token.start)
      {
        // If the statement is not rewritten, `SelectorRule` reports the obstacle.
        let statement = try? SelectorStatement(around: cursor, in: text)
        if statement != nil { return true }
      }
      cursor.advance()
    }
    return false
  }

  /// Finds the last import that is outside of `#if`, on a line of its own, and of a module that Linux has.
  ///
  /// Returns the start of the import and the end of its line; nil if there is no such import.
  static func place(in text: PortText) -> (import: Int, end: Int)? {
    var cursor = TokenCursor(text.codes[0])
    var conditions = ConditionStack()
    var found: (import: Int, end: Int)?
    while !cursor.isAtEnd {
      if cursor.token.kind == .condition {
        conditions.apply(cursor.text)
      } else if cursor.isAt(keyword: "import"), conditions.current.isEmpty,
        cursor.following.kind == .identifier, cursor.text(before: 1) != ".",
        AppleModule.named(cursor.source.text(cursor.following)) == nil,
        let end = end(of: cursor, in: text)
      {
        found = (cursor.token.start, end)
      }
      cursor.advance()
    }
    return found
  }

  /// Returns the end of the line of an import; nil if other code is on the line.
  private static func end(of cursor: TokenCursor, in text: PortText) -> Int? {
    let start = DeclarationStart(before: cursor).offset
    let end = text.lineEnd(of: cursor.token.start)
    guard text.skipBlanksBackward(start) <= text.lineStart(of: start) else { return nil }
    var rest = cursor
    rest.advance()
    while !rest.isAtEnd, rest.token.start < end {
      if rest.token.kind != .identifier, !rest.isAt(".") { return nil }
      rest.advance()
    }
    return end
  }
}
