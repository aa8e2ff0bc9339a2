// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration

/// The rule that replaces `NSPredicate(format: f, arguments: getVaList(values))` with
/// `NSPredicate(format: f, argumentArray: values)`, and does the same for `NSExpression`.
///
/// A `va_list` on Linux cannot contain objects, so these initializers are unavailable there.
struct FormatArgumentsRule: PortRule {
  private static let types: Set<String> = ["NSPredicate", "NSExpression"]

  func finding(at cursor: TokenCursor, in text: PortText) -> PortFinding? {
    guard cursor.isAt(keyword: "arguments"), cursor.following.first == 58,  // :
      let open = cursor.enclosingBracket(), Self.isInitializer(open)
    else { return nil }
    let start = cursor.token.start
    var rest = cursor
    rest.advance()
    rest.advance()
    guard rest.isAt(keyword: "getVaList"), rest.following.first == 40 else {  // (
      return .left(
        start,
        "arguments: takes a va_list, which cannot contain objects on Linux; pass an array to argumentArray:"
      )
    }
    rest.advance()
    let values = rest.following.start
    rest.skipBrackets()
    guard rest.isAt(")"), let close = rest.token(before: 1) else {
      return .left(start, "arguments: takes a va_list; pass an array to argumentArray:")
    }
    return .rewritten(
      start..<close.end,
      "arguments: getVaList(…) → argumentArray: …",
      [SourceEdit(start..<values, "argumentArray: "), SourceEdit(close.start..<close.end, "")]
    )
  }

  /// Returns whether the bracket opens the arguments of an initializer of one of the types.
  private static func isInitializer(_ open: TokenCursor) -> Bool {
    types.contains(open.text(before: 1))
      || open.text(before: 1) == "init" && types.contains(open.text(before: 3))
  }
}
