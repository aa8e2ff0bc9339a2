// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration

/// The rule that finds initializers that Swift on Linux rejects in managed object classes: `init(context:)`
/// in an extension, and a designated initializer in a class that does not override
/// `init(entity:insertInto:)`.
struct InitializerRule: PortRule {
  let keys: ClassKeys
  var appliesToInterpolations: Bool { false }

  func finding(at cursor: TokenCursor, in text: PortText) -> PortFinding? {
    guard cursor.isAt(keyword: "init"), cursor.text(before: 1) != ".", cursor.following.first == 40,
      let type = text.type(at: cursor.token.start), keys.isManaged(ClassKeys.path(of: type))
    else { return nil }
    let start = DeclarationStart(before: cursor)
    let labels = Self.labels(cursor)
    let written = "init(\(labels.map { $0 + ":" }.joined()))"
    if type.kind == .extension {
      guard labels == ["context"], Self.takesContext(cursor) else { return nil }
      return .left(
        start.offset,
        "\(written): move it into the class, because an extension cannot override it"
      )
    }
    guard type.kind == .class, start.modifiers["convenience"] == nil,
      cursor.enclosingBracket()?.token.end == type.body?.lowerBound,
      !Self.overridesInitializer(type, cursor)
    else { return nil }
    return .left(
      start.offset,
      "\(written): also override init(entity:insertInto:), which Core Data calls, and which a class "
        + "with its own designated initializer does not inherit"
    )
  }

  /// Returns whether the body of a class declares `init(entity:insertInto:)`.
  private static func overridesInitializer(_ type: TypeDeclaration, _ cursor: TokenCursor) -> Bool {
    guard let body = type.body else { return false }
    let tokens = cursor.source.tokens
    return tokens.indices.contains { place in
      guard body.contains(tokens[place].start) else { return false }
      let found = cursor.moved(to: place)
      return found.isAt(keyword: "init") && found.text(before: 1) != "."
        && labels(found) == ["entity", "insertInto"]
    }
  }

  /// Returns the labels of the parameters of an initializer.
  private static func labels(_ cursor: TokenCursor) -> [String] {
    var cursor = cursor
    cursor.advance()
    cursor.advance()
    var labels: [String] = []
    while cursor.token.kind == .identifier {
      labels.append(cursor.text)
      while !cursor.isAtEnd, !cursor.isAt(","), !cursor.isAt(")") {
        if cursor.isAt("(") || cursor.isAt("[") || cursor.isAt("{") {
          cursor.skipBrackets()
        } else if cursor.isAt("<") {
          cursor.skipGenerics()
        } else {
          cursor.advance()
        }
      }
      if !cursor.consume(",") { break }
    }
    return labels
  }

  /// Returns whether the first parameter is an `NSManagedObjectContext`, as in `NSManagedObject`.
  private static func takesContext(_ cursor: TokenCursor) -> Bool {
    var cursor = cursor
    while !cursor.isAtEnd, !cursor.isAt(":") { cursor.advance() }
    cursor.advance()
    let type = cursor.parseType().text
    return ["NSManagedObjectContext", "CoreData.NSManagedObjectContext"].contains(type)
  }
}
