// SPDX-License-Identifier: Apache-2.0

/// A type of this library, used by a target, that has the same name as an empty class in Foundation on Linux.
///
/// In a source that imports both `CoreData` and Foundation, the name is ambiguous unless the target's module
/// contains a type alias with this name, which has precedence over imported types.
struct ShadowedType {
  let name: String
  /// The access level of the type alias: `public` if the signature of a public declaration contains the name,
  /// `package` if that of a package declaration contains the name, otherwise `internal`.
  let access: DeclaredAccess

  private static let names = ["NSExpression", "NSComparisonPredicate"]

  /// Returns the types for which the target needs type aliases.
  ///
  /// A type is left out if no source that uses its name imports a module other than `CoreData`, or if a
  /// source declares a top-level type or type alias with this name.
  static func all(in target: ModuleSources) -> [ShadowedType] {
    names.compactMap { name in
      let uses = target.sources(with: name).map {
        Use(of: name, in: SwiftLexer.tokens(of: Array($0.bytes.dropLast())))
      }
      .filter(\.needsAlias)
      guard let access = uses.compactMap(\.access).max() else { return nil }
      let own = target.types(named: name).filter { type in
        type.parent == nil && type.kind != .extension
          && !ConditionEvaluator.excludes(type.conditions)
      }
      return own.isEmpty ? ShadowedType(name: name, access: access) : nil
    }
  }
}

/// The uses of a type's name in one source.
private struct Use {
  private enum Scope {
    /// The body of an extension or protocol, whose members have this access level by default.
    case members(DeclaredAccess)
    /// The body of an enumeration, whose cases have this access level.
    case cases(DeclaredAccess)
    case type
    case body
  }

  /// The highest access level of the declarations whose signature contains the name; nil if the source does not
  /// use the name.
  private(set) var access: DeclaredAccess?
  private var importsOthers = false
  private var isInlinable = false
  private var scopes: [Scope] = []
  private var pending: DeclaredAccess?
  /// The access level of the declaration that is being read, and the scope that its braces open.
  private var declared = DeclaredAccess.internal
  private var opening: Scope?

  /// Whether the source uses the name and imports a module that may contain Foundation's class.
  var needsAlias: Bool { access != nil && importsOthers }

  init(of name: String, in tokens: SwiftTokens) {
    var cursor = TokenCursor(tokens)
    while !cursor.isAtEnd {
      if cursor.isAt("{") {
        scopes.append(opening ?? .body)
        opening = nil
      } else if cursor.isAt("}") {
        _ = scopes.popLast()
        pending = nil
        declared = .internal
      } else if cursor.token.kind == .identifier {
        let text = cursor.text
        if text == name {
          let before = cursor.text(before: 1)
          // A name before a colon, as in `f(NSExpression: 1)`, is an argument label.
          let isLabel = cursor.following.first == 58 && ["(", ","].contains(before)
          if before != ".", !isLabel { add() }
        } else if !cursor.token.isQuoted {
          keyword(text, cursor)
        }
      }
      cursor.advance()
    }
    if isInlinable, access != nil { access = .public }
  }

  private mutating func add() {
    var level = declared
    if case .body? = scopes.last { level = .internal }
    access = max(access ?? .internal, level)
  }

  private mutating func keyword(_ text: String, _ cursor: TokenCursor) {
    switch text {
    case "import":
      let module = cursor.source.text(cursor.following)
      if module != "CoreData" { importsOthers = true }
    case "public", "open": if cursor.following.first != 40 { pending = .public }  // 40 is “(”.
    case "package": pending = .package
    case "internal", "fileprivate", "private":
      if cursor.following.first != 40 { pending = .internal }
    case "inlinable", "usableFromInline": isInlinable = true
    case "class" where Self.members.contains(cursor.source.text(cursor.following)): break
    case "extension", "protocol", "enum", "class", "struct", "actor":
      // After a dot, or if no name follows, the keyword does not begin a declaration.
      guard cursor.text(before: 1) != ".", cursor.following.kind == .identifier else { return }
      begin()
      opening =
        switch text {
        case "extension", "protocol": .members(declared)
        case "enum": .cases(declared)
        default: .type
        }
    case "case":
      if case .cases(let level)? = scopes.last { declared = level }
    case "var", "let", "func", "init", "subscript", "typealias", "associatedtype":
      if cursor.text(before: 1) == "." { return }
      begin()
      opening = nil
    default: break
    }
  }

  private mutating func begin() {
    var level = DeclaredAccess.internal
    if case .members(let given)? = scopes.last { level = given }
    declared = pending ?? level
    pending = nil
  }

  private static let members: Set = ["func", "var", "let", "subscript", "override", "final"]
}
