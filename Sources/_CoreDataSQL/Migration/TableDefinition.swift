// SPDX-License-Identifier: Apache-2.0

/// The columns and constraints of a `CREATE TABLE` statement, as they are written.
struct TableDefinition {
  struct Column {
    let name: String
    /// The text after the name: the type and the constraints.
    let rest: String
  }

  private(set) var columns: [Column] = []
  /// The constraints of the whole table.
  private(set) var constraints: [String] = []

  /// Reads a statement; the result is empty if the statement has no list of columns.
  init(_ statement: String) {
    var parts = Self.parts(of: statement)
    parts = parts.map { $0.drop(while: \.isWhitespace) }
    for part in parts {
      guard let (name, isQuoted) = Self.leadingName(part) else { continue }
      if !isQuoted, Self.constraintWords.contains(name.uppercased()) {
        constraints.append(String(part))
      } else {
        let length = isQuoted ? name.count + 2 : name.count
        columns.append(Column(name: name, rest: String(part.dropFirst(length))))
      }
    }
  }

  /// The words with which a constraint of a table begins.
  ///
  /// Source: SQLite, “CREATE TABLE”.
  private static let constraintWords: Set<String> = [
    "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN",
  ]

  /// Returns the comma-separated parts between the outer parentheses.
  private static func parts(of statement: String) -> [Substring] {
    var parts: [Substring] = []
    var depth = 0
    var end: Character?
    var start = statement.startIndex
    for index in statement.indices {
      let character = statement[index]
      if let closing = end {
        if character == closing { end = nil }
        continue
      }
      switch character {
      case "'", "\"", "`": end = character
      case "[": end = "]"
      case "(":
        depth += 1
        if depth == 1 { start = statement.index(after: index) }
      case ")":
        depth -= 1
        if depth == 0 {
          parts.append(statement[start..<index])
          return parts
        }
      case "," where depth == 1:
        parts.append(statement[start..<index])
        start = statement.index(after: index)
      default: break
      }
    }
    return parts
  }

  /// Returns the name with which a part begins, without quotes; nil if the part does not begin with a name.
  private static func leadingName(_ part: Substring) -> (name: String, isQuoted: Bool)? {
    guard let first = part.first else { return nil }
    let closing: Character? =
      switch first {
      case "\"", "`", "'": first
      case "[": "]"
      default: nil
      }
    if let closing {
      let rest = part.dropFirst()
      return rest.firstIndex(of: closing).map { (String(rest[..<$0]), true) }
    }
    let name = part.prefix { !$0.isWhitespace && $0 != "(" && $0 != "," }
    return name.isEmpty ? nil : (String(name), false)
  }

  /// Returns whether the table or a column has a UNIQUE, CHECK or named constraint, as in some stores of
  /// 2015.
  ///
  /// Columns for which `isOther` returns true are ignored.
  func isConstrained(except isOther: (Column) -> Bool) -> Bool {
    let own = columns.filter { !isOther($0) }.map(\.rest)
    return (own + constraints).contains { text in
      let words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      return words.contains { ["UNIQUE", "CONSTRAINT", "CHECK"].contains($0.uppercased()) }
    }
  }
}
