// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration

/// A statement that observes notifications or registers an undo action with a selector, such as
/// `center.addObserver(self, selector: #selector(changed(_:)), name: name, object: nil)`.
///
/// The ported file contains the statement twice: unchanged in `#if canImport(ObjectiveC)`, and in `#else`
/// with a selector that contains the method, so that `CoreDataCompatibility` can call the method.
struct SelectorStatement {
  enum Obstacle: Error {
    /// The call is not a statement on lines of its own.
    case isPartOfOtherCode
    /// The statement has no receiver, or the selector does not name a method of a type.
    case isNotUnderstood
    /// The file has no import beside which `CoreDataCompatibility` can be imported.
    case hasNoImport
  }

  /// The functions with a parameter `selector`, and their forms with a closure.
  private static let functions = [
    "addObserver": "addObserver(forName:object:queue:using:)",
    "registerUndo": "registerUndo(withTarget:handler:)",
  ]

  /// The offsets from the receiver to the closing parenthesis.
  let range: Range<Int>
  /// The offsets of `#selector(…)`.
  let selector: Range<Int>
  /// The selector with its method, such as `Selector("changed:", Library.changed(_:))`.
  let replacement: String

  /// Returns the closure-based function that can replace the call around the `#selector` at the cursor; nil
  /// if there is no such function.
  static func alternative(at cursor: TokenCursor) -> String? {
    guard cursor.text(before: 1) == ":", cursor.text(before: 2) == "selector",
      let open = cursor.enclosingBracket()
    else { return nil }
    return functions[open.text(before: 1)]
  }

  /// Reads the statement around the `#selector` at the cursor; call only if `alternative(at:)` is not nil.
  init(around cursor: TokenCursor, in text: PortText) throws(Obstacle) {
    guard let open = cursor.enclosingBracket(),
      let start = Self.receiver(of: open.moved(to: open.index - 1))
    else { throw .isNotUnderstood }
    var rest = open
    guard rest.skipBrackets(), let close = rest.token(before: 1) else { throw .isNotUnderstood }
    range = start..<close.end
    let next = text.skipBlanks(close.end)
    guard text.skipBlanksBackward(start) <= text.lineStart(of: start),
      next == text.lineEnd(of: close.end)
        || text.bytes[next...].starts(with: Array("//".utf8)),
      // The statement is copied with all of its parts, so other rules, or the developer, must change those
      // first.
      !Self.hasOther(open, rest, than: cursor)
    else { throw .isPartOfOtherCode }
    guard let (method, end) = Self.method(at: cursor, in: text) else { throw .isNotUnderstood }
    guard Self.hasImport(text) else { throw .hasNoImport }
    selector = cursor.token.start..<end
    replacement = method
  }

  /// Returns the edits that write the statement a second time.
  func edits(in text: PortText) -> [SourceEdit] {
    let line = text.newline + text.indentation(at: range.lowerBound)
    let copy =
      text.text(range.lowerBound..<selector.lowerBound) + replacement
      + text.text(selector.upperBound..<range.upperBound)
    let end = text.lineEnd(of: range.upperBound)
    return [
      SourceEdit(range.lowerBound..<range.lowerBound, "#if canImport(ObjectiveC)" + line),
      SourceEdit(end..<end, "\(line)#else\(line)\(copy)\(line)#endif"),
    ]
  }

  /// Returns the offset of the receiver of a method call; nil if the call has no receiver.
  ///
  /// A receiver is, for example, `NotificationCenter.default`.
  private static func receiver(of method: TokenCursor) -> Int? {
    var place = method
    guard place.text(before: 1) == "." else { return nil }
    while place.text(before: 1) == "." {
      var before = place.moved(to: place.index - 1)
      if before.text(before: 1) == "?" || before.text(before: 1) == "!" {
        before = before.moved(to: before.index - 1)
      }
      if before.text(before: 1) == ")" {
        guard let open = before.openingBracketBefore() else { return nil }
        before = open
      }
      guard let name = before.token(before: 1), name.kind == .identifier else { return nil }
      place = before.moved(to: before.index - 1)
    }
    return place.token.start
  }

  /// Returns whether the statement contains a directive, or another expression that begins with `#`.
  private static func hasOther(
    _ open: TokenCursor,
    _ end: TokenCursor,
    than cursor: TokenCursor
  ) -> Bool {
    var place = open
    while place.index < end.index {
      if place.index != cursor.index,
        place.token.kind == .condition
          || place.token.kind == .punctuation && place.token.first == 35  // #
      {
        return true
      }
      place.advance()
    }
    return false
  }

  /// Returns the selector with its method, and the end of `#selector(…)`; nil if the form of the selector is
  /// not supported.
  private static func method(at cursor: TokenCursor, in text: PortText) -> (String, Int)? {
    var rest = cursor
    rest.advance()
    guard rest.isAt("(") else { return nil }
    var inside = rest
    inside.advance()
    rest.skipBrackets()
    guard let end = rest.token(before: 1)?.end else { return nil }
    var names: [String] = []
    while inside.token.kind == .identifier {
      names.append(inside.text)
      inside.advance()
      if !inside.consume(".") { break }
    }
    guard let name = names.last else { return nil }
    var labels: [String]? = nil
    if inside.isAt("(") {
      inside.advance()
      var found: [String] = []
      while inside.token.kind == .identifier, inside.following.first == 58 {  // :
        found.append(inside.text)
        inside.advance()
        inside.advance()
      }
      guard inside.consume(")") else { return nil }
      labels = found
    }
    guard inside.isAt(")"), labels.map({ $0.count <= 1 }) ?? true else { return nil }
    if names.count > 1, ["self", "Self"].contains(names[0]) { names.removeFirst() }
    if names.count == 1 {
      guard let type = text.type(at: cursor.token.start) else { return nil }
      names.insert(type.kind == .extension ? type.name : ClassKeys.path(of: type), at: 0)
    }
    let arguments = labels.map { "(" + $0.map { $0 + ":" }.joined() + ")" } ?? ""
    let title = objectiveCName(name, labels ?? (takesArgument(name, in: text) ? ["_"] : []))
    // `f()` would be a call; `f` is a reference to the method.
    let reference = names.joined(separator: ".") + (arguments == "()" ? "" : arguments)
    return ("Selector(\"\(title)\", \(reference))", end)
  }

  /// Returns the Objective-C name of a method.
  private static func objectiveCName(_ name: String, _ labels: [String]) -> String {
    guard let label = labels.first else { return name }
    return label == "_"
      ? name + ":" : "\(name)With\(label.prefix(1).uppercased())\(label.dropFirst()):"
  }

  /// Returns whether the file declares a function of this name with a parameter.
  private static func takesArgument(_ name: String, in text: PortText) -> Bool {
    var cursor = TokenCursor(text.codes[0])
    while !cursor.isAtEnd {
      if cursor.isAt(keyword: "func"), cursor.source.text(cursor.following) == name {
        cursor.advance()
        cursor.advance()
        return cursor.isAt("(") && cursor.following.first != 41  // )
      }
      cursor.advance()
    }
    return false
  }

  // MARK: The import

  private static func hasImport(_ text: PortText) -> Bool {
    text.declarations.imports.contains(CompatibilityImportRule.module)
      || CompatibilityImportRule.place(in: text) != nil
  }
}
