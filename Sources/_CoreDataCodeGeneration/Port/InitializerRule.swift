// SPDX-License-Identifier: Apache-2.0

/// The rule that adds `required` to `init(entity:insertInto:)` and `init(context:)` of managed objects, and
/// to `init()` of migration policies.
///
/// On Linux Core Data creates objects through these initializers, which Swift allows only if they are
/// required.
struct InitializerRule: PortRule {
  let keys: ClassKeys
  var appliesToInterpolations: Bool { false }

  func finding(at cursor: TokenCursor, in text: PortText) -> PortFinding? {
    guard cursor.isAt(keyword: "init"), cursor.text(before: 1) != ".", cursor.following.first == 40,
      let type = text.type(at: cursor.token.start)
    else { return nil }
    let labels = Self.labels(cursor)
    let start = DeclarationStart(before: cursor)
    if start.modifiers["required"] != nil { return nil }
    let written = "init(\(labels.map { $0 + ":" }.joined()))"
    let place: Int
    switch labels {
    case [] where !Self.hasRequiredInit(type): return nil
    case ["entity", "insertInto"], []:
      guard let override = start.modifiers["override"] else { return nil }
      place = override
    case ["context"]:
      guard isManaged(type), Self.takesContext(cursor) else { return nil }
      if type.kind == .extension {
        return .left(
          start.offset,
          "\(written): move it into the class and write required; an extension cannot override it"
        )
      }
      place = start.firstModifier ?? cursor.token.start
    default: return nil
    }
    return .rewritten(
      cursor.token.start..<cursor.token.end,
      "\(written) → required \(written)",
      [SourceEdit(place..<place, "required ")]
    )
  }

  private func isManaged(_ type: TypeDeclaration) -> Bool {
    guard type.kind == .class || type.kind == .extension else { return false }
    return keys.isManaged(ClassKeys.path(of: type))
  }

  private static func hasRequiredInit(_ type: TypeDeclaration) -> Bool {
    let classes: Set<String> = [
      "NSEntityMigrationPolicy", "NSEntityDescription", "NSAttributeDescription",
      "NSRelationshipDescription", "NSFetchedPropertyDescription", "NSDerivedAttributeDescription",
    ]
    return type.inherited.first.map { classes.contains($0.text) } ?? false
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
