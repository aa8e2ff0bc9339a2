// SPDX-License-Identifier: Apache-2.0

/// The words that are valid in one kind of place in a format string.
///
/// `nearest(to:)` corrects a misspelt word to one of them.
package enum FormatVocabulary {
  case operators
  case joints
  case expressions
  case functions

  /// Returns the correction of `written`: its entry in `synonyms`, or else the most similar valid word; nil
  /// if no word is similar enough.
  func nearest(to written: String) -> String? {
    let capitals = written.uppercased()
    if let meant = synonyms[capitals] { return meant }
    let word = Array(capitals)
    var best: (word: String, distance: Int)?
    for candidate in words {
      let distance = Self.distance(word, Array(candidate.uppercased()))
      if distance < best?.distance ?? Int.max { best = (candidate, distance) }
    }
    guard let best, best.distance > 0, best.distance <= max(1, word.count / 3) else { return nil }
    return best.word
  }

  private var words: [String] {
    func spellings(_ words: [FormatWord]) -> [String] { words.map(\.spelling) }
    let joints = spellings([.and, .or])
    let operators = spellings(
      [
        .beginsWith, .between, .contains, .endsWith, .in, .like, .matches, .union, .intersect,
        .minus,
      ]
    )
    let functions = Function.names
    switch self {
    case .joints: return joints
    case .operators: return operators + joints
    case .functions: return functions + spellings([.cast, .function, .subquery, .ternary])
    case .expressions:
      return operators + joints
        + spellings([
          .all, .any, .anyKey, .cast, .false, .falsePredicate, .nil, .none, .not, .null, .self,
          .some, .subquery, .ternary, .true, .truePredicate,
        ])
        + functions
    }
  }

  /// The equivalents of names from other query languages, such as `average` for `AVG`.
  private var synonyms: [String: String] {
    switch self {
    case .operators:
      [
        "IS": "==", "EQUALS": "==", "EQ": "==", "STARTSWITH": "BEGINSWITH",
        "HASPREFIX": "BEGINSWITH", "HASSUFFIX": "ENDSWITH", "HAS": "CONTAINS",
        "REGEXP": "MATCHES", "GLOB": "LIKE", "NOT": "NOT before the left side",
      ]
    case .functions:
      ["AVG": "average", "UPPER": "uppercase", "LOWER": "lowercase", "CEIL": "ceiling"]
    default: [:]
    }
  }

  /// Returns the smallest number of insertions, deletions, substitutions and transpositions that turn one
  /// word into the other; 4 if their lengths differ by more than 3.
  package static func distance(_ left: [Character], _ right: [Character]) -> Int {
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
