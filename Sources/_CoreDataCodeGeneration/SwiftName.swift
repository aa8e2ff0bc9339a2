// SPDX-License-Identifier: Apache-2.0

/// A name from a model, on its way into Swift source.
struct SwiftName {
  /// The name as the model has it.
  let text: String

  /// Whether the name can be written in Swift, with backticks where it is a keyword.
  ///
  /// Letters outside ASCII count as identifier characters.
  var isValid: Bool {
    guard let first = text.unicodeScalars.first, Self.isHead(first) else { return false }
    return text != "_" && text.unicodeScalars.allSatisfy { Self.isHead($0) || Self.isDigit($0) }
  }

  /// The name as source text has it.
  var source: String { Self.keywords.contains(text) ? "`\(text)`" : text }

  /// The name as the second half of another one, such as `Players` in `addToPlayers`.
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

  /// Source: documented, The Swift Programming Language, “Lexical Structure”: keywords of
  /// declarations, statements, expressions and types.
  private static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
    "init", "inout", "internal", "let", "open", "operator", "precedencegroup", "private",
    "protocol", "public", "rethrows", "static", "struct", "subscript", "typealias", "var",
    "break", "case", "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for",
    "guard", "if", "in", "repeat", "return", "switch", "throw", "where", "while",
    "Any", "as", "await", "false", "is", "nil", "Protocol", "self", "Self", "super", "throws",
    "true", "try", "Type",
  ]

  /// Names that Swift gives every type, or that `NSManagedObject` and `NSObject` have as a property.
  ///
  /// A generated property of that name would not compile, or would hide the object's own.
  static let takenByManagedObjects: Set<String> = [
    "self", "Type", "Protocol", "init",
    "className", "classForCoder", "debugDescription", "description", "hash", "hashValue",
    "superclass",
    "changedValues", "entity", "faultingState", "hasChanges", "hasFault",
    "hasPersistentChangedValues", "isDeleted", "isFault", "isInserted", "isUpdated",
    "managedObjectContext", "objectID",
  ]
}
