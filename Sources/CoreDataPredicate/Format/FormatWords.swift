// SPDX-License-Identifier: Apache-2.0

/// The words of the format language.
enum FormatWords {
  /// Words that are no keys unless written with `#`.
  static let reserved: Set<String> = [
    "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "MATCHES", "CONTAINS",
    "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO",
    "ANYKEY", "TRUEPREDICATE", "FALSEPREDICATE",
  ]

  static let relations: [String: Relation] = [
    "IN": .in, "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith,
    "LIKE": .like, "MATCHES": .matches, "BETWEEN": .between,
  ]
  static let symbols: [String: Relation] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .lessThan,
    "<=": .lessThanOrEqual, "=<": .lessThanOrEqual, ">": .greaterThan, ">=": .greaterThanOrEqual,
    "=>": .greaterThanOrEqual,
  ]
  /// Operators that only their owner understands; they are kept as custom selectors.
  static let customOperators: Set<String> = ["UTI-CONFORMS-TO", "UTI-EQUALS", "TOKENMATCHES"]

  static func spelling(of relation: Relation) -> String {
    switch relation {
    case .lessThan: "<"
    case .lessThanOrEqual: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqual: ">="
    case .equal: "=="
    case .notEqual: "!="
    case .matches: "MATCHES"
    case .like: "LIKE"
    case .beginsWith: "BEGINSWITH"
    case .endsWith: "ENDSWITH"
    case .in: "IN"
    case .customSelector: ":"
    case .contains: "CONTAINS"
    case .between: "BETWEEN"
    }
  }

  /// Binary operators with their selector and precedence, the loosest first.
  static let binary: [String: (selector: String, level: Int)] = [
    "|": ("bitwiseOr:with:", 1), "^": ("bitwiseXor:with:", 2), "&": ("bitwiseAnd:with:", 3),
    "<<": ("leftshift:by:", 4), ">>": ("rightshift:by:", 4), "+": ("add:to:", 5),
    "-": ("from:subtract:", 5), "*": ("multiply:by:", 6), "/": ("divide:by:", 6),
    "**": ("raise:toPower:", 7),
  ]
  static let setOperations: [String: Term.SetOperation] = [
    "UNION": .union, "INTERSECT": .intersect, "MINUS": .minus,
  ]
  static let operatorOfSelector = Dictionary(
    uniqueKeysWithValues: binary.map { ($0.value.selector, $0.key) }
  )

  /// The known word closest to a misspelt one, or nil where none is near.
  static func nearest(to word: String) -> String? {
    let word = Array(word.uppercased())
    var best: (word: String, distance: Int)?
    let operators = relations.keys.sorted() + reserved.sorted() + setOperations.keys.sorted()
    let functions = ExpressionFunction.spellings.keys.sorted()
    for candidate in operators + functions {
      let distance = distance(word, Array(candidate.uppercased()))
      if distance < best?.distance ?? Int.max { best = (candidate, distance) }
    }
    guard let best, best.distance > 0, best.distance <= max(1, word.count / 3) else { return nil }
    return best.word
  }

  /// Insertions, deletions, replacements and swaps of neighbours between two words.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    if abs(left.count - right.count) > 3 { return 4 }
    var rows = [Array(0...right.count)]
    for (row, character) in left.enumerated() {
      var next = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(
          rows[row][column] + (character == other ? 0 : 1),
          rows[row][column + 1] + 1,
          next[column] + 1
        )
        if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
          cost = min(cost, rows[row - 1][column - 1] + 1)
        }
        next.append(cost)
      }
      rows.append(next)
    }
    return rows[left.count][right.count]
  }
}
