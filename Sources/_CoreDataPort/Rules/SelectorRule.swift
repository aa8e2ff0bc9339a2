// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration

/// The rule for `#selector(…)`.
///
/// The selector of a comparison that sort descriptors support, such as
/// `#selector(NSString.localizedStandardCompare(_:))`, is replaced with
/// `Selector(("localizedStandardCompare:"))`. The inner parentheses suppress the warning that Swift on
/// Apple's systems has for a selector in a string.
///
/// A statement that observes notifications or registers an undo action is written a second time for Linux;
/// see `SelectorStatement`.
struct SelectorRule: PortRule {
  private static let comparisons: Set<String> = [
    "compare", "caseInsensitiveCompare", "localizedCompare", "localizedCaseInsensitiveCompare",
    "localizedStandardCompare",
  ]
  private static let types: Set<String> = ["NSString", "NSNumber", "NSDate", "NSDecimalNumber"]

  func finding(at cursor: TokenCursor, in text: PortText) -> PortFinding? {
    guard cursor.token.kind == .punctuation, cursor.text == "#selector",
      cursor.following.first == 40
    else { return nil }
    let start = cursor.token.start
    var rest = cursor
    rest.advance()
    var inside = rest
    inside.advance()
    rest.skipBrackets()
    let range = start..<(rest.token(before: 1)?.end ?? start)
    let end = rest.index
    var parts: [String] = []
    while inside.index + 1 < end {
      parts.append(inside.text)
      inside.advance()
    }
    let written = "#selector(\(parts.joined()))"
    if let name = Self.comparison(parts) {
      let replacement = "Selector((\"\(name):\"))"
      return .rewritten(range, "\(written) → \(replacement)", [SourceEdit(range, replacement)])
    }
    guard let alternative = SelectorStatement.alternative(at: cursor) else {
      return .left(
        start,
        "\(written): pass a closure, or put the call inside #if canImport(ObjectiveC)"
      )
    }
    do {
      let statement = try SelectorStatement(around: cursor, in: text)
      return .rewritten(
        statement.range,
        "\(written) → \(statement.replacement) on Linux",
        statement.edits(in: text)
      )
    } catch {
      let advice =
        switch error {
        case .isPartOfOtherCode: "write the call on a line of its own, and port again"
        case .isNotUnderstood: "write \(alternative) with a closure"
        case .hasNoImport: "add import CoreData to the file, and port again"
        }
      return .left(start, "\(written): \(advice)")
    }
  }

  /// Returns the name of a comparison, such as `compare` for `NSString.compare(_:)`; nil for other methods.
  private static func comparison(_ parts: [String]) -> String? {
    var parts = parts[...]
    if parts.starts(with: ["Foundation", "."]) { parts = parts.dropFirst(2) }
    guard parts.count >= 3, let type = parts.popFirst(), types.contains(type),
      parts.popFirst() == ".", let name = parts.popFirst(), comparisons.contains(name)
    else { return nil }
    return parts.isEmpty || Array(parts) == ["(", "_", ":", ")"] ? name : nil
  }
}
