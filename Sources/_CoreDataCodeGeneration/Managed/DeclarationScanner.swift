// SPDX-License-Identifier: Apache-2.0

/// Finds the types, extensions and `@NSManaged` members of a source file.
///
/// The scanner reads declarations, and skips the bodies of functions and the values of variables. If a source
/// does not compile, the scanner reports only unbalanced brackets and unterminated strings and comments. The
/// compiler reports the other errors.
package struct DeclarationScanner {
  private var cursor: TokenCursor
  private var result: SourceDeclarations
  private var conditions = ConditionStack()
  private var prefix = DeclarationPrefix()

  /// Returns the declarations in the text of a source file; `file` is the file's path.
  package static func scan(_ bytes: [UInt8], file: String) -> SourceDeclarations {
    let tokens = SwiftLexer.tokens(of: bytes)
    var scanner = DeclarationScanner(tokens, file: file)
    if let line = tokens.unfinishedLine {
      scanner.note(line, "a string or comment that begins here does not end" + Self.consequence)
    }
    scanner.body(of: nil)
    return scanner.result
  }

  private init(_ tokens: SwiftTokens, file: String) {
    cursor = TokenCursor(tokens)
    result = SourceDeclarations(file: file)
  }

  private mutating func note(_ line: Int, _ reason: String, isError: Bool = false) {
    result.problems.append(SourceProblem(line: line, reason: reason, isError: isError))
  }

  private static let consequence =
    ", so accessors of @NSManaged members in this file may be missing; correct the syntax error, which the "
    + "compiler also reports"

  // MARK: Bodies

  /// Reads declarations up to the end of the file, or up to the `}` of a type.
  private mutating func body(of type: TypeDeclaration?) {
    while !cursor.isAtEnd {
      let token = cursor.token
      switch token.kind {
      case .condition: conditions.apply(cursor.text)
      case .identifier:
        if !token.isQuoted, keyword(in: type) { continue }
      case .punctuation:
        if cursor.isAt("}") {
          if type != nil { return }
          note(token.line, "this “}” closes nothing" + Self.consequence)
          return
        }
        if cursor.isAt("@") {
          attribute()
          continue
        }
        if cursor.isAt(".") {
          // The name after a dot is not a keyword.
          cursor.advance()
          if cursor.token.kind == .identifier { cursor.advance() }
          continue
        }
        if cursor.isAt("(") || cursor.isAt("[") || cursor.isAt("{") {
          skipBody()
          continue
        }
      case .literal, .end: break
      }
      cursor.advance()
    }
    if let type { note(type.line, "the “{” of \(type.name) is not closed" + Self.consequence) }
  }

  /// Skips a body or a list in brackets.
  ///
  /// Reports an error for `@NSManaged` inside, because the accessors of a local class cannot be generated.
  private mutating func skipBody() {
    let start = cursor
    if !cursor.skipBrackets() {
      note(start.token.line, "this “\(start.text)” is not closed" + Self.consequence)
    }
    var inside = start
    while inside.index + 1 < cursor.index {
      if inside.isAt("@"), inside.source.text(inside.following) == "NSManaged" {
        note(
          inside.token.line,
          "no accessors can be generated for a class in a function; declare the class outside the function",
          isError: true
        )
        break
      }
      inside.advance()
    }
    prefix.clear()
  }

  /// Reads the declaration or modifier at the position; returns false if neither begins there.
  private mutating func keyword(in type: TypeDeclaration?) -> Bool {
    let text = cursor.text
    if text == "import" {
      importDeclaration()
      return true
    }
    if let kind = TypeDeclaration.Kind(rawValue: text), cursor.following.kind == .identifier,
      !isModifier
    {
      declaration(kind, in: type)
      return true
    }
    if text == "var" || text == "func", cursor.following.kind == .identifier || prefix.isManaged {
      if prefix.isManaged, let type {
        member(in: type)
      } else {
        if text == "var", let type { property(in: type) }
        cursor.advance()
        if cursor.token.kind == .identifier { cursor.advance() }
      }
      prefix.clear()
      return true
    }
    if prefix.readModifier(&cursor) { return true }
    if ["init", "subscript", "let", "case", "deinit", "associatedtype", "operator"].contains(text) {
      prefix.clear()
    }
    return false
  }

  /// Whether `class` is a modifier, as in `class func`.
  private var isModifier: Bool {
    guard cursor.isAt(keyword: "class") else { return false }
    return [
      "func", "var", "let", "subscript", "override", "final", "public", "private", "internal",
      "fileprivate", "open", "package", "dynamic", "nonisolated",
    ].contains(cursor.source.text(cursor.following)) && !cursor.following.isQuoted
  }

  private mutating func importDeclaration() {
    cursor.advance()
    let kinds = ["class", "struct", "enum", "protocol", "typealias", "func", "var", "let"]
    if kinds.contains(cursor.text), cursor.following.kind == .identifier { cursor.advance() }
    if cursor.token.kind == .identifier { result.imports.append(cursor.text) }
    cursor.advance()
    prefix.clear()
  }

  // MARK: Attributes

  private mutating func attribute() {
    cursor.advance()
    guard cursor.token.kind == .identifier else { return }
    let name = cursor.text
    cursor.advance()
    while cursor.isAt("."), cursor.following.kind == .identifier {
      cursor.advance()
      cursor.advance()
    }
    var argument: String?
    if cursor.isAt("(") {
      let first = cursor.following
      let start = cursor.token.end
      cursor.skipBrackets()
      let end = cursor.source.tokens[max(cursor.index - 1, 0)].start
      if first.kind == .identifier, start <= end {
        let bytes = cursor.source.bytes[start..<end].filter { $0 != 32 }
        argument = String(decoding: bytes, as: UTF8.self)
      }
    }
    switch name {
    case "NSManaged": prefix.managed(in: conditions.current)
    case "objc": prefix.objectiveCName = argument ?? prefix.objectiveCName
    default: break
    }
  }

  // MARK: Types

  private mutating func declaration(_ kind: TypeDeclaration.Kind, in parent: TypeDeclaration?) {
    let line = cursor.token.line
    cursor.advance()
    let syntax: TypeSyntax? = kind == .extension ? cursor.parseType() : nil
    var name = syntax?.text ?? cursor.text
    if kind != .extension { cursor.advance() }
    if name.isEmpty { name = "?" }
    let type = TypeDeclaration(
      kind: kind,
      name: name,
      file: result.file,
      line: line,
      parent: parent
    )
    type.underlying = syntax
    type.access = prefix.access
    type.objectiveCName = prefix.objectiveCName
    type.conditions = conditions.current
    prefix.clear()
    if cursor.isAt("<") { genericParameters(of: type) }
    if kind == .typealias {
      if cursor.consume("=") { type.underlying = cursor.parseType() }
      add(type, to: parent)
      return
    }
    if cursor.consume(":") {
      repeat { type.inherited.append(cursor.parseType()) } while cursor.consume(",")
    }
    while !cursor.isAtEnd, !cursor.isAt("{") {
      if cursor.isAt(keyword: "where") { type.hasWhereClause = true }
      if cursor.isAt("}") { return }
      cursor.advance()
    }
    add(type, to: parent)
    if cursor.isAtEnd { return note(line, "\(kind) \(name) has no body" + Self.consequence) }
    let start = cursor.token.end
    cursor.advance()
    body(of: type)
    type.body = start..<max(start, cursor.token.start)
    _ = cursor.consume("}")
    prefix.clear()
  }

  private mutating func genericParameters(of type: TypeDeclaration) {
    let start = cursor
    cursor.skipGenerics()
    var inside = start
    inside.advance()
    var isName = true
    while inside.index < cursor.index {
      if isName, inside.token.kind == .identifier {
        type.genericParameters.append(inside.text)
        isName = false
      }
      if inside.isAt(",") { isName = true }
      inside.advance()
    }
  }

  private mutating func add(_ type: TypeDeclaration, to parent: TypeDeclaration?) {
    if let parent { parent.add(type) } else { result.types.append(type) }
  }

  // MARK: Members

  /// Records the property without `@NSManaged` at the cursor, and does not move the cursor.
  private func property(in type: TypeDeclaration) {
    guard !prefix.isStatic, cursor.following.kind == .identifier else { return }
    var reader = cursor
    reader.advance()
    let name = reader.text
    reader.advance()
    let written = reader.consume(":") ? reader.parseType() : nil
    type.properties.append(
      DeclaredProperty(name: name, type: written, objectiveCName: prefix.objectiveCName)
    )
  }

  private mutating func member(in type: TypeDeclaration) {
    let isFunction = cursor.isAt(keyword: "func")
    cursor.advance()
    if isFunction {
      let name = cursor.text
      let line = cursor.token.line
      cursor.advance()
      let signature = functionSignature()
      append(name, signature.kind, line, obstacle: signature.obstacle, to: type)
    } else {
      properties(of: type)
    }
  }

  /// Reads `name: Type`, or several names with one or more types, as in `x, y: Double, name: String?`.
  private mutating func properties(of type: TypeDeclaration) {
    var waiting: [(name: String, line: Int)] = []
    repeat {
      guard cursor.token.kind == .identifier else { break }
      waiting.append((cursor.text, cursor.token.line))
      cursor.advance()
      if cursor.consume(":") {
        let written = cursor.parseType()
        for property in waiting {
          append(property.name, .property(written), property.line, obstacle: nil, to: type)
        }
        waiting = []
      }
    } while cursor.consume(",")
    for property in waiting {
      append(
        property.name,
        .property(.unsupported("missing")),
        property.line,
        obstacle: "the type of an @NSManaged property must be written",
        to: type
      )
    }
  }

  private mutating func functionSignature() -> (kind: ManagedMember.Kind, obstacle: String?) {
    var obstacle: String?
    if cursor.isAt("<") {
      obstacle = "an @NSManaged function cannot be generic"
      cursor.skipGenerics()
    }
    var parameters: [ManagedMember.Parameter] = []
    if cursor.consume("(") {
      while !cursor.isAtEnd, !cursor.isAt(")") {
        let label = cursor.isAt(keyword: "_") ? nil : cursor.text
        cursor.advance()
        if cursor.token.kind == .identifier { cursor.advance() }
        guard cursor.consume(":") else { break }
        parameters.append(ManagedMember.Parameter(label: label, type: cursor.parseType()))
        if !cursor.consume(",") { break }
      }
      _ = cursor.consume(")")
    }
    if cursor.isAt(keyword: "async") || cursor.isAt(keyword: "throws") {
      obstacle = "an @NSManaged function cannot be “\(cursor.text)”"
      cursor.advance()
    }
    var result: TypeSyntax?
    if cursor.isAtArrow {
      cursor.advance()
      result = cursor.parseType()
    }
    return (.function(parameters, result: result), obstacle)
  }

  private mutating func append(
    _ name: String,
    _ kind: ManagedMember.Kind,
    _ line: Int,
    obstacle: String?,
    to type: TypeDeclaration
  ) {
    type.managed.append(
      ManagedMember(
        name: name,
        kind: kind,
        line: line,
        access: prefix.access,
        setterAccess: prefix.setterAccess,
        conditions: prefix.conditions(conditions.current),
        objectiveCName: prefix.objectiveCName,
        obstacle: obstacle
      )
    )
  }
}
