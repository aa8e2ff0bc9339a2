// SPDX-License-Identifier: Apache-2.0

/// The keywords of the format language, which are case-insensitive.
enum FormatWord: CaseIterable {
  case and, or, not, any, some, all, none
  case `in`, contains, beginsWith, endsWith, like, matches, between
  case utiConformsTo, utiEquals, tokenMatches
  case null, `nil`, `self`, `true`, yes, `false`, no, anyKey, truePredicate, falsePredicate
  case union, intersect, minus
  case subquery, ternary, cast, function, fetch
  case first, last, size

  var spelling: String {
    switch self {
    case .utiConformsTo: "UTI-CONFORMS-TO"
    case .utiEquals: "UTI-EQUALS"
    default: "\(self)".uppercased()
    }
  }

  /// Whether the word needs the prefix `#` to be parsed as a key at the start of an operand.
  ///
  /// Any other word is parsed as a key wherever it cannot be a keyword. Source: documented (Predicate Format
  /// String Syntax).
  var isReserved: Bool {
    switch self {
    case .union, .intersect, .minus, .subquery, .ternary, .cast, .function, .fetch, .first, .last,
      .size, .tokenMatches:
      false
    default: true
    }
  }

  var relation: Relation? {
    switch self {
    case .in: .in
    case .contains: .contains
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .like: .like
    case .matches: .matches
    case .between: .between
    default: nil
    }
  }

  /// Whether the word is an operator that is parsed as the relation `.customSelector`.
  var isCustomOperator: Bool {
    switch self {
    case .utiConformsTo, .utiEquals, .tokenMatches: true
    default: false
    }
  }

  var setOperation: Term.SetOperation? {
    switch self {
    case .union: .union
    case .intersect: .intersect
    case .minus: .minus
    default: nil
    }
  }

  var symbolicIndex: Term.SymbolicIndex? {
    switch self {
    case .first: .first
    case .last: .last
    case .size: .size
    default: nil
    }
  }
}

extension FormatWord {
  /// Returns the keyword with this spelling, in upper or lower case; nil if the word is not a keyword.
  static func word(_ bytes: some Collection<UInt8>) -> FormatWord? {
    guard let spelling = Packed(bytes) else { return nil }
    var slot = spelling.slot
    while let entry = table[slot] {
      if entry.spelling == spelling { return entry.word }
      slot = (slot + 1) % table.count
    }
    return nil
  }

  /// A word of up to 16 letters and hyphens, converted to upper case and packed for fast comparison and
  /// hashing.
  private struct Packed: Equatable {
    private var high: UInt64 = 0
    private var low: UInt64 = 0

    init?(_ bytes: some Collection<UInt8>) {
      guard bytes.count <= 16 else { return nil }
      for byte in bytes {
        let capital = byte & 0xDF
        guard capital &- 0x41 < 26 || byte == UInt8(ascii: "-") else { return nil }
        high = high << 8 | low >> 56
        low = low << 8 | UInt64(capital)
      }
    }

    var slot: Int { Int(truncatingIfNeeded: ((low ^ high) &* 0x9E37_79B9_7F4A_7C15) >> 57) }
  }

  /// A hash table of the keywords, with open addressing.
  private static let table: [(spelling: Packed, word: FormatWord)?] = {
    var table = [(spelling: Packed, word: FormatWord)?](repeating: nil, count: 128)
    for word in allCases {
      guard let spelling = Packed(Array(word.spelling.utf8)) else { continue }
      var slot = spelling.slot
      while table[slot] != nil { slot = (slot + 1) % table.count }
      table[slot] = (spelling, word)
    }
    return table
  }()
}

extension Relation {
  /// The operator as format strings write it; SQL also has `<`, `<=`, `>`, `>=`, `==` and `!=`.
  package var spelling: String {
    switch self {
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
}
