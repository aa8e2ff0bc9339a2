// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration

/// The rule that replaces `#keyPath(Item.order.title)` with its value, the string literal `"order.title"`.
///
/// A property can have another name in Objective-C; for example, `isHidden` of `UIView` is `hidden`. A key
/// path is therefore replaced only if the sources or the models declare all properties in the path.
///
/// Source: documented, The Swift Programming Language, “Key-Path String Expression”.
struct KeyPathRule: PortRule {
  let keys: ClassKeys

  func finding(at cursor: TokenCursor, in text: PortText) -> PortFinding? {
    guard cursor.token.kind == .punctuation, cursor.text == "#keyPath", cursor.following.first == 40
    else { return nil }
    let start = cursor.token.start
    var rest = cursor
    rest.advance()
    rest.advance()
    var names: [String] = []
    while rest.token.kind == .identifier {
      names.append(rest.text)
      rest.advance()
      if !rest.consume(".") { break }
    }
    guard rest.isAt(")"), !names.isEmpty else {
      return .left(start, "#keyPath: this form is not supported; write the key path as a string")
    }
    let range = start..<rest.token.end
    let written = names.joined(separator: ".")
    switch keys.keyPath(names, in: text.type(at: start)) {
    case .success(let path):
      return .rewritten(
        range,
        "#keyPath(\(written)) → \"\(path)\"",
        [SourceEdit(range, "\"\(path)\"")]
      )
    case .failure(let problem):
      return .left(start, "#keyPath(\(written)): write the key path as a string; \(problem.reason)")
    }
  }
}
