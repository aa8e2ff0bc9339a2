// SPDX-License-Identifier: Apache-2.0

/// Parses types in source text.
///
/// Source: documented, The Swift Programming Language, “Types”.
extension TokenCursor {
  /// Returns the type at the position and moves past it.
  package mutating func parseType() -> TypeSyntax {
    skipTypeAttributes()
    var types = [parsePostfixType()]
    while isAt("&") {
      advance()
      types.append(parsePostfixType())
    }
    let type = types.count == 1 ? types[0] : .composition(types)
    if isAtArrow || isAt(keyword: "throws") || isAt(keyword: "async") && followsEffect {
      while !isAtEnd, !isAtArrow { advance() }
      advance()
      _ = parseType()
      return .unsupported("a function type")
    }
    return type
  }

  private var followsEffect: Bool { following.kind == .punctuation && following.first == 45 }

  private mutating func skipTypeAttributes() {
    while !isAtEnd {
      if isAt("@") {
        advance()
        advance()
        if isAt("(") { skipBrackets() }
      } else if ["__owned", "__shared", "borrowing", "consuming", "sending", "isolated"]
        .contains(text), token.kind == .identifier, !token.isQuoted, following.kind == .identifier
      {
        advance()
      } else {
        return
      }
    }
  }

  private mutating func parsePostfixType() -> TypeSyntax {
    var type = parsePrimaryType()
    while isAt("?") || isAt("!") {
      advance()
      type = .optional(type)
    }
    return type
  }

  private mutating func parsePrimaryType() -> TypeSyntax {
    if isAt("[") { return parseCollectionType() }
    if isAt("(") { return parseParenthesizedType() }
    if isAt(keyword: "any"), following.kind == .identifier {
      advance()
      return .existential(parseNamedType())
    }
    if isAt(keyword: "some") {
      advance()
      _ = parsePostfixType()
      return .unsupported("an opaque type (“some”)")
    }
    if isAt(keyword: "inout") {
      advance()
      _ = parsePostfixType()
      return .unsupported("an inout parameter")
    }
    guard token.kind == .identifier else {
      let text = isAtEnd ? "the end of the file" : "“\(text)”"
      advance()
      return .unsupported("\(text) in place of a type")
    }
    return parseNamedType()
  }

  private mutating func parseNamedType() -> TypeSyntax {
    var components: [TypeSyntax.Component] = []
    repeat {
      let name = text
      advance()
      if (name == "Type" || name == "Protocol"), !components.isEmpty {
        return .unsupported("a metatype")
      }
      components.append(TypeSyntax.Component(name: name, arguments: parseArguments()))
    } while isAt(".") && following.kind == .identifier && consume(".")
    return .named(components)
  }

  private mutating func parseArguments() -> [TypeSyntax] {
    guard consume("<") else { return [] }
    var arguments: [TypeSyntax] = []
    while !isAtEnd, !isAt(">") {
      arguments.append(parseType())
      if !consume(",") { break }
    }
    _ = consume(">")
    return arguments
  }

  private mutating func parseCollectionType() -> TypeSyntax {
    let start = self
    advance()
    let element = parseType()
    var type = TypeSyntax.array(element)
    if consume(":") { type = .dictionary(element, parseType()) }
    guard consume("]") else {
      self = start
      skipBrackets()
      return .unsupported("an inline array")
    }
    return type
  }

  /// Parses a type in parentheses; returns `.unsupported` for a tuple or a list of function parameters.
  private mutating func parseParenthesizedType() -> TypeSyntax {
    let start = self
    advance()
    if consume(")") { return .unsupported("a tuple") }
    let type = parseType()
    if consume(")") { return type }
    self = start
    skipBrackets()
    return .unsupported("a tuple")
  }
}
