// SPDX-License-Identifier: Apache-2.0

/// The functions that expressions know, by selector.
///
/// Source: documented (NSExpression, `init(forFunction:arguments:)`).
package enum ExpressionFunction {
  /// Selectors by the number of their arguments.
  private static let byArity: [[String]] = [
    ["now", "random"],
    [
      "sum:", "count:", "average:", "min:", "max:", "median:", "mode:", "stddev:", "sqrt:", "log:",
      "ln:", "exp:", "ceiling:", "floor:", "trunc:", "abs:", "uppercase:", "lowercase:",
      "canonical:", "length:", "noindex:", "onesComplement:", "random:", "randomn:",
    ],
    [
      "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "modulus:by:", "raise:toPower:",
      "bitwiseAnd:with:", "bitwiseOr:with:", "bitwiseXor:with:", "leftshift:by:", "rightshift:by:",
      "castObject:toType:", "objectFrom:withIndex:", "distanceToLocation:fromLocation:",
    ],
  ]

  /// Number of arguments by selector.
  package static let arity: [String: Int] = {
    var table: [String: Int] = [:]
    for (count, selectors) in byArity.enumerated() {
      for selector in selectors { table[selector] = count }
    }
    return table
  }()

  /// Words that may be written for selectors in a format: `sum`, `uppercase`, `now`.
  static let spellings: [String: String] = {
    var table: [String: String] = [:]
    for selector in byArity[1] { table[String(selector.dropLast())] = selector }
    for selector in byArity[0] where table[selector] == nil { table[selector] = selector }
    return table
  }()

  /// The names of all functions, as messages suggest them.
  static var names: [String] { spellings.keys.sorted() + byArity[2] }

  /// The numbers of arguments that a function of this name takes; none where there is no such one.
  static func arities(spelling: String) -> [Int] {
    (0..<byArity.count).filter { selector(spelling: spelling, arguments: $0) != nil }
  }

  /// The selector of a function as a format spells it, or nil where there is none with so many
  /// arguments.
  static func selector(spelling: String, arguments: Int) -> String? {
    if arity[spelling] == arguments { return spelling }
    guard let selector = spellings[spelling], arity[selector] == arguments else { return nil }
    return selector
  }
}
