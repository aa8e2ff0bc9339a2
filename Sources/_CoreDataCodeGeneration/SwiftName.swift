// SPDX-License-Identifier: Apache-2.0

/// A name in a model that becomes an identifier in Swift source.
struct SwiftName {
  /// The name as the model spells it.
  let text: String

  /// Whether the name can be an identifier in Swift source; true for keywords, which are written in
  /// backticks.
  ///
  /// Letters and emoji outside ASCII count as identifier characters.
  var isValid: Bool {
    guard let first = text.unicodeScalars.first, Self.isHead(first) else { return false }
    return text != "_" && text.unicodeScalars.allSatisfy { Self.isHead($0) || Self.isDigit($0) }
  }

  /// The identifier in source text, with backticks if the name is a keyword.
  var source: String { Self.keywords.contains(text) ? "`\(text)`" : text }

  /// The name with a capital first letter, for use in another name, such as `Players` in `addToPlayers`.
  var capitalized: String { text.prefix(1).uppercased() + text.dropFirst() }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    ("0"..."9").contains(scalar)
  }

  private static func isHead(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "_": true
    default: scalar.value > 0x7F && (scalar.properties.isAlphabetic || scalar.properties.isEmoji)
    }
  }

  /// Swift's keywords of declarations, statements, expressions and types.
  ///
  /// Source: documented, The Swift Programming Language, “Lexical Structure”.
  private static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
    "init", "inout", "internal", "let", "open", "operator", "precedencegroup", "private",
    "protocol", "public", "rethrows", "static", "struct", "subscript", "typealias", "var",
    "break", "case", "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for",
    "guard", "if", "in", "repeat", "return", "switch", "throw", "where", "while",
    "Any", "as", "await", "false", "is", "nil", "Protocol", "self", "Self", "super", "throws",
    "true", "try", "Type",
  ]

  /// Names that a property cannot have, because Swift gives them a meaning after a dot.
  static let reservedBySwift: Set<String> = ["self", "Type", "Protocol", "init"]

  /// Names of members of `NSManagedObject` and `NSObject`.
  ///
  /// A generated property with such a name would not compile, or would hide the inherited member.
  static let reservedByManagedObjects: Set<String> = [
    "className", "classForCoder", "debugDescription", "description", "hash", "hashValue",
    "superclass",
    "changedValues", "entity", "faultingState", "hasChanges", "hasFault",
    "hasPersistentChangedValues", "isDeleted", "isFault", "isInserted", "isUpdated",
    "managedObjectContext", "objectID",
  ]
}
