// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration

/// The rule that puts `@objc`, `@objc(Name)` and `@objcMembers` into `#if canImport(ObjectiveC)`.
///
/// A directive is allowed among the attributes of a declaration, but not after a modifier. An attribute that
/// follows a modifier is therefore moved before the first modifier.
///
/// Source: documented, SE-0367; tried with Swift 6.3.
struct AttributeRule: PortRule {
  private static let names: Set<String> = ["objc", "objcMembers"]
  var appliesToInterpolations: Bool { false }

  func finding(at cursor: TokenCursor, in text: PortText) -> PortFinding? {
    guard var rest = Self.attribute(at: cursor), var end = rest.token(before: 1)?.end else {
      return nil
    }
    let start = cursor.token.start
    // Adjacent attributes on a line, such as `@objc @objcMembers`, share one `#if` block.
    while text.skipBlanks(end) == rest.token.start, let next = Self.attribute(at: rest) {
      rest = next
      end = rest.token(before: 1)?.end ?? end
    }
    let attribute = text.text(start..<end)
    let first = DeclarationStart(before: cursor).firstModifier ?? start
    var edits =
      first == start ? surround(start..<end, in: text) : move(start..<end, to: first, in: text)
    var message = "\(attribute) → inside #if canImport(ObjectiveC)"
    if let place = Self.boundlessProtocol(rest) {
      edits.append(SourceEdit(place..<place, ": AnyObject"))
      message += ", and the protocol inherits AnyObject"
    }
    return .rewritten(start..<end, message, edits)
  }

  /// Returns a cursor after the attribute at the cursor; nil unless Swift on Linux refuses the attribute.
  private static func attribute(at cursor: TokenCursor) -> TokenCursor? {
    guard cursor.isAt("@"), cursor.following.kind == .identifier,
      cursor.following.start == cursor.token.end,
      names.contains(cursor.source.text(cursor.following))
    else { return nil }
    var rest = cursor
    rest.advance()
    rest.advance()
    if rest.isAt("("), rest.token.line == cursor.token.line { rest.skipBrackets() }
    return rest
  }

  // MARK: Edits

  private func surround(_ range: Range<Int>, in text: PortText) -> [SourceEdit] {
    let indentation = text.indentation(at: range.lowerBound)
    let line = text.newline + indentation
    let before = opening(at: range.lowerBound, in: text)
    let next = text.skipBlanks(range.upperBound)
    let lineEnd = text.lineEnd(of: range.upperBound)
    if next == lineEnd {
      return [before, SourceEdit(range.upperBound..<range.upperBound, line + "#endif")]
    }
    if text.bytes[next...].starts(with: Array("//".utf8)) {
      return [before, SourceEdit(lineEnd..<lineEnd, line + "#endif")]
    }
    return [before, SourceEdit(range.upperBound..<next, line + "#endif" + line)]
  }

  private func move(_ range: Range<Int>, to place: Int, in text: PortText) -> [SourceEdit] {
    let line = text.newline + text.indentation(at: place)
    let start = opening(at: place, in: text)
    let block = start.replacement + text.text(range) + line + "#endif" + line
    let end = text.skipBlanks(range.upperBound)
    let isLast = end == text.lineEnd(of: range.upperBound)
    let begin = isLast ? text.skipBlanksBackward(range.lowerBound) : range.lowerBound
    return [SourceEdit(start.range, block), SourceEdit(begin..<end, "")]
  }

  /// Returns the edit that inserts the `#if` line before the text at `place`.
  private func opening(at place: Int, in text: PortText) -> SourceEdit {
    let line = text.newline + text.indentation(at: place)
    let blank = text.skipBlanksBackward(place)
    let directive = "#if canImport(ObjectiveC)" + line
    return blank <= text.lineStart(of: place)
      ? SourceEdit(place..<place, directive) : SourceEdit(blank..<place, line + directive)
  }

  // MARK: Protocols

  /// Returns the offset after the name of a protocol without inherited protocols; nil for other declarations.
  ///
  /// `@objc` makes a protocol a class protocol, which `weak` variables need. Without the attribute the
  /// protocol has to inherit `AnyObject`.
  private static func boundlessProtocol(_ cursor: TokenCursor) -> Int? {
    var cursor = cursor
    var prefix = DeclarationPrefix()
    while !cursor.isAtEnd {
      if cursor.isAt("@") {
        cursor.advance()
        cursor.advance()
        if cursor.isAt("(") { cursor.skipBrackets() }
      } else if cursor.token.kind == .condition {
        cursor.advance()
      } else if cursor.token.kind != .identifier || !prefix.readModifier(&cursor) {
        break
      }
    }
    guard cursor.isAt(keyword: "protocol") else { return nil }
    cursor.advance()
    let name = cursor.token
    cursor.advance()
    guard cursor.isAt("{") || cursor.isAt(keyword: "where") else { return nil }
    return name.isQuoted ? name.end + 1 : name.end
  }
}
