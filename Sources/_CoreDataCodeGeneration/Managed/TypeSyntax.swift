// SPDX-License-Identifier: Apache-2.0

/// A type as it is written in source text.
package indirect enum TypeSyntax: Hashable {
  /// A component of a type's name, such as `Set<Item>`, with its generic arguments.
  package struct Component: Hashable {
    package let name: String
    package var arguments: [TypeSyntax] = []
  }

  /// A name such as `Item`, `Foundation.Date` or `Set<Item>`.
  case named([Component])
  /// `T?` or `T!`.
  case optional(TypeSyntax)
  case array(TypeSyntax)
  case dictionary(TypeSyntax, TypeSyntax)
  /// `any P`.
  case existential(TypeSyntax)
  /// A composition such as `NSCoding & NSCopying`.
  case composition([TypeSyntax])
  /// A type that no managed property can have; the text says which kind of type it is.
  case unsupported(String)
}

extension TypeSyntax {
  /// The type as source text, such as `[String: Item]`, with normalized spaces.
  package var text: String {
    switch self {
    case .named(let components):
      components.map { component in
        component.arguments.isEmpty
          ? component.name
          : component.name + "<" + component.arguments.map(\.text).joined(separator: ", ") + ">"
      }.joined(separator: ".")
    case .optional(let type): type.needsParentheses ? "(\(type.text))?" : type.text + "?"
    case .existential(let type): "any \(type.text)"
    case .array(let type): "[\(type.text)]"
    case .dictionary(let key, let value): "[\(key.text): \(value.text)]"
    case .composition(let types): types.map(\.text).joined(separator: " & ")
    case .unsupported(let text): text
    }
  }

  private var needsParentheses: Bool {
    switch self {
    case .composition, .existential: true
    default: false
    }
  }
}
